// From what the server has told of a figure to its matrices, and each matrix as an
// element of its own: for tests, for screen readers, for focus.
import { currentTheme } from "../shell/colours.js";
import { areLabelsTurned } from "./extent.js";
import { pick, shownPlaces } from "./folding.js";
import { decode } from "./compact.js";
import { textWidth } from "./text.js";
import { sizeOf } from "./views.js";

const APART = 4; // px between a title and the next matrix
const BEHIND = 20; // px behind the last matrix into which its title may run
const SMALL = 0.7; // size of what is lowered or raised, as in figures.css
const SMALLEST = 0.65; // share of its size at which the name of a matrix can be read

const all = (count) => [...Array(count).keys()];

// The numbers of a matrix row by row, however its picture is turned.
function nested({ size: [rows, columns], whole, hidden, isTurned }) {
  const cell = (at) => (hidden && hidden[at] ? null : whole[at]);
  if (isTurned) return all(columns).map((j) => all(rows).map((i) => cell(i * columns + j)));
  return all(rows).map((i) => all(columns).map((j) => cell(i * columns + j)));
}

function readPanel(told, { axes, is_folded: isFolded }, numbers, page) {
  const { z, zmin, zmax } = numbers[told.key];
  const layer = told.hidden && numbers[told.hidden].z;
  const size = z.shape.split(",").map(Number);
  const [ofRows, ofColumns] = [axes[told.rows], axes[told.columns]];
  const whole = decode(z);
  const places = [told.rows, told.columns].map((axis, at) =>
    isFolded ? shownPlaces(page, axis, size[at]) : null
  );
  const [rowPlaces, columnPlaces] = places.map((found, at) => found ?? all(size[at]));
  const isWhole = !places.some(Boolean);
  return {
    name: told.name,
    rows: rowPlaces.length,
    columns: columnPlaces.length,
    size,
    places,
    whole,
    values: isWhole ? whole : pick(whole, size[1], rowPlaces, columnPlaces),
    hidden: layer && decode(layer),
    low: zmin,
    high: zmax,
    role: told.role,
    kind: told.kind ?? "signed",
    glyph: told.glyph ?? "",
    symbol: told.symbol,
    entry: told.entry || told.symbol[0],
    texts: told.texts,
    marked: told.marked ?? [],
    isCopy: Boolean(told.is_copy),
    isTurned: Boolean(told.is_turned),
    isInteger: Boolean(told.is_whole),
    isNarrow: Boolean(told.is_narrow),
    isOptional: Boolean(told.is_optional),
    track: told.track ?? 0,
    band: told.band ?? 0,
    axes: [told.rows, told.columns],
    // What the places along an axis hold of another one, in an order of their own.
    holds: [ofRows, ofColumns].map(({ of, order }) => (of ? { of, order } : null)),
    names: [ofRows.names, ofColumns.names],
    ownRowLabels: told.shows_rows ? ofRows.names : [],
    columnLabels: told.shows_columns ? ofColumns.names : [],
    rowPadding: ofRows.padding,
    columnPadding: ofColumns.padding,
    packed: { z: isWhole ? z : null, layer },
  };
}

export const readPanels = (frame, numbers, page) =>
  frame.panels.map((told) => readPanel(told, frame, numbers, page));

function makeElement(view, name) {
  const element = document.createElement("div");
  element.className = "matrix";
  element.tabIndex = 0;
  element.setAttribute("role", "img");
  const title = element.appendChild(document.createElement("span"));
  title.className = "matrix-title";
  view.element.append(element);
  view.elements.set(name, element);
  return element;
}

// Equal values are not written again: each write makes the browser look at the page.
function setStyle(element, place) {
  if (element.placed === place) return;
  element.placed = place;
  element.style.cssText = place;
}

// How far the title of a matrix may run without reaching the next one.
function titleRoom(panel, panels, zoom) {
  const { x, width } = panel.rect;
  const edges = panels
    .filter((other) => other.band === panel.band && other.rect.x > x)
    .map((other) => other.rect.x - APART * zoom);
  return Math.min(x + width + BEHIND * zoom, ...edges) - x;
}

// The parts of a title as [tag, text].
export const titleParts = ({ symbol: [base, sub, sup] }) => [
  ["b", base],
  ["sub", sub],
  ["sup", sup],
];

function nameWidth(parts) {
  const { titleFont } = currentTheme();
  const widths = parts.map(([tag, text]) => textWidth(titleFont, text) * (tag === "b" ? 1 : SMALL));
  return widths.reduce((total, width) => total + width, 0);
}

function writeTitle(title, panel, panels, shape, { cell, zoom }) {
  const labels = areLabelsTurned(panel, cell) ? panel.labelWidth + 6 : 17 * zoom;
  const raised = panel.columnLabels.length ? labels : 0;
  const parts = titleParts(panel);
  const room = titleRoom(panel, panels, zoom);
  const width = nameWidth(parts);
  const share = room / width;
  // Above a narrow column a longer name stands upright.
  const isUpright = share < (panel.columns === 1 ? 1 : SMALLEST);
  const isSmaller = share < 1 && !isUpright;
  const size = isSmaller ? `;font-size:calc(var(--text-2) * ${share.toFixed(2)})` : "";
  setStyle(title, `bottom:calc(100% + ${raised + 2}px)${size}`);
  // A statistic needs no shape; above a small matrix there may be no room for it.
  const { labelFont } = currentTheme();
  const whole = width + 6 * zoom + 1.05 * textWidth(labelFont, shape);
  if (panel.columns > 1 && whole <= room) parts.push(["small", shape]);
  const key = `${parts.join(" ")} ${panel.role} ${isUpright}`;
  if (title.dataset.key === key) return;
  title.dataset.key = key;
  title.className = `matrix-title role-${panel.role}${isUpright ? " is-upright" : ""}`;
  title.replaceChildren(
    ...parts
      .filter(([, text]) => text)
      .map(([tag, text]) => {
        const part = document.createElement(tag);
        part.textContent = text;
        return part;
      })
  );
}

function fillElement(element, panel, { panels, geometry }) {
  const shape = panel.size.join("×");
  const { x, y, width, height } = panel.rect;
  setStyle(element, `left:${x}px;top:${y}px;width:${width}px;height:${height}px`);
  const [key, other] = panel.isCopy ? ["copyOf", "figure"] : ["figure", "copyOf"];
  element.dataset[key] = panel.name;
  delete element.dataset[other];
  element.dataset.shape = sizeOf(panel).join("×");
  element.attnviz = {
    name: panel.name,
    get z() {
      return nested(panel);
    },
    selected: element.attnviz ? element.attnviz.selected : null,
  };
  writeTitle(element.firstChild, panel, panels, shape, geometry);
}

export function placeElements(view) {
  const names = new Set(view.panels.map((panel) => panel.name));
  for (const [name, element] of view.elements) {
    if (names.has(name)) continue;
    element.remove();
    view.elements.delete(name);
  }
  for (const panel of view.panels) {
    const element = view.elements.get(panel.name) || makeElement(view, panel.name);
    fillElement(element, panel, view);
  }
}
