// The series of a plot as they are drawn: lines, bars and points.
import { currentTheme } from "../shell/colours.js";
import { node } from "./svg.js";
import { textWidth } from "./text.js";

const BAR = 0.8; // of the distance between two bars
const DASHES = "5 4";
const PALE = 0.4; // opacity of bars in the background

export function inkOf(role) {
  const { variable } = currentTheme();
  return variable(role === "ink" || role === "mute" ? `--${role}` : `--role-${role}`);
}

export const text = (place, content, more = {}) => node("text", { ...place, ...more }, content);

// A path through all points, with a gap where there is no number.
function pathOf(xs, ys) {
  let isDown = false;
  let path = "";
  xs.forEach((x, k) => {
    const isThere = Number.isFinite(x) && Number.isFinite(ys[k]);
    if (isThere) path += `${isDown ? "L" : "M"}${x.toFixed(1)} ${ys[k].toFixed(1)}`;
    isDown = isThere;
  });
  return path;
}

function drawBand({ y, spread }, xs, py, ink) {
  const there = xs.map((_, k) => k).filter((k) => Number.isFinite(y[k]));
  const edge = (sign) => there.map((k) => [xs[k], py(y[k] + sign * spread[k])]);
  const around = [...edge(1), ...edge(-1).reverse()].map((place) => place.join(" "));
  return node("path", { d: `M${around.join("L")}Z`, fill: ink, "fill-opacity": 0.18 });
}

function drawWhiskers({ y, spread }, xs, py, ink) {
  const lines = xs.map((x, k) => `M${x} ${py(y[k] - spread[k])}V${py(y[k] + spread[k])}`);
  return node("path", { d: lines.join(""), stroke: ink, fill: "none" });
}

function drawBars({ x, y, is_pale: isPale }, xs, { py }, ink) {
  const distances = xs.slice(1).map((place, k) => Math.abs(place - xs[k]));
  const distance = distances.length ? Math.min(...distances) : 40;
  const wide = isPale ? Math.max(0.5, distance - 1) : BAR * distance;
  const floor = py(0);
  const group = node("g", { fill: ink, "fill-opacity": isPale ? PALE : 1 });
  x.forEach((_, k) => {
    if (!Number.isFinite(y[k])) return;
    const top = py(y[k]);
    const place = { x: xs[k] - wide / 2, y: Math.min(top, floor), width: wide };
    group.append(node("rect", { ...place, height: Math.abs(floor - top) }));
  });
  return group;
}

function drawPoints({ y }, xs, { py }, ink) {
  const { page } = currentTheme();
  const group = node("g", { fill: ink, stroke: page });
  xs.forEach((cx, k) => {
    if (Number.isFinite(y[k])) group.append(node("circle", { cx, cy: py(y[k]), r: 3.2 }));
  });
  return group;
}

export const HALO = { "paint-order": "stroke", "stroke-width": 3, "stroke-linejoin": "round" };

function drawTexts({ y, texts }, xs, { py, line, right }, ink) {
  const { page, labelFont } = currentTheme();
  const group = node("g", { fill: ink, "font-weight": "bold", stroke: page, ...HALO });
  texts.forEach((told, k) => {
    if (!told || !Number.isFinite(y[k])) return;
    const anchor = xs[k] > right - textWidth(labelFont, told) / 2 ? "end" : "middle";
    const above = py(Math.max(0, y[k]) || y[k]) - 0.4 * line;
    const place = { x: xs[k], y: Math.max(0.75 * line, above) };
    group.append(text({ ...place, "text-anchor": anchor }, told));
  });
  return group;
}

export function drawSeries(one, field) {
  const ink = inkOf(one.role);
  const xs = Array.from(one.x, field.px);
  const group = node("g", { "font-size": parseFloat(currentTheme().labelFont) });
  if (one.spread && one.kind === "line") group.append(drawBand(one, xs, field.py, ink));
  if (one.kind === "bars") group.append(drawBars(one, xs, field, ink));
  if (one.kind === "line") {
    const stroke = { stroke: ink, "stroke-width": 1.8, fill: "none", "stroke-linejoin": "round" };
    if (one.is_dashed) stroke["stroke-dasharray"] = DASHES;
    group.append(node("path", { d: pathOf(xs, Array.from(one.y, field.py)), ...stroke }));
  }
  if (one.spread && one.kind !== "line") group.append(drawWhiskers(one, xs, field.py, ink));
  if (one.has_points || one.kind === "points") group.append(drawPoints(one, xs, field, ink));
  group.append(drawTexts(one, xs, field, ink));
  return group;
}
