// Hovering lights the row and the column a number belongs to, and tells it; a click, a tap
// or the arrow keys select a cell. All in the browser.
import { unfoldAxis } from "../figure/figures.js";
import { cellAt, cellOf, foldAt, panelNamed, placeIn, viewOf } from "../figure/views.js";
import { on } from "../shell/events.js";
import { hasOwnUse } from "./keys.js";
import { axisPlace, subscript, valueText } from "./descriptions.js";
import { word } from "../shell/words.js";
import { light, litCell } from "./marks.js";
import { select, selectedCell } from "./selection.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;

function writeTip(page, view, { panel, i, j }) {
  const axis = foldAt({ panel, i, j });
  if (axis) {
    tip.replaceChildren(word("figure.unfold", { count: panel.size[panel.axes.indexOf(axis)] }));
    return;
  }
  const [base, sub] = panel.symbol;
  const isCovered = view.covered?.get(panel.name)?.[i * panel.columns + j];
  const own = cellOf(page, { panel, i, j });
  const name = `${base}${sub ? `_${sub}` : ""}${subscript(`${own.i + 1},${own.j + 1}`)}`;
  const head = document.createElement("b");
  head.className = `role-${panel.role}`;
  head.textContent = `${name} = ${isCovered ? "?" : valueText(panel, i, j)}`;
  const where = document.createElement("span");
  where.textContent = [axisPlace(panel, 0, i), axisPlace(panel, 1, j)].filter(Boolean).join(" · ");
  tip.replaceChildren(head, where);
}

function showTip(page, view, at) {
  if (!tip.isConnected) document.body.append(tip);
  writeTip(page, view, at);
  tip.hidden = false;
  const { panel, i, j } = at;
  const box = view.element.getBoundingClientRect();
  const { cell } = view.geometry;
  const x = box.left + panel.rect.x + (j + 1) * cell + 8;
  const y = box.top + panel.rect.y + i * cell - tip.offsetHeight - 6;
  const right = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.transform = `translate(${Math.min(x, right)}px, ${Math.max(4, y)}px)`;
}

// New marks are the selected cell's, which needs no tip.
function hideTip() {
  tip.hidden = true;
}
on("drawn", hideTip);
on("selected", hideTip);

const pageOf = (target) => target.closest?.(".figures-page");
const viewAt = (target) => {
  const figure = target.closest?.("[data-graph]");
  const view = figure && viewOf(figure);
  return view && view.geometry ? view : null;
};

function hover(page, view, cell) {
  const before = litCell(page);
  if (before?.panel === cell?.panel && before?.i === cell?.i && before?.j === cell?.j) return;
  light(page, cell);
  if (cell) showTip(page, view, cell);
  else hideTip();
}

document.addEventListener("pointermove", (event) => {
  const page = pageOf(event.target);
  if (!page || event.pointerType === "touch" || event.buttons) return;
  const view = viewAt(event.target);
  hover(page, view, view && cellAt(view, event));
});
document.addEventListener("pointerout", (event) => {
  const page = pageOf(event.target);
  if (page && !pageOf(event.relatedTarget || document.body)) hover(page, null, null);
});
document.addEventListener("click", (event) => {
  const view = viewAt(event.target);
  const cell = view && cellAt(view, event);
  if (!cell || event.defaultPrevented) return;
  const page = pageOf(event.target);
  const folded = foldAt(cell);
  if (folded) {
    unfoldAxis(page, folded);
    return;
  }
  select(page, cellOf(page, cell));
  view.elements.get(cell.panel.name)?.focus({ preventScroll: true });
});
document.addEventListener("keydown", (event) => {
  const element = event.target;
  if (!element.classList?.contains("matrix") || !STEPS[event.key]) return;
  if (event.altKey || event.shiftKey || !hasOwnUse(event)) return;
  event.preventDefault();
  event.stopPropagation();
  const page = pageOf(element);
  const { name } = element.attnviz;
  const panel = panelNamed(page, name);
  const before = selectedCell(page);
  const isHere = before && before.name === name;
  const [down, right] = isHere ? STEPS[event.key] : [0, 0];
  const start = isHere ? placeIn(panel, before) : { i: 0, j: 0 };
  const move = (steps) => ({
    panel,
    i: Math.max(0, Math.min(panel.rows - 1, start.i + steps * down)),
    j: Math.max(0, Math.min(panel.columns - 1, start.j + steps * right)),
  });
  // What is folded is stepped over.
  const next = foldAt(move(1)) ? move(2) : move(1);
  select(page, cellOf(page, next));
});
