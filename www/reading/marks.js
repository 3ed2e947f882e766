// Marks over the figures: the selected cell, those changed by hand, and the row and the
// column a cell belongs to, in every figure where they appear. The words for screen
// readers follow them.
import { areLabelsTurned } from "../figure/extent.js";
import { meant, panelNamed, placeIn, shown, viewsIn } from "../figure/views.js";
import { on } from "../shell/events.js";
import { describe } from "./descriptions.js";
import { selectedCell } from "./selection.js";

const hovered = new WeakMap(); // page -> what the pointer is over

// What a place of a picture lights: itself and, everywhere, its row's and its column's
// index, by what they mean. Where a figure folds features, another may show them all.
const lights = (panel, { i, j }) => ({
  panel,
  places: [i, j],
  indices: Object.fromEntries([i, j].map((at, axis) => held(panel, axis, meant(panel, axis, at)))),
});

// A token lights wherever it stands: what is at a place counts, and not the place.
const held = ({ axes, holds }, axis, at) =>
  holds[axis] ? [holds[axis].of, holds[axis].order[at]] : [axes[axis], at];
const placeOf = ({ axes, holds }, axis, indices) => {
  const index = indices[holds[axis]?.of ?? axes[axis]];
  return index === undefined ? -1 : (holds[axis]?.order.indexOf(index) ?? index);
};

// Where what is lit stands along the sides of a picture; null where it does not.
function litPlaces(panel, lit) {
  // Both sides of a square matrix may mean the same.
  if (panel === lit?.panel) return lit.places;
  return [panel.rows, panel.columns].map((count, axis) => {
    const index = lit ? placeOf(panel, axis, lit.indices) : -1;
    const at = index < 0 ? -1 : shown(panel, axis, index);
    return at >= 0 && at < count ? at : null;
  });
}

// Where a picture shows numbers that were changed by hand.
const editedIn = (panel, page) =>
  page.edited
    .filter(([name]) => name === panel.name)
    .map(([, row, column]) => placeIn(panel, { i: row, j: column }))
    .filter(({ isThere, folded }) => isThere && !folded);

// The frames of a figure, as [kind, place].
function marksOf(view, lit, selected) {
  const marks = [];
  const mark = (kind, x, y, width, height) =>
    marks.push([kind, `left:${x}px;top:${y}px;width:${width}px;height:${height}px`]);
  const { cell, zoom } = view.geometry;
  for (const panel of view.panels) {
    const { x, y, width, height } = panel.rect;
    const [i, j] = litPlaces(panel, lit);
    const [hasRow, hasColumn] = [i !== null, j !== null];
    if (hasRow && hasColumn) mark("cell", x + j * cell, y + i * cell, cell, cell);
    else if (hasRow) mark("line", x, y + i * cell, width, cell);
    else if (hasColumn) mark("line", x + j * cell, y, cell, height);
    if (hasRow && panel.rowLabels.length) {
      const room = panel.rowLabelWidth + 8;
      mark("label", x - room - 2, y + i * cell, room, cell);
    }
    if (hasColumn && panel.columnLabels.length) {
      const room = areLabelsTurned(panel, cell) ? panel.labelWidth + 8 : 17 * zoom;
      mark("label", x + j * cell, y - room - 2, cell, room);
    }
    if (!panel.isCopy && selected && selected.name === panel.name) {
      const place = placeIn(panel, selected);
      mark("selected", x + place.j * cell, y + place.i * cell, cell, cell);
    }
    for (const place of editedIn(panel, view.page)) {
      mark("edited", x + place.j * cell, y + place.i * cell, cell, cell);
    }
  }
  return marks;
}

// Equal marks stay: each write makes the browser look at the page.
function drawMarks(view, lit, selected) {
  if (!view.marks) {
    view.marks = view.element.appendChild(document.createElement("div"));
    view.marks.className = "figure-marks";
  }
  const marks = marksOf(view, lit, selected);
  const key = marks.join(" ");
  if (view.marks.key === key) return;
  view.marks.key = key;
  view.marks.replaceChildren(
    ...marks.map(([kind, place]) => {
      const element = document.createElement("div");
      element.className = `lit lit-${kind}`;
      element.style.cssText = place;
      return element;
    })
  );
}

function drawAllMarks(page) {
  const selected = selectedCell(page);
  const panel = selected && panelNamed(page, selected.name);
  const place = panel && placeIn(panel, selected);
  const chosen = place?.isThere && selected;
  const hover = hovered.get(page);
  let lit = null;
  if (hover) lit = lights(hover.panel, hover);
  else if (chosen) lit = lights(panel, place);
  // A figure out of sight may hold new numbers that have no place yet.
  const placed = viewsIn(page).filter((view) => view.panels[0]?.rect);
  for (const view of placed) drawMarks(view, lit, chosen);
}

export const litCell = (page) => hovered.get(page) ?? null;

// Light what the pointer is over, or the selected cell again.
export function light(page, cell) {
  hovered.set(page, cell);
  drawAllMarks(page);
}

// The row of a matrix that the selected cell belongs to, if there is one.
function chosenRow(page, panel) {
  const selected = selectedCell(page);
  const own = selected && panelNamed(page, selected.name);
  return own ? litPlaces(panel, lights(own, placeIn(own, selected)))[0] : null;
}

function markElement(view, panel, selected, row) {
  const element = view.elements.get(panel.name);
  if (!element) return;
  const isChosen = selected?.name === panel.name;
  element.attnviz.selected = isChosen ? [selected.i, selected.j] : null;
  const label = describe(view, panel, row);
  if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
}

function refreshMarks({ page }) {
  light(page, null);
  const selected = selectedCell(page);
  for (const view of viewsIn(page)) {
    for (const panel of view.panels) {
      markElement(view, panel, selected, chosenRow(page, panel));
    }
  }
}

on("drawn", refreshMarks);
on("selected", refreshMarks);
