// What a reader is led to comes into sight: in a low window it may stand below, or behind
// the inspector.
import { unfoldAxis } from "../figure/figures.js";
import { panelNamed, placeIn, viewsIn } from "../figure/views.js";
import { on } from "../shell/events.js";
import { addressed } from "../session/address.js";

export function bringIntoView(page, element, options) {
  element.style.scrollMarginBottom = `${page.querySelector(".inspector")?.offsetHeight || 0}px`;
  element.scrollIntoView({ block: "nearest", ...options });
}

// A sentence that says what is wrong does not stay behind the inspector.
$(document).on("shiny:value", ({ target, value }) => {
  const problem = value && target.closest(".problem");
  if (problem) setTimeout(() => problem.scrollIntoView({ block: "nearest" }), 0);
});

// A link to a cell leads there, wherever on the page that stands.
const isLed = new WeakSet(); // pages that have begun
on("presented", ({ page }) => {
  if (isLed.has(page)) return;
  isLed.add(page);
  const cell = addressed(page, "cell") && page.querySelector(".lit-selected");
  if (cell) bringIntoView(page, cell);
});

// What is chosen comes out of the fold.
on("selected", ({ page, cell }) => {
  const panel = cell && panelNamed(page, cell.name);
  const place = panel && placeIn(panel, cell);
  if (place?.isThere && place.folded) unfoldAxis(page, place.folded);
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
