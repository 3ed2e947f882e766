// The stages that a walk leads through, where it stands, and what it covers: results are
// predicted first, then revealed row by row.
import { on } from "../shell/events.js";
import { word } from "../shell/words.js";
import { addressed, cannotUse, keep } from "../session/address.js";

// What tells the numbers of a result although it is none.
const TELLING = { exp_scores: "weights", joined: "context", masked_scores: "scores" };
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

export const figuresOf = (page) =>
  [...page.querySelectorAll("[data-graph][data-step]")].filter(
    (figure) => !figure.classList.contains("is-absent")
  );

// From which row on a matrix tells what is to be predicted: here, or at a stage to come.
// The overview comes before all stages.
function firstCovered(page, name) {
  const { stage, isCovering, revealed } = stateOf(page);
  if (!isCovering) return Infinity;
  const plain = name.replace(/^(a|b|delta)_/, ""); // as a comparison shows it
  const result = plain.startsWith("weights_") ? "weights" : TELLING[plain] || plain;
  const at = figuresOf(page).findIndex((figure) =>
    figure.dataset.results.split(" ").includes(result)
  );
  if (at < 0 || at < stage) return Infinity;
  return at > stage ? 0 : revealed;
}

export const isCovered = (page, cell) => cell.i >= firstCovered(page, cell.name);

// Which cells of a figure are covered.
function cover(page, view) {
  view.covered = null;
  if (!stateOf(page).isCovering) return;
  view.covered = new Map(
    view.panels.map(({ name, rows, columns }) => {
      const first = Math.min(rows, firstCovered(page, name));
      return [name, new Uint8Array(rows * columns).fill(1, first * columns)];
    })
  );
}
on("drawing", ({ page, views }) => {
  for (const view of views) cover(page, view);
});

// Light the part of the page's formula that belongs to the present stage.
function light(page) {
  const lit = page.querySelector(".is-current")?.dataset.lights;
  for (const part of page.querySelectorAll(".page-formula [data-stage]")) {
    part.classList.toggle("is-lit", part.dataset.stage === lit);
  }
}
// It may be another formula now.
on("presented", ({ page }) => light(page));

// Show where the walk stands: in its bar, in the formula, among the figures.
export function markStage(page) {
  const state = stateOf(page);
  const figures = figuresOf(page);
  const bar = page.querySelector(".stepper");
  if (state.isAsked && state.stage >= figures.length) cannotUse("stage");
  state.isAsked = false;
  state.stage = Math.min(state.stage, figures.length - 1);
  const current = figures[state.stage];
  const isStepping = Boolean(current);
  page.classList.toggle("is-stepping", isStepping);
  page.classList.toggle("is-covering", state.isCovering);
  for (const figure of page.querySelectorAll("[data-graph]")) {
    figure.classList.toggle("is-current", figure === current);
  }
  light(page);
  bar.querySelector(".stepper-place").textContent = isStepping
    ? word("stepper.place", { at: state.stage + 1, of: figures.length })
    : word("stepper.overview");
  bar.querySelector("[data-step-back]").disabled = !isStepping;
  bar.querySelector("[data-step-all]").disabled = !isStepping;
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
