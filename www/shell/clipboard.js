// Texts to take along, by a button that says when it has been done.
import { word } from "./words.js";

// Pages that did not come over a safe connection have no clipboard of their own.
function copyBySelection(button, text) {
  const field = document.createElement("textarea");
  field.value = text;
  button.after(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  button.focus();
}

// The text may still be on its way: Safari lets a click promise it, and nobody else.
export async function copyText(button, text) {
  try {
    const promised = Promise.resolve(text).then((it) => new Blob([it], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": promised })]);
  } catch {
    copyBySelection(button, await text);
  }
  button.dataset.name ??= button.textContent;
  button.textContent = word("tables.copied");
  setTimeout(() => {
    button.textContent = button.dataset.name;
  }, 1500);
}
