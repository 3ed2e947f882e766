// The row lens: where the cells of the chain are too small for digits, the inspector shows
// the row of the selected cell in writing, from the score to the weight.
import { digitsThatFit, plain } from "../figure/text.js";
import { allPanels, placeIn, viewsIn } from "../figure/views.js";
import { on } from "../shell/events.js";
import { axisPlace } from "./descriptions.js";
import { element, symbol } from "./derivation.js";
import { selectedCell } from "./selection.js";
import { isCovered } from "./stages.js";

// What stands in the lines, and the statistic that closes each.
const LINES = [
  ["scores", "row_max"],
  ["mask", null],
  ["exp_scores", "row_sum"],
  ["weights", "weight_sum"],
];
const DECIMALS = 2;

// The row of queries that the selected cell stands in; none for what has no queries.
function rowOf(page, panels) {
  const cell = selectedCell(page);
  const panel = cell && panels.get(cell.name);
  const at = panel ? panel.axes.indexOf("query") : -1;
  return at < 0 ? null : [placeIn(panel, cell).i, placeIn(panel, cell).j][at];
}

function numberAt(page, panel, i, j) {
  if (isCovered(page, { name: panel.name, i, j })) return "?";
  const at = i * panel.columns + j;
  const isSign = panel.name === "mask" && panel.hidden?.[at];
  return isSign ? panel.glyph : plain(panel.values[at], panel.isInteger ? 0 : DECIMALS);
}

// A wide chain draws its mask over the scores: the lens tells both.
const maskOf = (scores) =>
  scores.hidden && {
    ...scores,
    name: "mask",
    symbol: ["M", "", ""],
    values: new Uint8Array(scores.values.length),
    isInteger: true,
  };

function lineOf(page, panel, statistic, i) {
  const line = element("tr", `role-${panel.role}`);
  line.append(element("th", "", symbol([...panel.symbol, panel.role], [])));
  for (let j = 0; j < panel.columns; j++)
    line.append(element("td", "", numberAt(page, panel, i, j)));
  const told = statistic && [
    symbol([...statistic.symbol, statistic.role], []),
    " ",
    numberAt(page, statistic, i, 0),
  ];
  line.append(element("td", "lens-statistic", ...(told || [])));
  return line;
}

function headOf(panel, i) {
  const { names, columns } = panel;
  const line = element("tr", "", element("th", "", axisPlace(panel, 0, i)));
  for (let j = 0; j < columns; j++) line.append(element("th", "", names[1][j] || String(j + 1)));
  line.append(element("th", ""));
  return line;
}

// The panel that carries the scores, if its digits have no room.
function tooSmall(page) {
  for (const view of viewsIn(page)) {
    const panel =
      view.isPlaced && view.panels.find(({ name, isCopy }) => name === "scores" && !isCopy);
    if (panel) return digitsThatFit(view.geometry, panel) ? null : panel;
  }
  return null;
}

function showLens({ page }) {
  const lens = page.querySelector(".row-lens");
  if (!lens) return;
  const scores = tooSmall(page);
  const panels = new Map(allPanels(page).map((panel) => [panel.name, panel]));
  const i = scores && rowOf(page, panels);
  const isShown = i !== null && i < scores?.rows;
  lens.hidden = !isShown;
  lens.closest(".inspector").classList.toggle("has-lens", isShown);
  if (!isShown) return;
  const table = element("table", "");
  table.append(headOf(scores, i));
  for (const [name, statistic] of LINES) {
    const panel = panels.get(name) ?? (name === "mask" && maskOf(scores));
    if (panel) table.append(lineOf(page, panel, panels.get(statistic), i));
  }
  lens.replaceChildren(table);
}
on("drawn", showLens);
on("selected", showLens);
