// One stage at a time: buttons, arrow keys, space and a presenter's page keys.
import { redrawPage } from "../figure/figures.js";
import { panelNamed, sizeOf, shownPage } from "../figure/views.js";
import { on } from "../shell/events.js";
import { isProjected } from "../shell/projector.js";
import { addressed, touchAddress } from "../session/address.js";
import { isClosed } from "../session/teacher.js";
import { reviewDerivation } from "./inspector.js";
import { select, selectedCell } from "./selection.js";
import { hasOwnUse } from "./keys.js";
import { bringIntoView } from "./sight.js";
import { currentStep, markStage, restoreStage, stateOf, stepsOf } from "./stages.js";

const FORWARD = ["ArrowRight", " ", "PageDown"];
const BACK = ["ArrowLeft", "PageUp"];

// How many rows the present stage has to uncover.
const rowsOf = (page, { results }) => panelNamed(page, results[0])?.size[0] ?? 0;

// A presented figure has the screen to itself, another one comes into view.
function bringCurrent(page) {
  const current = page?.querySelector(".is-current");
  if (!current) return;
  if (isProjected()) page.closest(".main").scrollTo(0, 0);
  else bringIntoView(page, current);
}
on("projected", () => bringCurrent(shownPage()));

function show(page) {
  markStage(page);
  redrawPage(page);
  bringCurrent(page);
  reviewDerivation(page);
  touchAddress();
}

// The inspector follows the walk: the present result, in the row that was looked at.
function follow(page) {
  const step = currentStep(page);
  const panel = step && panelNamed(page, step.results[0]);
  if (!panel) return;
  const { i, j } = selectedCell(page) ?? { i: 0, j: 0 };
  const [rows, columns] = sizeOf(panel);
  const head = page.head ?? null;
  const cell = { name: panel.name, i: Math.min(i, rows - 1), j: Math.min(j, columns - 1), head };
  select(page, cell);
}

function move(page, direction) {
  const state = stateOf(page);
  const steps = stepsOf(page);
  const step = currentStep(page);
  const rows = step && state.isCovering ? rowsOf(page, step) : 0;
  if (direction > 0 && state.revealed < rows) {
    state.revealed += 1; // the next row before the next stage
  } else {
    const next = state.stage + direction;
    state.stage = next >= steps.length ? steps.length - 1 : Math.max(-1, next);
    if (next < steps.length) state.revealed = 0;
  }
  show(page);
  if (currentStep(page) !== null && stateOf(page).revealed === 0) follow(page);
}

// A link to a stage starts with what that yields, unless it names a cell.
const isLed = new WeakSet(); // pages that have begun
on("presented", ({ page }) => {
  if (isLed.has(page)) return;
  isLed.add(page);
  if (!addressed(page, "cell")) follow(page);
  bringCurrent(page);
});

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
    follow(page);
  }
});

function uncoverAll(page) {
  const state = stateOf(page);
  const step = currentStep(page);
  if (!step || !state.isCovering) return;
  state.revealed = rowsOf(page, step);
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
