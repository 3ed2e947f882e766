// Give the figures of a page the room that the window leaves them.
import { currentTheme } from "../shell/colours.js";
import { isProjected } from "../shell/projector.js";
import { place } from "./geometry.js";
import { placeElements } from "./panels.js";
import { measurePlot } from "./plotted.js";
import { beginAtScores, placeRail } from "./rail.js";
import { sampleWidth } from "./text.js";
import { viewsIn } from "./views.js";

const SPACING = 28; // px between figures, as in figures.css
const LEAST_HEIGHT = 240; // px that figures take in the lowest window

const placeOf = ({ geometry, panels }) =>
  geometry && JSON.stringify([geometry, panels.map((panel) => panel.rect)]);

// Lay the page out; give the figures that have moved.
export function refit(page) {
  const places = new Map(viewsIn(page).map((view) => [view, placeOf(view)]));
  return new Set(layOut(page).filter((view) => places.get(view) !== placeOf(view)));
}

// Matrices of the same shapes and labels stand where those before them stood.
export function takePlaces(view, before) {
  const outline = ({ name, track, band, rows, columns, columnLabels, ownRowLabels }) =>
    JSON.stringify([name, track, band, rows, columns, columnLabels, ownRowLabels]);
  const isSame = (panel, k) => before[k].rect && outline(panel) === outline(before[k]);
  if (view.panels.length !== before.length || !view.panels.every(isSame)) return false;
  view.panels.forEach((panel, k) => {
    const { rect, labelWidth, rowLabels, rowLabelWidth } = before[k];
    Object.assign(panel, { rect, labelWidth, rowLabels, rowLabelWidth });
  });
  placeElements(view);
  return true;
}

// Plots take the width that is left to them, once the matrices have theirs.
function layOut(page) {
  const matrices = layOutMatrices(page);
  const plots = viewsIn(page).filter((view) => view.isPlaced && view.curves);
  for (const view of plots) measurePlot(view, currentTheme().zoom);
  return [...matrices, ...plots];
}

// Everything is read before anything is written, or each write would make the browser
// lay out the page for the next read.
function layOutMatrices(page) {
  sampleWidth(); // measured now, as all the rest
  for (const view of viewsIn(page)) {
    view.isPlaced = Boolean(view.frame && view.element.offsetParent);
  }
  const rowsOf = (selector) =>
    [...page.querySelectorAll(selector)]
      .map((row) => ({
        views: viewsIn(row).filter((view) => view.isPlaced && !view.curves),
        isHeart: row.classList.contains("is-heart"),
        // Beside controls a row has less room than the page.
        width: row.closest(".with-controls") ? row.clientWidth : Infinity,
      }))
      .filter(({ views }) => views.length);
  // What is added below the stages takes their size, and does not change it.
  const rows = rowsOf(".figure-row:not(.is-extra)");
  const extras = rowsOf(".figure-row.is-extra").flatMap(({ views }) => views);
  const shown = [...rows.flatMap(({ views }) => views), ...extras];
  if (!shown.length) return shown;
  const room = roomIn(page);
  const isBeside = place(rows, extras, room);
  page.querySelector(".is-heart")?.classList.toggle("is-beside", isBeside);
  for (const view of shown) setSize(view);
  for (const row of page.querySelectorAll(".figure-row")) markWide(row, room.width);
  return shown;
}

function roomIn(page) {
  const first = [...page.querySelectorAll(".figure-row")].find((row) => row.offsetParent);
  const scrolled = page.closest(".main")?.scrollTop || 0;
  const top = first.getBoundingClientRect().top + scrolled + window.scrollY;
  const foot = footOf(page.querySelector(".inspector"));
  const windowHeight = document.documentElement.clientHeight;
  return {
    width: page.clientWidth,
    height: Math.max(LEAST_HEIGHT, windowHeight - Math.min(top, windowHeight / 2) - foot - 8),
    windowHeight,
    spacing: SPACING,
    isProjected: isProjected(),
    isPresenting: isProjected() && page.classList.contains("is-stepping"),
  };
}

// Unfolded, the inspector covers figures, which keep their sizes.
function footOf(inspector) {
  if (!inspector) return 0;
  if (!inspector.classList.contains("is-unfolded")) inspector.folded = inspector.offsetHeight;
  return inspector.folded ?? 0;
}

function setSize(view) {
  const { width, height } = view.geometry;
  const size = `${width} ${height}`;
  if (view.size !== size) {
    view.size = size;
    view.element.style.width = `${width}px`;
    view.element.style.height = `${height}px`;
  }
  placeElements(view);
}

// A figure that even the smallest cells do not fit to the page scrolls in its row.
function markWide(row, width) {
  const views = viewsIn(row).filter((view) => view.isPlaced && !view.curves);
  const isWide = views.some((view) => view.geometry.width > width);
  if (row.classList.contains("is-wide") !== isWide) row.classList.toggle("is-wide", isWide);
  for (const view of views) placeRail(view, isWide);
  if (isWide) beginAtScores(row, views);
}
