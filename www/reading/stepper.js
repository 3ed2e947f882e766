// One stage at a time: buttons, arrow keys, space and a presenter's page keys.
import { redrawPage } from "../figure/figures.js";
import { shownPage, viewOf } from "../figure/views.js";
import { on } from "../shell/events.js";
import { touchAddress } from "../session/address.js";
import { isClosed } from "../session/teacher.js";
import { reviewDerivation } from "./inspector.js";
import { hasOwnUse } from "./keys.js";
import { bringIntoView } from "./sight.js";
import { figuresOf, markStage, restoreStage, stateOf } from "./stages.js";

const FORWARD = ["ArrowRight", " ", "PageDown"];
const BACK = ["ArrowLeft", "PageUp"];

function rowsOf(view) {
  const names = view.element.dataset.results.split(" ");
  const results = view.panels.filter(({ name, isCopy }) => names.includes(name) && !isCopy);
  return Math.max(0, ...results.map((panel) => panel.rows));
}

function show(page) {
  markStage(page);
  redrawPage(page);
  const current = page.querySelector(".is-current");
  if (current) bringIntoView(page, current);
  reviewDerivation(page);
  touchAddress();
}

function move(page, direction) {
  const state = stateOf(page);
  const figures = figuresOf(page);
  const figure = figures[state.stage];
  const rows = figure && state.isCovering ? rowsOf(viewOf(figure)) : 0;
  if (direction > 0 && state.revealed < rows) {
    state.revealed += 1; // the next row before the next stage
  } else {
    const next = state.stage + direction;
    state.stage = next >= figures.length ? figures.length - 1 : Math.max(-1, next);
    if (next < figures.length) state.revealed = 0;
  }
  show(page);
}

on("restore", ({ page }) => {
  if (page && restoreStage(page)) show(page);
});

document.addEventListener("click", (event) => {
  const bar = event.target.closest?.(".stepper");
  if (!bar) return;
  const page = bar.closest(".figures-page");
  const state = stateOf(page);
  if (event.target.closest("[data-step-back]")) move(page, -1);
  else if (event.target.closest("[data-step-on]")) move(page, 1);
  else if (event.target.closest("[data-step-all]")) {
    Object.assign(state, { stage: -1, revealed: 0 });
    show(page);
  } else if (event.target.closest("[data-cover]")) {
    Object.assign(state, { isCovering: !state.isCovering, revealed: 0 });
    if (state.isCovering && state.stage < 0) state.stage = 0;
    show(page);
  }
});

function uncoverAll(page) {
  const state = stateOf(page);
  const figure = figuresOf(page)[state.stage];
  if (!figure || !state.isCovering) return;
  state.revealed = rowsOf(viewOf(figure));
  show(page);
}

document.addEventListener("keydown", (event) => {
  const page = shownPage();
  const isAway = isClosed("stepper") || document.querySelector("dialog[open]");
  if (isAway || event.ctrlKey || event.metaKey || event.altKey || !page) return;
  const direction = FORWARD.includes(event.key) - BACK.includes(event.key);
  if (!direction || !page.querySelector(".stepper") || hasOwnUse(event)) return;
  event.preventDefault();
  if (!event.shiftKey) move(page, direction);
  else if (event.key === "ArrowRight") uncoverAll(page);
});
// What was pressed by a click is not pressed once more by the space that leads on.
document.addEventListener("keyup", (event) => {
  if (event.key === " " && shownPage()?.querySelector(".stepper") && !hasOwnUse(event)) {
    event.preventDefault();
  }
});
