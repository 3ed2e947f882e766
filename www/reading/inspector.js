// Why this number? Shows the derivation that the server sends for the selected cell, with
// a trail back along the chain.
import { copyText } from "../shell/clipboard.js";
import { tell } from "../shell/server.js";
import { word } from "../shell/words.js";
import { brief, element, symbol, work } from "./derivation.js";
import { inspectorOf, isSameCell, stateOf } from "./question.js";
import { select } from "./selection.js";
import { isCovered } from "./stages.js";

function setTrail(place) {
  const { trail } = stateOf(place);
  const crumbs = trail.map((crumb, at) => {
    const isLast = at === trail.length - 1;
    const made = element(isLast ? "span" : "button", "crumb", symbol(crumb.symbol, crumb.index));
    if (isLast) return made;
    made.type = "button";
    made.dataset.crumb = at;
    return made;
  });
  const nav = place.querySelector(".trail");
  nav.replaceChildren(element("span", "trail-title", word("inspector.why")));
  crumbs.forEach((crumb, at) => {
    if (at) nav.append(element("span", "joint", "←"));
    nav.append(crumb);
  });
}

const isUnfolded = (place) => place.classList.contains("is-unfolded");

function fold(place, isOpen) {
  place.classList.toggle("is-unfolded", isOpen);
  place.querySelector("[data-unfold-inspector]").setAttribute("aria-expanded", isOpen);
  reviewDerivation(place.closest(".figures-page"));
}

// Of a cell that cannot be explained nothing is said, and nothing of the one before it.
function leaveNothing(place, state) {
  state.words = null;
  state.trail = [];
  place.querySelector(".trail").replaceChildren();
  place.querySelector(".inspector-value").replaceChildren();
  place.querySelector(".inspector-work").replaceChildren();
  for (const button of place.querySelectorAll("[data-copy-derivation]")) button.disabled = true;
}

// What the server says of the selected cell; it follows every change of the numbers.
export function showDerivation(page, words) {
  const place = inspectorOf(page);
  if (!place) return;
  const state = stateOf(place);
  place.classList.toggle("is-empty", !words);
  if (!words) return leaveNothing(place, state);
  state.words = words;
  const last = state.trail.at(-1);
  if (last && isSameCell(last.cell, words.cell)) state.trail.splice(-1, 1, words);
  else state.trail = [words];
  const covered = isCovered(page, words.cell);
  const value = place.querySelector(".inspector-value");
  const shown = covered ? "?" : words.value;
  value.replaceChildren(symbol(words.symbol, words.index), ` = ${shown}`);
  value.title = covered ? "" : words.exact;
  const body = place.querySelector(".inspector-work");
  const told = isUnfolded(place) ? work(words) : brief(words);
  body.replaceChildren(covered ? "" : told);
  place.dataset.operation = words.operation;
  for (const button of place.querySelectorAll("[data-copy-derivation]")) {
    button.disabled = covered;
  }
  setTrail(place);
}

// What is covered has changed.
export function reviewDerivation(page) {
  const place = inspectorOf(page);
  const words = place && stateOf(place).words;
  if (words) showDerivation(page, words);
}

// What is to be taken along is written when it is asked for.
let handOver = null;

function copy(button, place) {
  const text = new Promise((resolve) => {
    handOver = resolve;
  });
  copyText(button, text);
  tell(place.dataset.form, button.dataset.copyDerivation);
}

Shiny.addCustomMessageHandler("attnviz-copy", ({ text }) => handOver?.(text));

document.addEventListener("click", (event) => {
  const place = event.target.closest?.(".inspector");
  if (!place) return;
  const page = place.closest(".figures-page");
  const state = stateOf(place);
  const link = event.target.closest("[data-cell]");
  const crumb = event.target.closest("[data-crumb]");
  const copies = event.target.closest("[data-copy-derivation]");
  if (event.target.closest("[data-unfold-inspector]")) fold(place, !isUnfolded(place));
  else if (link) select(page, JSON.parse(link.dataset.cell), { follows: true });
  else if (crumb) {
    const at = Number(crumb.dataset.crumb);
    const { cell } = state.trail[at];
    state.trail = state.trail.slice(0, at);
    select(page, cell, { follows: true });
  } else if (copies) copy(copies, place);
  else if (event.target.closest("[data-unfold]")) {
    Shiny.setInputValue(place.dataset.input, { ...state.words.cell, whole: true });
  }
});
