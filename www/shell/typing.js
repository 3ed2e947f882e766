// Texts while they are typed: the sentence counts when it rests, and what an input method
// composes when it has been composed.
const REST = 1500; // ms without a key after which a text is done
const TEXT = "input[type='text'], textarea";
let last = -Infinity; // when the last key was pressed
let isComposing = false;

// How long what is being typed still belongs together.
export const typingLeft = () => (isComposing ? REST : Math.max(0, last + REST - performance.now()));

const isText = ({ target }) => target.matches?.(TEXT);
const tell = (field, name) => field.dispatchEvent(new Event(name, { bubbles: true }));

// Letters that are still to become others are nobody's business.
function keepBack(event) {
  if (isText(event) && event.isComposing) event.stopImmediatePropagation();
  else if (isText(event)) last = performance.now();
}
document.addEventListener("input", keepBack, true);
document.addEventListener("keyup", keepBack, true);

document.addEventListener("compositionstart", (event) => {
  if (!isText(event)) return;
  tell(event.target, "change"); // what waits to be sent goes without them
  isComposing = true;
});
document.addEventListener("compositionend", (event) => {
  isComposing = false;
  if (isText(event)) tell(event.target, "input");
});

// Who leaves the field is done, too.
document.addEventListener("change", (event) => {
  if (event.isTrusted && isText(event)) last = -Infinity;
});
