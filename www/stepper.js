// One stage at a time: buttons, arrow keys, space and a presenter's page keys. Results
// may be covered first and uncovered row by row: predict, then reveal.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const FORWARD = ["ArrowRight", " ", "PageDown"];
  const BACK = ["ArrowLeft", "PageUp"];
  // Where a key has a meaning of its own. The buttons of the walk only need the space, and
  // a presenter's page keys lead on wherever nothing is typed.
  const TYPED = "input, select, textarea";
  const PRESSED = `${TYPED}, button, summary, a, .matrix`;
  const ARROWS = `${TYPED}, button:not(.stepper *), summary, a, .matrix`;
  const MEANT_ELSEWHERE = { " ": PRESSED, ArrowRight: ARROWS, ArrowLeft: ARROWS };
  // What tells the numbers of a result although it is none.
  const TELLING = { exp_scores: "weights", joined: "context", masked_scores: "scores" };
  const states = new WeakMap(); // page -> { stage, isCovering, revealed }

  // Stages are counted from 1 in the address; 0 is the overview. What is covered needs one.
  function addressed(page) {
    const isCovering = attnviz.addressed(page, "cover") === "1";
    const stage = attnviz.addressed(page, "stage") ?? (isCovering ? "1" : "0");
    return { stage: /^\d{1,2}$/.test(stage) ? stage - 1 : -1, isCovering, revealed: 0 };
  }

  const stateOf = (page) => {
    if (!states.has(page)) states.set(page, addressed(page));
    return states.get(page);
  };
  const figuresOf = (page) =>
    [...page.querySelectorAll("[data-graph][data-step]")].filter(
      (figure) => !figure.classList.contains("is-absent")
    );

  function rowsOf(view) {
    const names = view.element.dataset.results.split(" ");
    const results = view.panels.filter(({ name, isCopy }) => names.includes(name) && !isCopy);
    return Math.max(0, ...results.map((panel) => panel.rows));
  }

  // From which row on a matrix tells what is to be predicted: here, or at a stage to come.
  // The overview comes before all stages.
  function firstCovered(page, name) {
    const { stage, isCovering, revealed } = stateOf(page);
    if (!isCovering) return Infinity;
    const result = name.startsWith("weights_") ? "weights" : TELLING[name] || name;
    const at = figuresOf(page).findIndex((figure) =>
      figure.dataset.results.split(" ").includes(result)
    );
    if (at < 0 || at < stage) return Infinity;
    return at > stage ? 0 : revealed;
  }

  attnviz.isCovered = (page, cell) => cell.i >= firstCovered(page, cell.name);

  // Which cells of a figure are covered.
  attnviz.cover = (page, view) => {
    view.covered = null;
    if (!stateOf(page).isCovering) return;
    view.covered = new Map(
      view.panels.map(({ name, rows, columns }) => {
        const first = Math.min(rows, firstCovered(page, name));
        return [name, new Uint8Array(rows * columns).fill(1, first * columns)];
      })
    );
  };

  function mark(page) {
    const state = stateOf(page);
    const figures = figuresOf(page);
    const bar = page.querySelector(".stepper");
    state.stage = Math.min(state.stage, figures.length - 1);
    const current = figures[state.stage];
    const isStepping = Boolean(current);
    page.classList.toggle("is-stepping", isStepping);
    page.classList.toggle("is-covering", state.isCovering);
    for (const figure of page.querySelectorAll("[data-graph]")) {
      figure.classList.toggle("is-current", figure === current);
    }
    const lit = current?.dataset.lights;
    for (const part of page.querySelectorAll(".page-formula [data-stage]")) {
      part.classList.toggle("is-lit", part.dataset.stage === lit);
    }
    bar.querySelector(".stepper-place").textContent = isStepping
      ? attnviz.word("stepper.place", { at: state.stage + 1, of: figures.length })
      : attnviz.word("stepper.overview");
    bar.querySelector("[data-step-back]").disabled = !isStepping;
    bar.querySelector("[data-step-all]").disabled = !isStepping;
    bar.querySelector("[data-cover]").setAttribute("aria-pressed", state.isCovering);
  }

  // In a low window it may stand below, or behind the inspector.
  attnviz.bringIntoView = (page, element, options) => {
    element.style.scrollMarginBottom = `${page.querySelector(".inspector")?.offsetHeight || 0}px`;
    element.scrollIntoView({ block: "nearest", ...options });
  };

  function show(page) {
    mark(page);
    attnviz.redrawPage(page);
    const current = page.querySelector(".is-current");
    if (current) attnviz.bringIntoView(page, current);
    attnviz.reviewDerivation(page);
    attnviz.touchAddress();
  }

  // After new figures: the walk leads through those that there are.
  attnviz.followStages = (page) => {
    if (page.querySelector(".stepper")) mark(page);
  };

  function move(page, direction) {
    const state = stateOf(page);
    const figures = figuresOf(page);
    const figure = figures[state.stage];
    const rows = figure && state.isCovering ? rowsOf(attnviz.viewOf(figure)) : 0;
    if (direction > 0 && state.revealed < rows) {
      state.revealed += 1; // the next row before the next stage
    } else {
      const next = state.stage + direction;
      state.stage = next >= figures.length ? figures.length - 1 : Math.max(-1, next);
      if (next < figures.length) state.revealed = 0;
    }
    show(page);
  }

  attnviz.stepTo = (page, stage) => {
    Object.assign(stateOf(page), { stage, revealed: 0 });
    show(page);
  };

  attnviz.addressParts.stage = (page) => {
    if (!page) return null;
    const { stage, isCovering } = stateOf(page);
    return stage < 0 && !isCovering ? null : String(stage + 1);
  };
  attnviz.addressParts.cover = (page) => (page && stateOf(page).isCovering ? "1" : null);
  document.addEventListener("attnviz:restore", ({ detail: { page } }) => {
    const { stage, isCovering } = stateOf(page);
    const wanted = addressed(page);
    if (wanted.stage === stage && wanted.isCovering === isCovering) return;
    states.set(page, wanted);
    show(page);
  });

  document.addEventListener("click", (event) => {
    const bar = event.target.closest?.(".stepper");
    if (!bar) return;
    const page = bar.closest(".figures-page");
    const state = stateOf(page);
    if (event.target.closest("[data-step-back]")) move(page, -1);
    else if (event.target.closest("[data-step-on]")) move(page, 1);
    else if (event.target.closest("[data-step-all]")) attnviz.stepTo(page, -1);
    else if (event.target.closest("[data-cover]")) {
      Object.assign(state, { isCovering: !state.isCovering, revealed: 0 });
      if (state.isCovering && state.stage < 0) state.stage = 0;
      show(page);
    }
  });

  document.addEventListener("keydown", (event) => {
    const isMeant = event.target.closest?.(MEANT_ELSEWHERE[event.key] || TYPED);
    const page = attnviz.shownPage();
    const isAway = attnviz.isClosed("stepper") || document.querySelector("dialog[open]");
    if (isAway || isMeant || event.ctrlKey || event.metaKey || event.altKey || !page) return;
    const direction = FORWARD.includes(event.key) - BACK.includes(event.key);
    if (!direction || !page.querySelector(".stepper")) return;
    event.preventDefault();
    move(page, direction);
  });
})();
