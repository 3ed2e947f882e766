// Marks over the figures: the selected cell, those changed by hand, and the row and the
// column a cell belongs to, in every figure where they appear. The words for screen readers follow them.
import { areLabelsTurned } from "../figure/extent.js";
import { panelNamed, placeIn, viewsIn } from "../figure/views.js";
import { on } from "../shell/events.js";
import { describe } from "./descriptions.js";
import { selectedCell } from "./selection.js";

const hovered = new WeakMap(); // page -> what the pointer is over

// What a cell lights elsewhere: its row's and its column's index, by what they mean.
const lights = (panel, cell) => ({ [panel.axes[0]]: cell.i, [panel.axes[1]]: cell.j });

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
    const i = lit[panel.axes[0]];
    const j = lit[panel.axes[1]];
    const hasRow = i < panel.rows;
    const hasColumn = j < panel.columns;
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
  let lit = {};
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
  const row = own && lights(own, placeIn(own, selected))[panel.axes[0]];
  return row < panel.rows ? row : null;
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
