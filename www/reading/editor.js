// Change a number where it stands: the bar in the inspector, and the keys. Type it, or
// nudge it with + and −.
import { format } from "../figure/text.js";
import { on } from "../shell/events.js";
import { redo, undo } from "../shell/history.js";
import { gated, tell } from "../shell/server.js";
import { word } from "../shell/words.js";
import { isDragging } from "./drag.js";
import {
  editedCell,
  forget,
  isEditable,
  nudge,
  remember,
  rememberedValue,
  send,
  toggle,
  valueOf,
} from "./edits.js";
import { selectedCell } from "./selection.js";
import { stopSwing, toggleSwing } from "./swing.js";

const NUDGE = 0.1;

const pageOf = (target) => target.closest(".figures-page");

function showBar(page, cell) {
  const bar = page.querySelector(".edit-bar");
  if (!bar) return;
  const can = cell && isEditable(page, cell.name) && valueOf(page, cell) !== null;
  bar.hidden = !can;
  if (!can) return;
  bar.classList.toggle("for-mask", cell.name === "mask");
  const input = bar.querySelector("input");
  const value = valueOf(page, cell);
  if (document.activeElement !== input) write(input, value);
  const before = cell.name === "mask" ? null : rememberedValue(page, cell);
  bar.querySelector(".edit-before").textContent =
    before === null || before === value ? "" : word("edit.before", { value: format(before, 4) });
}

function write(input, value) {
  input.value = format(value, 4);
  complain(input, "");
}

function complain(input, sentence) {
  input.taken = input.value;
  input.setAttribute("aria-invalid", String(sentence !== ""));
  pageOf(input).querySelector(".edit-problem").textContent = sentence;
}

const chosenCell = (page) => editedCell(page, selectedCell(page));

on("presented", ({ page }) => showBar(page, chosenCell(page)));
// The first picture stands already.
for (const page of document.querySelectorAll(".figures-page.has-numbers")) {
  showBar(page, chosenCell(page));
}

on("selected", ({ page, cell }) => {
  stopSwing();
  if (!isDragging()) forget(page);
  showBar(page, editedCell(page, cell));
});

// Take what was typed; what was taken already, or only shown, changes nothing.
function take(input) {
  if (input.value === input.taken) return;
  const page = pageOf(input);
  const value = Number(input.value.trim().replace("−", "-").replace(",", "."));
  const isNumber = input.value.trim() !== "" && Number.isFinite(value);
  complain(input, isNumber ? "" : word("edit.number"));
  if (!isNumber) return;
  // What is too large is sent, too: the server says so, and what would do.
  remember(page);
  send(page, selectedCell(page), value);
}

document.addEventListener("focusout", (event) => {
  if (event.target.matches?.(".edit-bar input")) take(event.target);
});
// Enter takes the number, Escape leaves it as it was; both lead back to its matrix.
document.addEventListener("keydown", (event) => {
  const input = event.target;
  if (!input.matches?.(".edit-bar input") || !["Enter", "Escape"].includes(event.key)) return;
  const page = pageOf(input);
  const cell = selectedCell(page);
  if (event.key === "Enter") take(input);
  else write(input, valueOf(page, cell));
  const matrix = page.querySelector(`[data-figure="${cell.name}"]`);
  if (input.getAttribute("aria-invalid") !== "true") matrix.focus({ preventScroll: true });
});

function clear(page) {
  stopSwing();
  gated("clear", () => tell(page.dataset.clear, Math.random()));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-edit-action]");
  if (!button) return;
  const page = pageOf(button);
  const cell = chosenCell(page);
  const action = button.dataset.editAction;
  if (action === "undo") undo();
  else if (action === "redo") redo();
  else if (action === "clear") clear(page);
  else if (action === "toggle") toggle(page, cell);
  else if (action === "swing") toggleSwing(page, cell);
  else nudge(page, cell, action === "more" ? NUDGE : -NUDGE);
});

// Keys on the matrix of a selected cell.
document.addEventListener("keydown", (event) => {
  const element = event.target;
  if (!element.classList?.contains("matrix")) return;
  const page = pageOf(element);
  const chosen = selectedCell(page);
  const cell = editedCell(page, chosen);
  if (!cell || element.attnviz.name !== chosen.name || !isEditable(page, cell.name)) return;
  const amount = event.shiftKey && event.key !== "+" ? 1 : NUDGE;
  const direction =
    (event.key === "+" || event.key === "=") - (event.key === "-" || event.key === "_");
  const input = page.querySelector(".edit-bar input");
  if (direction) nudge(page, cell, direction * amount);
  else if (event.key === "Enter" && cell.name === "mask") toggle(page, cell);
  else if (event.key === "Enter" || /^[0-9.]$/.test(event.key)) {
    input.focus();
    input.value = event.key === "Enter" ? input.value : event.key;
    if (event.key === "Enter") input.select();
  } else return;
  event.preventDefault();
  event.stopPropagation();
});
