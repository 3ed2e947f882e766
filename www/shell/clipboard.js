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

export async function copyText(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(button, text);
  }
  button.dataset.name ??= button.textContent;
  button.textContent = word("tables.copied");
  setTimeout(() => {
    button.textContent = button.dataset.name;
  }, 1500);
}
