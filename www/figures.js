// Figures of a page: one Shiny output, drawn in view first, newest values win.
// While values move the canvas layer shows them; at rest Plotly draws them exactly.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const REST = 100; // ms without a change before Plotly draws
  const SLICE = 12; // ms of drawing before the page gets a turn
  const SPACING = 28; // px between figures, as in figures.css
  const SAMPLE = ['10px "attnviz-digits"', "−0.00"]; // tells one font from another
  const views = new Map(); // figure element -> view
  const untested = new Set(); // pages whose figures kept their places without a look
  let sequence = 0;
  let round = 0; // counts the pictures begun; a newer one ends an older one's settling
  let timer = 0;
  let isConnected = false; // the server has spoken

  function viewOf(element) {
    if (!views.has(element)) {
      const plot = element.appendChild(document.createElement("div"));
      plot.className = "figure-plot";
      const canvas = element.appendChild(document.createElement("canvas"));
      canvas.className = "figure-cells";
      canvas.setAttribute("aria-hidden", "true");
      const caption = element.querySelector("figcaption");
      const page = element.closest(".figures-page");
      const view = { element, page, plot, canvas, caption, panels: [], elements: new Map() };
      view.text = null;
      view.isNear = true; // until the observer says otherwise: the first picture is whole
      views.set(element, view);
      nearby.observe(element);
    }
    return views.get(element);
  }

  const figuresIn = (element) => [...element.querySelectorAll("[data-graph]")].map(viewOf);
  const isShown = (view) => view.isPlaced && view.page === attnviz.shownPage();
  const isWaiting = (view) =>
    view.isPending && view.isNear && view.spec && view.element.isConnected;

  // Everything is read before anything is written, or each write would make the browser
  // lay out the page for the next read.
  function layOut(page) {
    untested.delete(page);
    attnviz.textWidth(...SAMPLE); // as all that is measured now
    for (const view of figuresIn(page)) {
      view.isPlaced = Boolean(view.spec && view.element.offsetParent);
    }
    const rowsOf = (selector) =>
      [...page.querySelectorAll(selector)]
        .map((row) => figuresIn(row).filter((view) => view.isPlaced))
        .filter((row) => row.length);
    // What is added below the stages takes their size, and does not change it.
    const rows = rowsOf(".figure-row:not(.is-extra)");
    const extras = rowsOf(".figure-row.is-extra").flat();
    const shown = [...rows.flat(), ...extras];
    if (!shown.length) return shown;
    const first = page.querySelector(".figure-row");
    const scrolled = page.closest(".main")?.scrollTop || 0;
    const top = first.getBoundingClientRect().top + scrolled + window.scrollY;
    const foot = page.querySelector(".inspector")?.offsetHeight || 0;
    const room = document.documentElement.clientHeight;
    const height = Math.max(360, room - Math.min(top, room / 2) - foot - 8);
    const width = page.clientWidth;
    attnviz.place(rows, extras, {
      width,
      height,
      windowHeight: room,
      spacing: SPACING,
      isStepping: page.classList.contains("is-stepping"),
      isProjected: document.documentElement.classList.contains("projector"),
    });
    for (const view of shown) {
      const size = `${view.geometry.width} ${view.geometry.height}`;
      if (view.size !== size) {
        view.size = size;
        view.element.style.width = `${view.geometry.width}px`;
        view.element.style.height = `${view.geometry.height}px`;
      }
      attnviz.placeElements(view);
    }
    for (const row of page.querySelectorAll(".figure-row")) markWide(row, width);
    return shown;
  }

  // A figure that even the smallest cells do not fit to the page scrolls in its row.
  function markWide(row, width) {
    const isWide = figuresIn(row).some((view) => view.isPlaced && view.geometry.width > width);
    if (row.classList.contains("is-wide") !== isWide) row.classList.toggle("is-wide", isWide);
  }

  // There the selected cell is kept in sight, so that arrow keys reach every column.
  document.addEventListener("attnviz:selected", ({ detail: { page, cell } }) => {
    for (const row of cell ? page.querySelectorAll(".figure-row.is-wide") : []) {
      const placed = figuresIn(row).filter((view) => view.isPlaced);
      const focused = placed.filter((view) => view.element.contains(document.activeElement));
      const isNamed = (panel) => panel.name === cell.name;
      const view = [...focused, ...placed].find(({ panels }) => panels.some(isNamed));
      if (!view) continue;
      const panel = view.panels.find(isNamed);
      const size = view.geometry.cell;
      const left = view.element.offsetLeft + panel.rect.x + attnviz.placeIn(panel, cell).j * size;
      const least = left + 2 * size - row.clientWidth;
      row.scrollLeft = Math.max(least, Math.min(row.scrollLeft, left - size));
    }
  });

  function drawNow(view) {
    view.isPending = true;
    if (!view.isNear) return;
    view.isMoving = true;
    attnviz.drawCells(view);
  }

  function drawAll(page, chosen) {
    for (const view of chosen) {
      attnviz.cover?.(page, view);
      drawNow(view);
    }
    attnviz.refreshMarks(page);
  }

  function announce(exact) {
    const drawn = [...views.values()].filter((view) => view.isNear && isShown(view));
    const names = drawn.flatMap((view) => [...view.elements.keys()]);
    sequence += 1;
    document.dispatchEvent(
      new CustomEvent("attnviz:painted", { detail: { names, seq: sequence, exact } })
    );
  }

  function plan(delay) {
    round += 1;
    clearTimeout(timer);
    timer = setTimeout(settle, delay, round);
  }

  // The words around the figures may have taken room from them, or given some back.
  function testPlaces(page) {
    const moved = refit(page);
    if (moved.size) drawAll(page, moved);
  }

  // Draw every figure in view exactly, a slice at a time, unless newer values come.
  async function settle(mine) {
    if (untested.has(attnviz.shownPage())) testPlaces(attnviz.shownPage());
    // Without Plotly the canvas goes on showing all there is to see.
    const hasPlotly = await attnviz.loadPlotly().then(() => true, () => false);
    let started = performance.now();
    for (const view of hasPlotly ? views.values() : []) {
      if (mine !== round) return;
      if (!isWaiting(view)) continue;
      if (performance.now() - started > SLICE) {
        await new Promise((resume) => setTimeout(resume, 0));
        started = performance.now();
        if (mine !== round) return;
      }
      await attnviz.drawExactly(view);
    }
    if (mine !== round) return;
    document.documentElement.dataset.attnvizReady = "true";
    announce(true);
  }

  // Matrices of the same shapes and labels stand where those before them stood.
  function takePlaces(view, before) {
    const outline = ({ name, track, band, rows, columns, columnLabels, trace }) =>
      JSON.stringify([name, track, band, rows, columns, columnLabels, trace.meta.row_labels]);
    const isSame = (panel, k) => before[k].rect && outline(panel) === outline(before[k]);
    if (view.panels.length !== before.length || !view.panels.every(isSame)) return false;
    view.panels.forEach((panel, k) => {
      const { rect, labelWidth, rowLabels, rowLabelWidth } = before[k];
      Object.assign(panel, { rect, labelWidth, rowLabels, rowLabelWidth });
    });
    attnviz.placeElements(view);
    return true;
  }

  // Take new specifications in; what has not changed keeps its picture.
  function show(page, figures) {
    let isRecast = false;
    let isMoved = !figuresIn(page).some(isShown);
    for (const view of figuresIn(page)) {
      const spec = figures[view.element.dataset.graph];
      const text = spec ? JSON.stringify(spec) : "";
      view.isNew = text !== view.text;
      if (!view.isNew) continue;
      if (Boolean(text) !== Boolean(view.text)) isRecast = true;
      // A figure that this example does not have makes room for the others.
      view.element.classList.toggle("is-absent", !spec);
      const before = view.panels;
      view.spec = spec;
      view.text = text;
      view.panels = spec ? attnviz.readPanels(spec) : [];
      if (spec) view.meta = spec.layout.meta;
      else attnviz.placeElements(view);
      if (view.isPlaced && !takePlaces(view, before)) isMoved = true;
    }
    if (isRecast) attnviz.followStages(page);
    if (isRecast || isMoved) {
      redraw(page, (view) => view.isNew);
      return;
    }
    // What the words around the figures do to their room is seen to at rest.
    untested.add(page);
    draw(page, (view) => view.isNew);
  }

  function redraw(page, isChanged = () => true) {
    const moved = refit(page);
    draw(page, (view) => isChanged(view) || moved.has(view));
  }

  // Lay the page out; give the figures that have moved.
  function refit(page) {
    const places = new Map(figuresIn(page).map((view) => [view, placeOf(view)]));
    return new Set(layOut(page).filter((view) => places.get(view) !== placeOf(view)));
  }

  function draw(page, isChosen) {
    const placed = figuresIn(page).filter((view) => view.isPlaced);
    if (!placed.length) return; // nothing has come yet
    drawAll(page, placed.filter(isChosen));
    announce(false);
    if (isConnected) plan(document.documentElement.dataset.attnvizReady ? REST : 0);
  }

  const placeOf = ({ geometry, panels }) =>
    geometry && JSON.stringify([geometry, panels.map((panel) => panel.rect)]);

  const nearby = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const view = views.get(target);
        const came = isIntersecting && !view.isNear;
        view.isNear = isIntersecting;
        if (!came || !view.spec || !view.isPending) continue;
        drawNow(view);
        plan(0);
      }
    },
    { rootMargin: "200px" }
  );

  attnviz.redrawAll = () => {
    for (const page of document.querySelectorAll(".figures-page")) {
      if (page.offsetParent) redraw(page);
    }
  };
  attnviz.redrawPage = (page) => redraw(page);
  attnviz.viewOf = (element) => views.get(element);
  attnviz.onTheme(attnviz.redrawAll);

  // The window may have changed while another page was shown.
  document.addEventListener("shown.bs.tab", attnviz.redrawAll);

  let lastWidth = 0;
  new ResizeObserver(() => {
    const width = document.documentElement.clientWidth;
    if (lastWidth && width !== lastWidth) attnviz.redrawAll();
    lastWidth = width;
  }).observe(document.documentElement);
  // Fonts change the width of digits and captions; a canvas does not wait for them.
  document.fonts.load(SAMPLE[0]);
  document.fonts.addEventListener("loadingdone", () => {
    const before = attnviz.textWidth(...SAMPLE);
    attnviz.forgetWidths();
    if (attnviz.textWidth(...SAMPLE) !== before) attnviz.redrawAll();
    else if (attnviz.shownPage()) testPlaces(attnviz.shownPage());
  });

  // What is frozen appears below the stages: the sentence that says so comes into sight.
  let isFreezing = false;
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.("[id$='-freeze']")) isFreezing = true;
  });
  function showFrozen(page) {
    const section = isFreezing && page.querySelector(".compare[data-state='on']");
    if (!section) return;
    isFreezing = false;
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const behavior = isStill ? "auto" : "smooth";
    attnviz.bringIntoView(page, section.querySelector(".finding"), { behavior });
  }

  function present(page, value) {
    if (!page.classList.contains("has-numbers")) page.classList.add("has-numbers");
    page.head = value.head;
    page.start = value.start;
    page.editable = value.editable.filter(
      (name) => !attnviz.isClosed("edits") && !(name === "mask" && attnviz.isClosed("mask"))
    );
    attnviz.showLive(page, value.live);
    show(page, value.figures);
    attnviz.showDerivation(page, value.derivation);
    attnviz.followSelection(page);
    attnviz.refreshEditor(page);
    showFrozen(page);
  }

  // The first view comes with the page itself, and need not wait for the server.
  document.addEventListener("DOMContentLoaded", () => {
    const first = document.querySelector("script[data-first]");
    if (!first) return;
    const page = first.closest(".figures-page");
    const view = JSON.parse(first.textContent);
    // It explains the cell with which the page starts, be another asked for or not.
    if (attnviz.addressed(page, "cell")) view.derivation = null;
    present(page, view);
  });

  class FiguresBinding extends Shiny.OutputBinding {
    find(scope) {
      return $(scope).find(".figures-page");
    }
    renderValue(page, value) {
      if (!value) return;
      isConnected = true;
      present(page, value);
    }
    renderError(page, error) {
      console.error(error.message);
    }
    clearError() {}
    // Shiny would fade the page while it waits, which costs more than the new picture.
    showProgress() {}
  }
  Shiny.outputBindings.register(new FiguresBinding(), "attnviz.figures");
})();
