// What stands above the figures and comes by itself, such as a verdict, moves them: then
// they are laid out anew.
import { redrawPage } from "../figure/figures.js";
import { on } from "../shell/events.js";

const heights = new WeakMap(); // element -> px

const observer = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const page = target.closest(".figures-page");
    const before = heights.get(target);
    heights.set(target, contentRect.height);
    if (before && before !== contentRect.height && page.offsetParent) redrawPage(page);
  }
});

function follow(root) {
  for (const element of root.querySelectorAll("[data-above]")) observer.observe(element);
}
follow(document);
on("opened", ({ page }) => follow(page));
