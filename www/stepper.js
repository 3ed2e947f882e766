// One stage at a time: buttons, arrow keys, space and a presenter's page keys. Results
// may be covered first and uncovered row by row: predict, then reveal.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const FORWARD = ["ArrowRight", " ", "PageDown"];
  const BACK = ["ArrowLeft", "PageUp"];
  const states = new WeakMap(); // page -> { stage, isCovering, revealed }

  const stateOf = (page) => {
    if (!states.has(page)) states.set(page, { stage: -1, isCovering: false, revealed: 0 });
    return states.get(page);
  };
  const figuresOf = (page) =>
    [...page.querySelectorAll("[data-graph][data-step]")].filter(
      (figure) => !figure.classList.contains("is-absent")
    );
  const shownPage = () =>
    [...document.querySelectorAll(".figures-page")].find((page) => page.offsetParent);

  function resultsOf(view) {
    const names = view.element.dataset.results.split(" ");
    return view.panels.filter((panel) => names.includes(panel.name) && !panel.isCopy);
  }

  const rowsOf = (view) => Math.max(0, ...resultsOf(view).map((panel) => panel.rows));

  // Which cells of a figure's results are still covered.
  attnviz.cover = (page, view) => {
    const state = stateOf(page);
    const figure = figuresOf(page)[state.stage];
    view.covered = null;
    if (!state.isCovering || !figure || view.element !== figure) return;
    view.covered = new Map(
      resultsOf(view).map((panel) => {
        const flags = new Uint8Array(panel.rows * panel.columns).fill(1);
        flags.fill(0, 0, Math.min(panel.rows, state.revealed) * panel.columns);
        return [panel.name, flags];
      })
    );
  };

  attnviz.isCovered = (page, cell) => {
    if (!cell) return false;
    const figure = figuresOf(page)[stateOf(page).stage];
    const covered = figure && attnviz.viewOf(figure)?.covered?.get(cell.name);
    const panel = covered && attnviz.panelNamed(page, cell.name);
    return Boolean(panel && covered[cell.i * panel.columns + cell.j]);
  };

  function show(page) {
    const state = stateOf(page);
    const figures = figuresOf(page);
    const bar = page.querySelector(".stepper");
    const current = figures[state.stage];
    const isStepping = Boolean(current);
    page.classList.toggle("is-stepping", isStepping);
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
    attnviz.redrawPage(page);
  }

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

  attnviz.stepOf = (page) => stateOf(page).stage;
  attnviz.stepTo = (page, stage) => {
    Object.assign(stateOf(page), { stage, revealed: 0 });
    show(page);
  };

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
    const isTyping = event.target.closest?.("input, select, textarea, button, summary, a, .matrix");
    const page = shownPage();
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !page) return;
    const direction = FORWARD.includes(event.key) - BACK.includes(event.key);
    if (!direction || !page.querySelector(".stepper")) return;
    event.preventDefault();
    move(page, direction);
  });
})();
