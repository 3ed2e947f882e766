// The selected cell of each page: chosen by the reader, by the address, or the one that
// the page explains at first. It follows new numbers.
import { panelNamed, sizeOf } from "../figure/views.js";
import { announce, on } from "../shell/events.js";
import { addressed, keep, touchAddress } from "../session/address.js";
import { ask, inspectorOf } from "./question.js";

const PLACE = ["name", "i", "j"];
const states = new WeakMap(); // page -> { selected, start }

// "scores.2.3" in the address, counted from 1. It has no head yet, not even none, so
// that it differs from every cell that was asked for.
function addressedCell(page) {
  const parts = /^(\w+)\.([1-9]\d?)\.([1-9]\d?)$/.exec(addressed(page, "cell") ?? "");
  return parts && { name: parts[1], i: parts[2] - 1, j: parts[3] - 1 };
}

function stateOf(page) {
  if (!states.has(page)) states.set(page, { selected: addressedCell(page) });
  return states.get(page);
}

export const selectedCell = (page) => stateOf(page).selected;

// Ask about a cell and mark it; if it belongs to another head, show that head.
export function select(page, cell, options) {
  ask(page, cell, options);
  stateOf(page).selected = cell;
  if (cell && cell.head !== null && page.head !== undefined && cell.head !== page.head) {
    page.querySelector(`[name$="-head"][value="${cell.head}"]`)?.click();
  }
  announce("selected", { page, cell });
  touchAddress();
}

// A cell as far as the numbers on screen reach; null where they have no such matrix.
function within(page, cell) {
  const panel = cell && panelNamed(page, cell.name);
  if (!panel) return null;
  const [rows, columns] = sizeOf(panel);
  return {
    name: cell.name,
    i: Math.min(cell.i, rows - 1),
    j: Math.min(cell.j, columns - 1),
    head: page.head ?? null,
  };
}

// The cell that a page explains at first.
function startCell(page) {
  if (!page.start) return null; // no numbers have come yet
  const [name, i, j] = page.start;
  return within(page, { name, i, j });
}

const isSame = (one, other, keys) => one && other && keys.every((key) => one[key] === other[key]);

// A cell that no head has of its own stays as it is when another head is shown.
function selectOther(page, cell) {
  const before = selectedCell(page);
  const isHere = isSame(before, cell, PLACE);
  const isOfHead = isHere && (before.head === null || before.head === cell.head);
  if (cell && !isOfHead) select(page, cell);
}

// Some numbers, such as exponentials, stand in no figure: the server knows which.
const isOutside = (page, cell) => cell && !panelNamed(page, cell.name);

// What the server cannot explain, and no figure shows, gives way to the first cell.
export function leaveUnknown(page) {
  if (isOutside(page, selectedCell(page))) selectOther(page, startCell(page));
}

// After new numbers: the first cell to explain, the shown head, sizes that shrank.
export function followSelection(page) {
  if (!inspectorOf(page)) return;
  const state = stateOf(page);
  const { selected, start } = state;
  state.start = startCell(page);
  // Who has chosen nothing is led to what another example is about.
  const isLed = isSame(selected, start, PLACE) && !isSame(start, state.start, PLACE);
  const other = isOutside(page, selected) && { ...selected, head: page.head ?? null };
  const stays = !isLed && (within(page, selected) || other);
  selectOther(page, stays || state.start);
}

keep("cell", (page) => {
  const selected = page && selectedCell(page);
  const isStart = !selected || isSame(selected, startCell(page), PLACE);
  return isStart ? null : [selected.name, selected.i + 1, selected.j + 1].join(".");
});
// The numbers may still be those before: what does not fit them waits for the next.
on("restore", ({ page }) => {
  if (!page) return;
  const cell = addressedCell(page);
  selectOther(page, cell ? { ...cell, head: page.head ?? null } : startCell(page));
});
