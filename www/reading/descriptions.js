// Words about a matrix and its cells, for the tip and for screen readers.
import { format } from "../figure/text.js";
import { meant, sizeOf } from "../figure/views.js";
import { word } from "../shell/words.js";

const subscript = (text) => text.replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

// The symbol of a cell as the inspector writes it: a column needs no place along its rows,
// and another head than the one on screen is named above.
export function cellName({ name, entry, symbol: [, sub], axes }, cell) {
  const places = [cell.i, cell.j].filter((_, axis) => axes[axis] !== "statistic");
  const index = subscript(places.map((at) => at + 1).join(","));
  const head = /^weights_(\d+)$/.exec(name)?.[1];
  if (head) return `${entry}${head - 1 === cell.head ? "" : `^(${head})`}${index}`;
  return `${entry}${sub && `_${sub}`}${index}`;
}

// What stands in a cell; of a score under the mask, which is drawn there, both.
export function valueText(panel, i, j) {
  const at = i * panel.columns + j;
  const value = format(panel.values[at], 4);
  if (!panel.hidden?.[at]) return value;
  return panel.name === "scores" ? `${value} · M = ${panel.glyph}` : panel.glyph;
}

// "query 2 (cat)": what an index of a row or a column stands for.
export function axisPlace(panel, axis, index) {
  const name = word(`axis.${panel.axes[axis]}`);
  if (!name) return "";
  const at = meant(panel, axis, index);
  const label = panel.names[axis][at];
  return label ? `${name} ${at + 1} (${label})` : `${name} ${at + 1}`;
}

// What a matrix is called, as this example has it: X is X_Q where keys come from elsewhere.
function nameOf({ name, symbol: [, sub] }) {
  const ofExample = word(`matrix.${name}_${sub.toLowerCase()}`);
  return ofExample || word(`matrix.${name}`, { number: sub }) || name;
}

// What a matrix is; of weights also the largest of a row, unless it is covered.
export function describe(view, panel, row) {
  const [rows, columns] = sizeOf(panel);
  const what = word("figure.alt", { name: nameOf(panel), rows, columns });
  if (panel.kind !== "weights" || !panel.values.length) return what;
  const start = (row ?? 0) * panel.columns;
  const end = row === null ? panel.values.length : start + panel.columns;
  let largest = start;
  for (let at = start; at < end; at++) {
    if (panel.values[at] > panel.values[largest]) largest = at;
  }
  if (view.covered?.get(panel.name)?.[largest]) return what;
  const i = Math.floor(largest / panel.columns);
  const j = largest % panel.columns;
  const weight = word(row === null ? "figure.largest" : "figure.largest_of", {
    row: axisPlace(panel, 0, i),
    column: axisPlace(panel, 1, j),
    value: format(panel.values[largest], 3),
  });
  return `${what} ${weight}`;
}
