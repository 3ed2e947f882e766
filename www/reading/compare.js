// What is frozen outlives a reload and a change of language, like all that the
// address holds; another link starts without it.
import { on } from "../shell/events.js";
import { forgetInTab, keepInTab, keptInTab } from "../shell/keeping.js";
import { tell } from "../shell/server.js";

const KEEP = "attnviz-frozen";
let frozen = null; // its address

function addressOf() {
  const query = new URLSearchParams(location.search);
  query.delete("lang");
  return query.toString();
}

const kept = JSON.parse(keptInTab(KEEP));
forgetInTab(KEEP);

Shiny.addCustomMessageHandler("attnviz-frozen", ({ search }) => {
  frozen = search;
});

window.addEventListener("pagehide", () => {
  if (frozen === null) return;
  keepInTab(KEEP, JSON.stringify({ frozen, address: addressOf() }));
});

const isKept = kept !== null && kept.address === addressOf();
on("opened", ({ page }) => {
  const buttons = page.querySelector(".compare-buttons");
  if (buttons && isKept) tell(buttons.dataset.frozen, kept.frozen);
});

// What is frozen appears below the stages: it opens in view.
let isFreezing = false;
document.addEventListener("click", ({ target }) => {
  if (target.closest?.("[id$='-freeze']")) isFreezing = true;
});

on("presented", ({ page }) => {
  const section = isFreezing && page.querySelector(".compare[data-state='on']");
  if (!section) return;
  isFreezing = false;
  const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const behavior = isStill ? "auto" : "smooth";
  section.scrollIntoView({ block: "start", behavior });
});
