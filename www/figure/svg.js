// One matrix as real text and rectangles, for pictures of figures.
import { colourTable, currentTheme, levelOf } from "../shell/colours.js";
import { areLabelsTurned } from "./extent.js";
import { fitText, plain, textWidth } from "./text.js";
import { PREDICTED } from "./covers.js";
import { titleParts } from "./panels.js";
import { isGap } from "./views.js";

export const SVG = "http://www.w3.org/2000/svg";
const LARGEST_DIGIT = 0.29; // of a cell's side: two decimals with a sign fit
const DECIMALS = 2;

export function node(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const colour = (pixel) =>
  `#${[0, 8, 16].map((shift) => ((pixel >> shift) & 255).toString(16).padStart(2, "0")).join("")}`;

// The text of every cell, and the one size at which all of them fit.
function digitsOf(panel, cell, family) {
  const decimals = panel.isInteger ? 0 : DECIMALS;
  const texts = Array.from(panel.values, (value, at) => {
    if (panel.hidden?.[at]) return panel.glyph;
    return panel.texts?.[at] || plain(value, decimals);
  });
  const widest = Math.max(1, ...texts.map((text) => textWidth(`10px ${family}`, text)));
  return { texts, size: Math.min(LARGEST_DIGIT * cell, (10 * (cell - 5)) / widest) };
}

function cellsOf(panel, covered, cell, family) {
  const theme = currentTheme();
  const table = colourTable(panel.role, panel.kind);
  const { texts, size } = digitsOf(panel, cell, family);
  const group = node("g", { "font-size": size, "text-anchor": "middle" });
  texts.forEach((text, at) => {
    const x = panel.rect.x + (at % panel.columns) * cell;
    const y = panel.rect.y + Math.floor(at / panel.columns) * cell;
    const level = levelOf(panel.values[at], panel.low, panel.high);
    const isHidden = panel.hidden?.[at];
    let fill = isHidden ? "url(#hidden)" : colour(table.fills[level]);
    let ink = isHidden ? theme.label : table.inks[table.isLight[level]];
    if (covered?.[at] === PREDICTED) [fill, ink, text] = [theme.panel, theme.faint, "?"];
    else if (covered?.[at]) [fill, text] = [theme.page, ""];
    else if (isGap(panel, at)) [fill, ink, text] = [theme.page, theme.faint, "⋯"];
    const edges = { x, y, width: cell, height: cell, fill, stroke: theme.page };
    const middle = { x: x + cell / 2, y: y + cell / 2, dy: "0.35em", fill: ink };
    group.append(node("rect", edges), node("text", middle, text));
  });
  return group;
}

function titleOf(panel, lift, size) {
  const theme = currentTheme();
  const parts = titleParts(panel);
  if (panel.columns > 1) parts.push(["small", ` ${panel.size.join("×")}`]);
  const small = { "font-size": size * 0.7, "font-weight": "normal" };
  const shifts = { sub: size * 0.25, sup: -size * 0.35 };
  const title = node("text", {
    x: panel.rect.x,
    y: panel.rect.y - lift,
    fill: theme.variable(`--text-${panel.role}`),
    "font-size": size,
    "font-weight": "bold",
  });
  // Shifts add up, so each part takes back the shift of the one before.
  let shift = 0;
  for (const [tag, text] of parts) {
    if (!text) continue;
    const own = shifts[tag] ?? 0;
    const part = node("tspan", { dy: own - shift, ...(tag === "b" ? {} : small) }, text);
    if (tag === "small") part.setAttribute("fill", theme.label);
    title.append(part);
    shift = own;
  }
  return title;
}

function labelsOf(panel, { cell, zoom }, isTurned) {
  const { labelFont, label: ink } = currentTheme();
  const size = parseFloat(labelFont);
  const group = node("g", { "font-size": size, fill: ink });
  const { x, y } = panel.rect;
  const write = (label, room, place) =>
    group.append(node("text", place, fitText(labelFont, label, room)));
  panel.rowLabels.forEach((text, i) => {
    const place = { x: x - 6, y: y + (i + 0.5) * cell, dy: "0.35em", "text-anchor": "end" };
    write(text, panel.rowLabelWidth, place);
  });
  panel.columnLabels.forEach((text, j) => {
    const [left, top] = [x + (j + 0.5) * cell, y - (isTurned ? 5 : 9 * zoom)];
    const turned = { transform: `translate(${left} ${top}) rotate(-90)`, dy: "0.35em" };
    const lying = { x: left, y: top, dy: "0.35em", "text-anchor": "middle" };
    write(text, panel.labelWidth, isTurned ? turned : lying);
  });
  return group;
}

export function matrixOf(panel, covered, geometry, family) {
  const { cell, zoom } = geometry;
  const { line } = currentTheme();
  const isTurned = areLabelsTurned(panel, cell);
  const raised = isTurned ? panel.labelWidth + 6 : 17 * zoom;
  const frame = node("rect", { ...panel.rect, fill: "none", stroke: line });
  return node(
    "g",
    {},
    titleOf(panel, (panel.columnLabels.length ? raised : 0) + 5, 13 * zoom),
    cellsOf(panel, covered, cell, family),
    frame,
    labelsOf(panel, geometry, isTurned)
  );
}
