// Drag a number up and down where it stands. A click on a cell of the mask asks about it;
// a second one changes it.
import { cellAt, cellOf, viewOf } from "../figure/views.js";
import { change, isEditable, toggle, valueOf } from "./edits.js";
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
  if (!at || at.panel.isCopy || !isEditable(page, at.panel.name)) return;
  if (event.pointerType === "touch" && at.panel.name !== "mask") return; // it scrolls
  const cell = cellOf(page, at);
  const start = valueOf(page, cell);
  const isChosen = isSame(selectedCell(page), cell);
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
    if (at && isSame(cellOf(ended.page, at), ended.cell)) toggle(ended.page, ended.cell);
  }
}
document.addEventListener("pointerup", endDrag);
document.addEventListener("pointercancel", endDrag);
