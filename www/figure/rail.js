// A figure wider than the page scrolls sideways: the names of its rows stay at the left,
// and what it is about stands in view first.
import { currentTheme } from "../shell/colours.js";
import { fitText } from "./text.js";

const FIRST = "scores"; // where a frame begins that scrolls
const begun = new WeakSet(); // frames that have been scrolled to it

function railOf(view) {
  if (!view.rail) {
    view.rail = document.createElement("div");
    view.rail.className = "row-rail";
    view.rail.setAttribute("aria-hidden", "true");
    view.element.prepend(view.rail);
  }
  return view.rail;
}

export function placeRail(view, isWide) {
  const panel = view.panels.find(({ rowLabels }) => rowLabels.length);
  if (!isWide || !panel) {
    view.rail?.remove();
    view.rail = null;
    return;
  }
  const { rect, rowLabels, rowLabelWidth } = panel;
  const { cell } = view.geometry;
  const rail = railOf(view);
  rail.style.cssText = `width:${rowLabelWidth + 8}px;padding-top:${rect.y}px`;
  rail.replaceChildren(
    ...rowLabels.map((label) => {
      const name = document.createElement("span");
      name.textContent = fitText(currentTheme().labelFont, label, rowLabelWidth);
      name.style.cssText = `height:${cell}px;line-height:${cell}px`;
      return name;
    })
  );
}

export function beginAtScores(row, views) {
  if (begun.has(row)) return;
  const panels = views.flatMap((view) => view.panels);
  const first = panels.find(({ name, isCopy }) => name === FIRST && !isCopy);
  if (!first) return;
  begun.add(row);
  const rail = row.querySelector(".row-rail")?.offsetWidth ?? 0;
  row.scrollLeft = first.rect.x - rail - 4;
}
