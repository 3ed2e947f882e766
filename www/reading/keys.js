// Who has the keys: the walk, unless the focus has a use of its own for them. What was only
// pointed at has none: a click on a button, a closed list or the theme takes no key away.
// Escape gives all of them back; Ctrl+Z and Ctrl+Shift+Z are undo and redo.
import { shownPage } from "../figure/views.js";
import { redo, undo } from "../shell/history.js";
import { isClosed } from "../session/teacher.js";

const TYPED =
  "textarea, [contenteditable], input:not([type='radio'], [type='checkbox'], [type='button'])";
let isPointed = false; // the focus came by a click, not by the keys

document.addEventListener("pointerdown", () => (isPointed = true), true);
document.addEventListener("keydown", ({ key }) => key === "Tab" && (isPointed = false), true);

// A browser that cannot tell leaves its lists the keys.
const isOpen = (list) => !CSS.supports("selector(:open)") || list.matches(":open");

// In a matrix arrows lead from cell to cell; during a walk those to the sides lead on, but
// for who came by the keys.
function isLedOn(matrix, key) {
  const isWalking = matrix.closest(".figures-page").classList.contains("is-stepping");
  return isPointed && isWalking && ["ArrowLeft", "ArrowRight"].includes(key);
}

// Whether what has the focus has a use of its own for a key.
export function hasOwnUse({ target, key }) {
  if (!target.closest) return false;
  if (target.closest(TYPED)) return true;
  const list = target.closest("select");
  if (list) return isOpen(list) || !isPointed;
  const matrix = target.closest(".matrix");
  if (matrix) return key.startsWith("Arrow") && !isLedOn(matrix, key);
  if (isPointed) return false;
  if (target.closest("input")) return !key.startsWith("Page");
  return key === " " && target.closest("button, summary, a") !== null;
}

// The page takes the focus, which is nobody's else.
function giveBack(page) {
  page.tabIndex = -1;
  page.focus({ preventScroll: true });
}

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  const page = shownPage();
  if (!page || event.isComposing || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  const list = target.closest?.("select");
  if (key === "Escape" && !target.closest?.(".edit-bar") && !(list && isOpen(list))) {
    giveBack(page);
    return;
  }
  const isUndo = (event.ctrlKey || event.metaKey) && !event.altKey && key.toLowerCase() === "z";
  if (!isUndo || target.closest?.(TYPED) || isClosed("history")) return;
  event.preventDefault();
  if (event.shiftKey) redo();
  else undo();
});
