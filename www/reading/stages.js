// The stages that a walk leads through, where it stands, and what it shows of each: what
// has been computed stays, what comes later is blank, and the results of the present
// stage are lit, or predicted first and then revealed row by row.
import { BLANK, PREDICTED } from "../figure/covers.js";
import { reread } from "../figure/figures.js";
import { viewsIn } from "../figure/views.js";
import { on } from "../shell/events.js";
import { followShown } from "../shell/frame.js";
import { word } from "../shell/words.js";
import { addressed, cannotUse, keep } from "../session/address.js";

const states = new WeakMap(); // page -> { stage, isCovering, revealed, isAsked }

// Stages are counted from 1 in the address; 0 is the overview. What is covered needs one.
function addressedState(page) {
  const isCovering = addressed(page, "cover") === "1";
  const stage = addressed(page, "stage") ?? (isCovering ? "1" : "0");
  const at = /^\d{1,2}$/.test(stage) ? stage - 1 : -1;
  return { stage: at, isCovering, revealed: 0, isAsked: true };
}

export function stateOf(page) {
  if (!states.has(page)) states.set(page, addressedState(page));
  return states.get(page);
}

const panelsOf = (page, name) =>
  viewsIn(page).flatMap((view) =>
    view.frame ? view.panels.filter((panel) => panel.name === name) : []
  );

// The stages of this example: those whose first results it has.
export function stepsOf(page) {
  const all = JSON.parse(page.dataset.steps || "[]");
  return all.filter(({ results }) => panelsOf(page, results[0]).length);
}

export const currentStep = (page) => stepsOf(page)[stateOf(page).stage] ?? null;

// The figure in which a stage is computed: the one that has its operands.
function figureOf(page, { results, operands }) {
  const has = ({ panels }, names) => panels.filter(({ name }) => names.includes(name)).length;
  const views = viewsIn(page).filter((view) => view.frame && has(view, results));
  return views.sort((one, other) => has(other, operands) - has(one, operands))[0];
}

// What covers the rows of a matrix, as [sign, first row]; null for nothing.
function coverOf(page, name) {
  const { stage, isCovering, revealed } = stateOf(page);
  const plain = name.replace(/^(a|b|delta)_/, ""); // as a comparison shows it
  const result = plain.startsWith("weights_") ? "weights" : plain;
  const at = stepsOf(page).findIndex(
    ({ results, tells }) => results.includes(result) || tells.includes(result)
  );
  if (at < 0 || at < stage || (stage < 0 && !isCovering)) return null;
  if (at > stage) return [isCovering && stage < 0 ? PREDICTED : BLANK, 0];
  return isCovering ? [PREDICTED, revealed] : null;
}

export function isCovered(page, cell) {
  const found = coverOf(page, cell.name);
  return found !== null && cell.i >= found[1];
}

// Which cells of a figure are covered, and by what.
function cover(page, view) {
  view.covered = null;
  const { stage, isCovering } = stateOf(page);
  if (stage < 0 && !isCovering) return;
  view.covered = new Map();
  for (const { name, rows, columns, isTurned } of view.panels) {
    const found = coverOf(page, name);
    if (!found) continue;
    const [sign, first] = found;
    const rowAt = (at) => (isTurned ? at % columns : Math.floor(at / columns));
    const signs = Uint8Array.from({ length: rows * columns }, (_, at) =>
      rowAt(at) < first ? 0 : sign
    );
    view.covered.set(name, signs);
  }
}
on("drawing", ({ page, views }) => {
  for (const view of views) cover(page, view);
});

// Frame what the present stage takes and yields, and light its part of the formula.
function light(page) {
  const step = currentStep(page);
  for (const view of viewsIn(page)) {
    for (const [name, element] of view.elements) {
      element.classList.toggle("is-result", Boolean(step?.results.includes(name)));
      element.classList.toggle("is-operand", Boolean(step?.operands.includes(name)));
    }
  }
  for (const part of page.querySelectorAll(".page-formula [data-stage]")) {
    part.classList.toggle("is-lit", part.dataset.stage === step?.lights);
  }
}
// There may be other matrices now, and another formula.
on("presented", ({ page }) => light(page));

// Show where the walk stands: in its bar, in the formula, among the figures.
export function markStage(page) {
  const state = stateOf(page);
  const steps = stepsOf(page);
  const bar = page.querySelector(".stepper");
  if (state.isAsked && state.stage >= steps.length) cannotUse("stage");
  state.isAsked = false;
  state.stage = Math.min(state.stage, steps.length - 1);
  const current = steps[state.stage];
  const isStepping = Boolean(current);
  page.classList.toggle("is-stepping", isStepping);
  page.classList.toggle("is-covering", state.isCovering);
  followShown();
  const figure = current && figureOf(page, current)?.element;
  for (const one of page.querySelectorAll("[data-graph]")) {
    one.classList.toggle("is-current", one === figure);
  }
  // The exponentials stand between S and A while the softmax is looked at.
  const isClose = Boolean(current?.results.includes("exp_scores"));
  if (Boolean(page.isClose) !== isClose) {
    page.isClose = isClose;
    reread(page);
  }
  light(page);
  bar.querySelector(".stepper-place").textContent = isStepping
    ? word("stepper.place", { at: state.stage + 1, of: steps.length })
    : word("stepper.overview");
  bar.querySelector("[data-step-back]").disabled = !isStepping;
  bar.querySelector("[data-step-all]").hidden = !isStepping;
  bar.querySelector("[data-cover]").setAttribute("aria-pressed", state.isCovering);
}

// After new figures: the walk leads through those that there are.
on("recast", ({ page }) => {
  if (page.querySelector(".stepper")) markStage(page);
});

// Read the address again; tell whether it asks for another stage.
export function restoreStage(page) {
  const { stage, isCovering } = stateOf(page);
  const wanted = addressedState(page);
  if (wanted.stage === stage && wanted.isCovering === isCovering) return false;
  states.set(page, wanted);
  return true;
}

keep("stage", (page) => {
  if (!page) return null;
  const { stage, isCovering } = stateOf(page);
  return stage < 0 && !isCovering ? null : String(stage + 1);
});
keep("cover", (page) => (page && stateOf(page).isCovering ? "1" : null));
