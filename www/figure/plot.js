// One plot as real lines and text: on the page, and in pictures that are taken along.
import { currentTheme } from "../shell/colours.js";
import { placer, ticksOf } from "./axes.js";
import { rowsOf } from "./rows.js";
import { drawSeries, HALO, inkOf, text } from "./series.js";
import { node } from "./svg.js";
import { textWidth } from "./text.js";

const LINE = 15; // px of a line of small text
const FAR = 64; // px between two numbers along the lower axis
const LEAST_LEFT = 18; // px before the first number, which reaches half before its place
const APART = 4; // px between two numbers
const POINT = 5; // px that what stands at an end may reach beyond it
const HIGH = 34; // px between two numbers along the left one

// Where everything stands: the room of the numbers within that of the plot.
function fieldOf(plot, series, { width, height, zoom }) {
  const { labelFont } = currentTheme();
  const line = LINE * zoom;
  const top = (plot.y.title ? line : 0) + 0.6 * line;
  const bottom = height - line * (plot.x.title ? 2.2 : 1.3);
  const up = ticksOf(plot.y, Math.floor((bottom - top) / (HIGH * zoom)));
  const widest = (texts, font = labelFont) =>
    Math.max(0, ...texts.map((each) => textWidth(font, each)));
  const left = Math.max(LEAST_LEFT, widest(up.map((tick) => tick.text)) + 7);
  const labels = series.map(({ label }) => label).filter(Boolean);
  const right = width - (labels.length ? widest(labels, `bold ${labelFont}`) + 10 : 8);
  const across = ticksOf(plot.x, Math.floor((right - left) / (FAR * zoom)));
  const [px, py] = [placer(plot.x, left, right), placer(plot.y, bottom, top)];
  return { top, bottom, left, right, up, across, px, py, line, width };
}

// How many ticks to go on so that none of equally wide steps leaves out another number.
function strideOf(across, px) {
  if (across.length < 2) return 1;
  const { labelFont } = currentTheme();
  const widest = Math.max(...across.map(({ text: told }) => textWidth(labelFont, told)));
  const [first, last] = [across[0], across.at(-1)].map(({ value }) => px(value));
  const step = (last - first) / (across.length - 1);
  return Math.max(1, Math.ceil((widest + APART) / step));
}

// Numbers along the lower axis, as long as each finds room.
function drawAcross(group, { across, px, bottom, line, left, right, width }, title) {
  const { labelFont, label, line: hairline } = currentTheme();
  const size = parseFloat(labelFont);
  group.append(node("path", { d: `M${left} ${bottom}H${right}`, stroke: label, fill: "none" }));
  let end = -Infinity;
  const every = strideOf(across, px);
  for (const [k, { value, text: told }] of across.entries()) {
    const x = px(value);
    const half = textWidth(labelFont, told) / 2;
    group.append(node("path", { d: `M${x} ${bottom}v3`, stroke: hairline }));
    if (k % every || x - half < Math.max(0, end + APART) || x + half > width) continue;
    end = x + half;
    const place = { x, y: bottom + line, "text-anchor": "middle" };
    group.append(text(place, told, { fill: label, "font-size": size }));
  }
  if (!title) return;
  const place = { x: (left + right) / 2, y: bottom + 2 * line, "text-anchor": "middle" };
  group.append(text(place, title, { fill: label, "font-size": size }));
}

function drawUp(group, { up, py, left, right, line }, title) {
  const { labelFont, label, line: hairline } = currentTheme();
  const size = parseFloat(labelFont);
  for (const { value, text: told } of up) {
    const y = py(value);
    const place = { x: left - 5, y, dy: "0.35em", "text-anchor": "end" };
    group.append(node("path", { d: `M${left} ${y}H${right}`, stroke: hairline }));
    group.append(text(place, told, { fill: label, "font-size": size }));
  }
  if (title) group.append(text({ x: 0, y: line * 0.8 }, title, { fill: label, "font-size": size }));
}

// The names of lines at their ends, moved apart where they would cover each other.
function drawLabels(series, { px, py, top, bottom, line }) {
  const { labelFont } = currentTheme();
  const group = node("g", { "font-size": parseFloat(labelFont), "font-weight": "bold" });
  const ends = series
    .filter(({ label, y }) => label && y.length)
    .map(({ label, role, x, y }) => ({ label, role, x: px(x.at(-1)), y: py(y.at(-1)) }))
    .filter(({ y }) => Number.isFinite(y))
    .sort((one, other) => one.y - other.y);
  ends.forEach((end, k) => {
    end.y = Math.max(end.y, top, k ? ends[k - 1].y + 0.9 * line : top);
  });
  ends.toReversed().forEach((end, k, all) => {
    end.y = Math.min(end.y, k ? all[k - 1].y - 0.9 * line : bottom);
  });
  for (const { label, role, x, y } of ends) {
    group.append(text({ x: x + 6, y, dy: "0.35em" }, label, { fill: inkOf(role) }));
  }
  return group;
}

function drawReference({ at, axis, label: told }, field) {
  const { label, page, labelFont } = currentTheme();
  const { px, py, top, bottom, left, right } = field;
  const [x, y] = [px(at), py(at)];
  const d = axis === "x" ? `M${x} ${bottom}V${top}` : `M${left} ${y}H${right}`;
  const line = { stroke: label, "stroke-dasharray": "2 3", fill: "none" };
  const group = node("g", {}, node("path", { d, ...line }));
  if (told) {
    const isLate = x + textWidth(labelFont, told) + 8 > right;
    const standing = { x: x + (isLate ? -4 : 4), y: top, "text-anchor": isLate ? "end" : "start" };
    const place = axis === "x" ? standing : { x: right, y: y - 4, "text-anchor": "end" };
    const look = { fill: label, "font-size": parseFloat(labelFont), stroke: page, ...HALO };
    group.append(text(place, told, look));
  }
  return group;
}

// What the pointer is told at each place: the numbers of all series that stand there.
function drawTips(rows, field) {
  const places = rows.map(({ x }) => field.px(x));
  const group = node("g", { fill: "transparent", class: "plot-tips" });
  const { left, right, top, bottom } = field;
  rows.forEach(({ tip }, k) => {
    const start = k ? (places[k - 1] + places[k]) / 2 : left;
    const end = k < rows.length - 1 ? (places[k] + places[k + 1]) / 2 : right;
    const place = { x: start, y: top, width: Math.max(0, end - start), height: bottom - top };
    group.append(node("rect", place, node("title", {}, tip)));
  });
  return group;
}

// What shows nothing beyond the axes but half a point.
function clipOf({ left, right }, { height }) {
  const [x, width] = [left - POINT, right - left + 2 * POINT];
  return node("svg", { x, y: 0, width, height, viewBox: `${x} 0 ${width} ${height}` });
}

// A plot in a room of this size, as one group.
export function plotOf({ plot, series }, size, { hasTips = false } = {}) {
  const field = fieldOf(plot, series, size);
  const group = node("g", {});
  drawUp(group, field, plot.y.title);
  drawAcross(group, field, plot.x.title);
  const [behind, before] = [true, false].map((pale) =>
    series.filter((one) => Boolean(one.is_pale) === pale)
  );
  const ground = clipOf(field, size);
  for (const one of behind) ground.append(drawSeries(one, field));
  group.append(ground);
  for (const one of plot.references) group.append(drawReference(one, field));
  const inside = clipOf(field, size);
  for (const one of before) inside.append(drawSeries(one, field));
  group.append(inside);
  group.append(drawLabels(series, field));
  if (hasTips) group.append(drawTips(rowsOf(plot, series), field));
  return group;
}
