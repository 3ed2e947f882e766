// Drag a number up and down where it stands. A click on a cell of the mask asks about it;
// a second one changes it.
import { cellAt, cellOf, foldAt, viewOf } from "../figure/views.js";
import { change, editedCell, isEditable, toggle, valueOf } from "./edits.js";
import { select, selectedCell } from "./selection.js";

const PER_PIXEL = 0.02; // change of a number for one pixel of a vertical drag
const DEAD = 4; // pixels before a press becomes a drag
let drag = null;

const isSame = (one, other) => one?.name === other.name && one.i === other.i && one.j === other.j;

export const isDragging = () => drag !== null;

document.addEventListener("pointerdown", (event) => {
  const figure = event.target.closest?.("[data-graph]");
  const view = figure && viewOf(figure);
  if (!view?.geometry || event.button) return;
  const { page } = view;
  const at = cellAt(view, event);
  if (!at || at.panel.isCopy || foldAt(at)) return;
  const asked = cellOf(page, at);
  const cell = editedCell(page, asked);
  // A score is only asked about, unless the mask lies over it.
  const isScore = cell !== asked && valueOf(page, cell) === 1;
  if (isScore || !isEditable(page, cell.name)) return;
  if (event.pointerType === "touch" && cell.name !== "mask") return; // it scrolls
  const start = valueOf(page, cell);
  const isChosen = isSame(selectedCell(page), asked);
  drag = { page, view, cell, from: event.clientY, start, isChosen, isMoving: false };
});
document.addEventListener("pointermove", (event) => {
  if (drag && !event.buttons) endDrag(event); // it was let go where nobody told
  if (!drag || drag.cell.name === "mask") return;
  const distance = drag.from - event.clientY;
  if (!drag.isMoving && Math.abs(distance) < DEAD) return;
  if (!drag.isMoving) {
    drag.isMoving = true;
    select(drag.page, drag.cell);
    document.body.classList.add("is-dragging");
  }
  event.preventDefault();
  change(drag.page, drag.cell, drag.start + distance * PER_PIXEL);
});

function endDrag(event) {
  document.body.classList.remove("is-dragging");
  const ended = drag;
  drag = null;
  if (!ended || event.type !== "pointerup") return;
  if (ended.isMoving) {
    // The click that ends a drag chooses nothing.
    document.addEventListener("click", (click) => click.preventDefault(), {
      capture: true,
      once: true,
    });
  } else if (ended.cell.name === "mask" && ended.isChosen) {
    // Who lets go of another cell has thought better of it.
    const at = cellAt(ended.view, event);
    const other = at && editedCell(ended.page, cellOf(ended.page, at));
    if (other && isSame(other, ended.cell)) toggle(ended.page, ended.cell);
  }
}
document.addEventListener("pointerup", endDrag);
document.addEventListener("pointercancel", endDrag);
