// A plot on the page: its picture, and for screen readers the table of its numbers.
import { node, SVG } from "./svg.js";
import { plotOf } from "./plot.js";
import { readSeries, rowsOf, toldOf } from "./rows.js";

// Take in what the server has told; null where the figure shows matrices.
export const readPlot = (frame, numbers) =>
  frame?.plot ? { plot: frame.plot, series: readSeries(frame, numbers) } : null;

// It fills its column, which learns from it how wide it would like to be.
export function preparePlot({ element, curves }) {
  element.classList.add("is-plot");
  element.style.setProperty("--plot-width", `${curves.plot.width}px`);
}

export function measurePlot(view, zoom) {
  const width = view.element.clientWidth;
  view.geometry = { width, height: view.curves.plot.height * zoom, zoom };
}

export function drawPlot(view) {
  const { width, height } = view.geometry;
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const picture = node("svg", { xmlns: SVG, ...size, "aria-hidden": "true" });
  picture.append(plotOf(view.curves, view.geometry, { hasTips: true }));
  view.plot.replaceChildren(picture);
}

function cell(tag, content, scope) {
  const made = document.createElement(tag);
  made.textContent = content;
  if (scope) made.scope = scope;
  return made;
}

function line(...cells) {
  const made = document.createElement("tr");
  made.append(...cells);
  return made;
}

// Written when values rest.
export function describePlot(view) {
  const { plot, series } = view.curves;
  if (!view.values) {
    view.values = view.element.appendChild(document.createElement("table"));
    view.values.className = "visually-hidden";
  }
  const told = toldOf(series);
  const heads = told.map(({ name }) => cell("th", name, "col"));
  const rows = rowsOf(plot, told).map(({ head, cells }) =>
    line(cell("th", head, "row"), ...cells.map((number) => cell("td", number)))
  );
  view.values.replaceChildren(line(cell("th", plot.x.title, "col"), ...heads), ...rows);
  view.element.attnviz = {
    name: view.element.dataset.graph,
    series: series.map(({ name, x, y }) => ({ name, x: Array.from(x), y: Array.from(y) })),
  };
}
