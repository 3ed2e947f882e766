// Every figure on screen has a view: its element, its layers, and the matrices it shows,
// whose cells are found here by name, by place and under the pointer.
import { GAP } from "./folding.js";

const views = new Map(); // figure element -> view

// The view of a figure; none before its page has had its first numbers.
export const viewOf = (element) => views.get(element);
export const allViews = () => [...views.values()];
export const viewsIn = (element) =>
  [...element.querySelectorAll("[data-graph]")].map(viewOf).filter(Boolean);

// The page of figures that is in view, if there is one.
export const shownPage = () => document.querySelector(".tab-pane.active .figures-page");

export function addView(element) {
  const plot = element.appendChild(document.createElement("div"));
  plot.className = "figure-plot";
  const canvas = element.appendChild(document.createElement("canvas"));
  canvas.className = "figure-cells";
  canvas.setAttribute("aria-hidden", "true");
  const caption = element.querySelector("figcaption");
  const page = element.closest(".figures-page");
  const view = { element, page, plot, canvas, caption, panels: [], told: [], elements: new Map() };
  view.frame = null; // what the server has told of it, if it is there
  view.isNear = true; // until an observer says otherwise: the first picture is whole
  views.set(element, view);
  return view;
}

// The matrix of a name that is no copy.
export function panelNamed(page, name) {
  for (const view of viewsIn(page)) {
    const panel = view.panels.find((candidate) => candidate.name === name && !candidate.isCopy);
    if (panel) return panel;
  }
  return null;
}

// All matrices of a page that are no copies, drawn or not.
export const allPanels = (page) =>
  viewsIn(page).flatMap(({ told }) => told.filter(({ isCopy }) => !isCopy));

// What the pointer is over, as { panel, i, j }; null beside all matrices.
export function cellAt(view, event) {
  const box = view.element.getBoundingClientRect();
  const x = event.clientX - box.left;
  const y = event.clientY - box.top;
  const panel = view.panels.find(
    ({ rect }) => x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height
  );
  if (!panel) return null;
  const { cell } = view.geometry;
  const i = Math.floor((y - panel.rect.y) / cell);
  const j = Math.floor((x - panel.rect.x) / cell);
  return { panel, i, j };
}

// Kᵀ shows K: rows and columns of such a picture change places to name a cell of the
// matrix itself, and to find one.
const turn = (panel, i, j) => (panel.isTurned ? [j, i] : [i, j]);

// What a place along a picture stands for, GAP for what is folded; and where it stands.
export const meant = ({ places }, axis, at) => places[axis]?.[at] ?? at;
const shown = ({ places }, axis, at) => places[axis]?.indexOf(at) ?? at;

// The axis whose features are folded at a place of a picture; none elsewhere.
export const foldAt = ({ panel, i, j }) =>
  panel.axes.find((_, axis) => meant(panel, axis, [i, j][axis]) === GAP);

// The cell that stands at a place of a picture, with the head that is shown.
export function cellOf(page, { panel, i, j }) {
  const [row, column] = turn(panel, meant(panel, 0, i), meant(panel, 1, j));
  return { name: panel.name, i: row, j: column, head: page.head ?? null };
}

// Where a cell stands in a picture of its matrix.
export function placeIn(panel, cell) {
  const wanted = turn(panel, cell.i, cell.j);
  const [i, j] = wanted.map((at, axis) => shown(panel, axis, at));
  const isThere = wanted.every((at, axis) => at < panel.size[axis]);
  const folded = panel.axes.find((_, axis) => [i, j][axis] < 0);
  return { i, j, at: i * panel.columns + j, isThere, folded };
}

// How many rows and columns a matrix has, be it turned or not.
export const sizeOf = (panel) => turn(panel, ...panel.size);

export const isGap = (panel, at) =>
  panel.places[0]?.[Math.floor(at / panel.columns)] === GAP ||
  panel.places[1]?.[at % panel.columns] === GAP;

// Every cell of a picture, with its left and top edge.
export function eachCell({ rows, columns, rect }, cell, visit) {
  for (let i = 0, at = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++, at++) {
      visit(at, rect.x + j * cell, rect.y + i * cell);
    }
  }
}
