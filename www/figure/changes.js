// By how much the numbers of a matrix differ from those that were remembered.
import { colourTable, currentTheme, levelOf } from "../shell/colours.js";
import { MINUS } from "./text.js";
import { eachCell } from "./views.js";

const LEAST = 8.5; // px of the smallest change that is written out
const SAME = 1e-9; // differences below are rounding
const ROOMY = 30; // px of the smallest cell that has room for its change in writing

// A change for every number; null where nothing can be compared.
export function changesOf(view, panel) {
  const before = view.ghost?.get(panel.name);
  if (!before || before.length !== panel.values.length) return null;
  return panel.values.map((value, at) => (panel.hidden?.[at] ? 0 : value - before[at]));
}

// By how much a number makes room for its change.
export const liftOf = (change, cell) =>
  cell >= ROOMY && Math.abs(change) > SAME ? cell * 0.14 : 0;

export function drawChanges(pen, view, panel, changes, covered) {
  const { cell } = view.geometry;
  const { label, digits } = currentTheme();
  const table = colourTable(panel.role, panel.kind);
  pen.font = `${Math.max(LEAST, cell * 0.24)}px ${digits}`;
  eachCell(panel, cell, (at, left, top) => {
    if (covered?.[at] || Math.abs(changes[at]) <= SAME) return;
    const isLight = table.isLight[levelOf(panel.values[at], panel.low, panel.high)];
    pen.fillStyle = isLight ? table.inks[1] : label;
    if (cell < ROOMY) {
      drawDirection(pen, left, top, cell, changes[at] > 0);
      return;
    }
    const sign = changes[at] > 0 ? "+" : MINUS;
    const text = sign + Math.abs(changes[at]).toFixed(2);
    pen.fillText(text, left + cell / 2, top + cell * 0.78);
  });
}

// Where a change does not fit in writing, a corner says whether a number rose or fell.
function drawDirection(pen, left, top, cell, rose) {
  const size = Math.max(3, cell * 0.22);
  const base = top + (rose ? size + 2 : 2);
  pen.beginPath();
  pen.moveTo(left + cell - size - 2, base);
  pen.lineTo(left + cell - 2, base);
  pen.lineTo(left + cell - 2 - size / 2, base + (rose ? -size : size));
  pen.fill();
}
