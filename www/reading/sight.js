// What a reader is led to comes into sight: in a low window it may stand below, or behind
// the inspector.
import { unfoldAxis } from "../figure/figures.js";
import { panelNamed, placeIn, viewOf, viewsIn } from "../figure/views.js";
import { addressed } from "../session/address.js";
import { on } from "../shell/events.js";

const BESIDE = 6; // px between the inspector and what stands above it

export function bringIntoView(page, element, options) {
  const foot = page.querySelector(".inspector")?.offsetHeight || 0;
  element.style.scrollMarginBottom = `${foot + BESIDE}px`;
  element.scrollIntoView({ block: "nearest", ...options });
}

// A sentence that says what is wrong does not stay behind the inspector.
$(document).on("shiny:value", ({ target, value }) => {
  const problem = value && target.closest(".problem");
  if (problem) setTimeout(() => problem.scrollIntoView({ block: "nearest" }), 0);
});

// A link to a cell opens where that is seen.
const opened = new WeakSet(); // pages that have had their first numbers
on("presented", ({ page }) => {
  if (opened.has(page)) return;
  opened.add(page);
  const cell = addressed(page, "cell") && page.querySelector(".lit-selected");
  if (cell) bringIntoView(page, cell);
});

// What is chosen comes out of the fold.
on("selected", ({ page, cell }) => {
  const panel = cell && panelNamed(page, cell.name);
  const place = panel && placeIn(panel, cell);
  if (place?.isThere && place.folded) unfoldAxis(page, place.folded);
});

// The name of a matrix leads to the figure in which it is computed.
const madeIn = (page, view, name) =>
  viewsIn(page).find(
    (other) => other !== view && other.panels.some((panel) => panel.name === name && panel.isCopy)
  );

on("drawn", ({ page }) => {
  for (const view of viewsIn(page)) {
    for (const { name, isCopy } of view.panels) {
      const title = view.elements.get(name)?.firstChild;
      title?.classList.toggle("leads", !isCopy && Boolean(madeIn(page, view, name)));
    }
  }
});

document.addEventListener("click", ({ target }) => {
  const title = target.closest?.(".matrix-title.leads");
  if (!title) return;
  const view = viewOf(title.closest("[data-graph]"));
  const { name } = title.parentElement.attnviz;
  const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const behavior = isStill ? "auto" : "smooth";
  bringIntoView(view.page, madeIn(view.page, view, name).element, { behavior });
});

// In a row that scrolls the selected cell is kept in sight, so that arrow keys reach every
// column.
on("selected", ({ page, cell }) => {
  for (const row of cell ? page.querySelectorAll(".figure-row.is-wide") : []) {
    const placed = viewsIn(row).filter((view) => view.isPlaced);
    const focused = placed.filter((view) => view.element.contains(document.activeElement));
    const isNamed = (panel) => panel.name === cell.name;
    const view = [...focused, ...placed].find(({ panels }) => panels.some(isNamed));
    if (!view) continue;
    const panel = view.panels.find(isNamed);
    const size = view.geometry.cell;
    const left = view.element.offsetLeft + panel.rect.x + placeIn(panel, cell).j * size;
    const least = left + 2 * size - row.clientWidth;
    row.scrollLeft = Math.max(least, Math.min(row.scrollLeft, left - size));
  }
});
