// Figures are drawn in view first, and the newest values win. While values move the
// canvas layer shows them; at rest Plotly draws them exactly. A plot has one picture.
import { onTheme } from "../shell/colours.js";
import { announce } from "../shell/events.js";
import { drawCells } from "./cells.js";
import { unfold } from "./folding.js";
import { refit, takePlaces } from "./layout.js";
import { placeElements, readPanels } from "./panels.js";
import { describePlot, drawPlot, preparePlot, readPlot } from "./plotted.js";
import { drawExactly, loadPlotly } from "./plots.js";
import { receive, receivedOf } from "./received.js";
import { onFonts } from "./text.js";
import { addView, allViews, shownPage, viewOf, viewsIn } from "./views.js";

const REST = 100; // ms without a change before Plotly draws
const LONG = 10; // rows and columns from which on the caption of a figure is short
const SLICE = 12; // ms of drawing before the page gets a turn
const untested = new Set(); // pages whose figures kept their places without a look
let sequence = 0;
let round = 0; // counts the pictures begun; a newer one ends an older one's settling
let timer = 0;
let isConnected = false; // the server has spoken

// What draws a figure. Who watches drawing, or holds it, puts something else in place.
export const painters = { drawCells, drawExactly };

const isShown = (view) => view.isPlaced && view.page === shownPage();
const isWaiting = (view) => view.isPending && view.isNear && view.frame && view.element.isConnected;

// From now on pictures become exact when values rest.
export function connect() {
  isConnected = true;
}

// ---- drawing ----------------------------------------------------------------------

function drawNow(view) {
  view.isPending = true;
  if (!view.isNear) return;
  view.isMoving = true;
  if (view.curves) drawPlot(view);
  else painters.drawCells(view);
}

function drawAll(page, chosen) {
  announce("drawing", { page, views: chosen });
  chosen.forEach(drawNow);
  announce("drawn", { page });
}

function tellPainted(exact) {
  const drawn = allViews().filter((view) => view.isNear && isShown(view));
  const nameOf = ({ curves, element, elements }) =>
    curves ? [element.dataset.graph] : [...elements.keys()];
  const names = drawn.flatMap(nameOf);
  sequence += 1;
  announce("painted", { names, seq: sequence, exact });
}

function plan(delay) {
  round += 1;
  clearTimeout(timer);
  timer = setTimeout(settle, delay, round);
}

// Draw every figure in view exactly, a slice at a time, unless newer values come.
async function settle(mine) {
  if (untested.has(shownPage())) testPlaces(shownPage());
  // Without Plotly the canvas goes on showing all there is to see.
  const hasPlotly = await loadPlotly().then(
    () => true,
    () => false
  );
  let started = performance.now();
  for (const view of allViews()) {
    if (mine !== round) return;
    if (!isWaiting(view) || !(hasPlotly || view.curves)) continue;
    if (performance.now() - started > SLICE) {
      await new Promise((resume) => setTimeout(resume, 0));
      started = performance.now();
      if (mine !== round) return;
    }
    await finish(view);
  }
  if (mine !== round) return;
  document.documentElement.dataset.attnvizReady = "true";
  tellPainted(true);
}

async function finish(view) {
  if (view.curves) {
    view.isPending = false;
    describePlot(view);
    return;
  }
  await painters.drawExactly(view);
  if (view.isPending) return; // newer values came meanwhile
  view.isMoving = false;
  painters.drawCells(view);
}

// ---- new numbers ------------------------------------------------------------------

function observed(element) {
  if (!viewOf(element)) {
    addView(element);
    nearby.observe(element);
  }
  return viewOf(element);
}

// What stands between two stages is drawn only while these are looked at closely.
function readInto(view, frame, numbers) {
  view.curves = readPlot(frame, numbers);
  view.told = frame && !view.curves ? readPanels(frame, numbers, view.page) : [];
  view.panels = view.told.filter((panel) => !panel.isOptional || view.page.isClose);
  if (view.curves) preparePlot(view);
  const isFlat = view.panels.length > 0 && view.panels.every(({ band }) => band > 0);
  view.element.classList.toggle("is-flat", isFlat);
  const isLong = view.panels.some(({ size }) => size[0] > LONG && size[1] > LONG);
  view.element.classList.toggle("is-long", isLong);
}

// Take news in; what they do not change keeps its picture.
export function showFigures(page, news) {
  const changed = receive(page, news);
  const { frames, numbers } = receivedOf(page);
  const views = [...page.querySelectorAll("[data-graph]")].map(observed);
  let isRecast = false;
  let isMoved = !views.some(isShown);
  for (const view of views) {
    const name = view.element.dataset.graph;
    const frame = frames[name] ?? null;
    view.isNew = changed.has(name);
    // A figure that this example does not have makes room for the others.
    view.element.classList.toggle("is-absent", !frame);
    if (!view.isNew) continue;
    if (Boolean(frame) !== Boolean(view.frame)) isRecast = true;
    const before = view.panels;
    view.frame = frame;
    readInto(view, frame, numbers);
    if (!frame) placeElements(view);
    if (view.isPlaced && !takePlaces(view, before)) isMoved = true;
  }
  if (isRecast) announce("recast", { page });
  if (isRecast || isMoved) {
    redrawPage(page, (view) => view.isNew);
    return;
  }
  // What the words around the figures do to their room is seen to at rest.
  untested.add(page);
  draw(page, (view) => view.isNew);
}

// Read the figures again, of which other parts are shown now.
export function reread(page) {
  const { frames, numbers } = receivedOf(page);
  for (const view of viewsIn(page)) {
    if (!view.frame) continue;
    readInto(view, frames[view.element.dataset.graph], numbers);
  }
  redrawPage(page);
}

export function unfoldAxis(page, axis) {
  unfold(page, axis);
  reread(page);
}

export function redrawPage(page, isChanged = () => true) {
  const moved = fit(page);
  draw(page, (view) => isChanged(view) || moved.has(view));
}

export function redrawAll() {
  for (const page of document.querySelectorAll(".figures-page")) {
    if (page.offsetParent) redrawPage(page);
  }
}

function fit(page) {
  untested.delete(page);
  return refit(page);
}

// The words around the figures may have taken room from them, or given some back.
function testPlaces(page) {
  const moved = fit(page);
  if (moved.size) drawAll(page, [...moved]);
}

function draw(page, isChosen) {
  const views = viewsIn(page);
  const placed = views.filter((view) => view.isPlaced);
  const isBare = views.length > 0 && !views.some((view) => view.frame);
  if (!placed.length && !isBare) return; // nothing has come yet
  drawAll(page, placed.filter(isChosen));
  tellPainted(false);
  if (isConnected) plan(document.documentElement.dataset.attnvizReady ? REST : 0);
}

// ---- what makes figures be drawn again --------------------------------------------

const nearby = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const view = viewOf(target);
      const came = isIntersecting && !view.isNear;
      view.isNear = isIntersecting;
      // New numbers of a page out of sight have no place yet.
      if (!came || !view.isPending || !(view.curves ? view.geometry : view.panels[0]?.rect))
        continue;
      drawNow(view);
      plan(0);
    }
  },
  { rootMargin: "200px" }
);

onTheme(redrawAll);

// The window may have changed while another page was shown.
document.addEventListener("shown.bs.tab", redrawAll);

let lastWidth = 0;
new ResizeObserver(() => {
  const width = document.documentElement.clientWidth;
  if (lastWidth && width !== lastWidth) redrawAll();
  lastWidth = width;
}).observe(document.documentElement);

onFonts((isOther) => {
  if (isOther) redrawAll();
  else if (shownPage()) testPlaces(shownPage());
});
