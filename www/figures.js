// Figures of a page: one Shiny output, drawn in view first, newest values win.
// While values move the canvas layer shows them; at rest Plotly draws them exactly.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const REST = 180; // ms without a change before Plotly draws
  const SLICE = 12; // ms of drawing before the page gets a turn
  const SPACING = 28; // px between figures, as in style.css
  const CONFIG = { displayModeBar: false, staticPlot: true, responsive: false };
  const views = new Map(); // figure element -> view
  let sequence = 0;
  let timer = 0;

  const decodeBytes = Uint8Array.fromBase64
    ? (text) => Uint8Array.fromBase64(text)
    : (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  function decode(typed) {
    const bytes = decodeBytes(typed.bdata);
    return typed.dtype === "f4" ? new Float32Array(bytes.buffer) : bytes;
  }

  function nested(panel) {
    const rows = [];
    for (let i = 0, at = 0; i < panel.rows; i++) {
      const row = [];
      for (let j = 0; j < panel.columns; j++, at++) {
        row.push(panel.hidden && panel.hidden[at] ? null : panel.values[at]);
      }
      rows.push(row);
    }
    return rows;
  }

  function readPanel(trace, hidden) {
    const [rows, columns] = trace.z.shape.split(",").map(Number);
    const { meta } = trace;
    return {
      name: trace.name,
      rows,
      columns,
      values: decode(trace.z),
      hidden: hidden && decode(hidden.z),
      low: trace.zmin,
      high: trace.zmax,
      role: meta.role,
      kind: meta.kind,
      glyph: meta.glyph,
      symbol: meta.symbol,
      isCopy: meta.is_copy,
      isWhole: meta.is_whole,
      track: meta.track,
      band: meta.band,
      axes: [meta.rows, meta.columns],
      rowLabels: meta.row_labels,
      columnLabels: meta.column_labels,
      rowPadding: meta.row_padding,
      columnPadding: meta.column_padding,
      trace,
      mask: hidden,
    };
  }

  function readPanels(spec) {
    const hidden = new Map(
      spec.data.filter((trace) => trace.meta.hides).map((trace) => [trace.meta.hides, trace])
    );
    return spec.data
      .filter((trace) => !trace.meta.hides)
      .map((trace) => readPanel(trace, hidden.get(trace.name)));
  }

  // ---- one figure -------------------------------------------------------------

  function viewOf(element) {
    if (!views.has(element)) {
      const plot = element.appendChild(document.createElement("div"));
      plot.className = "figure-plot";
      const canvas = element.appendChild(document.createElement("canvas"));
      canvas.className = "figure-cells";
      canvas.setAttribute("aria-hidden", "true");
      const view = { element, plot, canvas, panels: [], elements: new Map(), isNear: false };
      view.caption = element.querySelector("figcaption");
      views.set(element, view);
      nearby.observe(element);
    }
    return views.get(element);
  }

  // Each matrix is an element of its own: for tests, for screen readers, for focus.
  function placeElements(view) {
    const names = new Set(view.panels.map((panel) => panel.name));
    for (const [name, element] of view.elements) {
      if (names.has(name)) continue;
      element.remove();
      view.elements.delete(name);
    }
    for (const panel of view.panels) {
      let element = view.elements.get(panel.name);
      if (!element) {
        element = document.createElement("div");
        element.className = "matrix";
        element.tabIndex = 0;
        element.setAttribute("role", "img");
        const title = element.appendChild(document.createElement("span"));
        title.className = "matrix-title";
        view.element.append(element);
        view.elements.set(panel.name, element);
      }
      const shape = `${panel.rows}×${panel.columns}`;
      const { x, y, width, height } = panel.rect;
      Object.assign(element.style, {
        left: `${x}px`,
        top: `${y}px`,
        width: `${width}px`,
        height: `${height}px`,
      });
      if (panel.isCopy) element.dataset.copyOf = panel.name;
      else element.dataset.figure = panel.name;
      element.dataset.shape = shape;
      element.setAttribute("aria-label", attnviz.describe(panel));
      const selected = element.attnviz ? element.attnviz.selected : null;
      element.attnviz = {
        name: panel.name,
        get z() {
          return nested(panel);
        },
        selected,
      };
      writeTitle(element.firstChild, panel, shape, view.geometry);
    }
  }

  function writeTitle(title, panel, shape, { cell, zoom }) {
    const [base, sub, sup] = panel.symbol;
    const labels = panel.labelWidth > cell - 3 ? panel.labelWidth + 6 : 17 * zoom;
    const raised = panel.columnLabels.length ? labels : 0;
    const key = `${base} ${sub} ${sup} ${shape} ${panel.role}`;
    title.style.bottom = `calc(100% + ${raised + 2}px)`;
    if (title.dataset.key === key) return;
    title.dataset.key = key;
    title.className = `matrix-title role-${panel.role}`;
    const parts = [["b", base], ["sub", sub], ["sup", sup], ["small", panel.columns > 1 && shape]];
    title.replaceChildren(
      ...parts
        .filter(([, text]) => text)
        .map(([tag, text]) => {
          const part = document.createElement(tag);
          part.textContent = text;
          return part;
        })
    );
  }

  // The server's specification with this theme's colours and this window's sizes.
  function plotlySpec(view) {
    const { width, height } = view.geometry;
    const layout = {
      ...view.spec.layout,
      width,
      height,
      margin: { l: 0, r: 0, t: 0, b: 0, pad: 0 },
    };
    const data = [];
    for (const panel of view.panels) {
      const { trace, mask, rect } = panel;
      const axis = (letter, low, high) => {
        const name = trace[`${letter}axis`].replace(letter, `${letter}axis`);
        layout[name] = { ...view.spec.layout[name], domain: [low, high] };
      };
      axis("x", rect.x / width, (rect.x + rect.width) / width);
      axis("y", 1 - (rect.y + rect.height) / height, 1 - rect.y / height);
      const { colorscale } = attnviz.colourTable(panel.role, panel.kind);
      data.push({ ...trace, colorscale });
      if (mask) {
        const colour = attnviz.hiddenColour();
        data.push({ ...mask, colorscale: [[0, "rgba(0,0,0,0)"], [1, colour]] });
      }
    }
    return { data, layout };
  }

  async function drawExactly(view) {
    const { spec } = view;
    const { data, layout } = plotlySpec(view);
    view.isPending = false;
    await Plotly.react(view.plot, data, layout, CONFIG);
    if (view.spec !== spec || view.isPending) return; // newer values came meanwhile
    view.isMoving = false;
    attnviz.drawCells(view);
  }

  function drawNow(view) {
    view.isPending = true;
    if (!view.isNear) return false;
    view.isMoving = true;
    attnviz.drawCells(view);
    return true;
  }

  // ---- all figures of a page ---------------------------------------------------

  function layOut(page) {
    const figures = [...page.querySelectorAll("[data-graph]")].map(viewOf);
    const isShown = (view) => view.spec && view.element.offsetParent;
    const shown = figures.filter(isShown);
    const groups = [...page.querySelectorAll(".figure-row")].map((row) =>
      [...row.querySelectorAll("[data-graph]")].map(viewOf).filter(isShown)
    );
    const room = document.documentElement.clientHeight;
    const width = page.clientWidth;
    const first = page.querySelector(".figure-row");
    const top = first.getBoundingClientRect().top + window.scrollY;
    const foot = page.querySelector(".inspector")?.offsetHeight || 0;
    const height = Math.max(360, room - Math.min(top, 300) - foot - 8);
    const filled = groups.filter((group) => group.length);
    const cell = attnviz.cellSize(filled, width, height, SPACING);
    for (const view of shown) {
      const before = view.geometry;
      view.geometry = attnviz.place(view, cell);
      const { width: w, height: h } = view.geometry;
      if (!before || before.width !== w || before.height !== h) {
        view.element.style.width = `${w}px`;
        view.element.style.height = `${h}px`;
      }
      placeElements(view);
    }
    return shown;
  }

  function announce(drawn, exact) {
    const names = drawn.flatMap((view) => [...view.elements.keys()]);
    sequence += 1;
    document.dispatchEvent(
      new CustomEvent("attnviz:painted", { detail: { names, seq: sequence, exact } })
    );
  }

  function show(page, figures) {
    for (const element of page.querySelectorAll("[data-graph]")) {
      const spec = figures[element.dataset.graph];
      const view = viewOf(element);
      // A figure that this example does not have makes room for the others.
      element.classList.toggle("is-absent", !spec);
      view.spec = spec;
      if (!spec) continue;
      view.spec = spec;
      view.meta = spec.layout.meta;
      view.panels = readPanels(spec);
    }
    redraw(page);
  }

  function redraw(page) {
    const shown = layOut(page);
    for (const view of shown) attnviz.cover?.(page, view);
    const drawn = shown.filter(drawNow);
    attnviz.refreshMarks(page);
    announce(drawn, false);
    const isFirst = !document.documentElement.dataset.attnvizReady;
    clearTimeout(timer);
    timer = setTimeout(settle, isFirst ? 0 : REST);
  }

  async function settle() {
    const started = performance.now();
    const drawn = [];
    for (const view of views.values()) {
      if (!view.isPending || !view.isNear || !view.element.isConnected) continue;
      await drawExactly(view);
      drawn.push(view);
      if (performance.now() - started > SLICE) break;
    }
    if (!drawn.length) return;
    announce(drawn, true);
    clearTimeout(timer);
    const rest = [...views.values()].some((view) => view.isPending && view.isNear);
    if (rest) timer = setTimeout(settle, 0);
    else document.documentElement.dataset.attnvizReady = "true";
  }

  const nearby = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        const view = views.get(entry.target);
        const came = entry.isIntersecting && !view.isNear;
        view.isNear = entry.isIntersecting;
        if (came && view.spec && view.isPending) {
          drawNow(view);
          clearTimeout(timer);
          timer = setTimeout(settle, 0);
        }
      }
    },
    { rootMargin: "200px" }
  );

  const pages = () => [...document.querySelectorAll(".figures-page")];

  attnviz.redrawAll = () => pages().filter((page) => page.offsetParent).forEach(redraw);
  attnviz.redrawPage = redraw;
  attnviz.viewOf = (element) => views.get(element);

  new MutationObserver(() => {
    attnviz.forgetColours();
    attnviz.redrawAll();
  }).observe(document.documentElement, { attributeFilter: ["data-bs-theme", "class"] });

  let lastWidth = 0;
  new ResizeObserver(() => {
    const width = document.documentElement.clientWidth;
    if (width !== lastWidth) attnviz.redrawAll();
    lastWidth = width;
  }).observe(document.documentElement);
  // Fonts change the width of digits and captions; a canvas does not wait for them.
  document.fonts.load('10px "attnviz-digits"');
  document.fonts.addEventListener("loadingdone", attnviz.redrawAll);

  class FiguresBinding extends Shiny.OutputBinding {
    find(scope) {
      return $(scope).find(".figures-page");
    }
    renderValue(page, value) {
      if (!value) return;
      page.head = value.head;
      page.editable = value.editable;
      attnviz.showLive(page, value.live);
      show(page, value.figures);
      attnviz.followSelection(page);
      attnviz.showDerivation(page, value.derivation);
      attnviz.refreshEditor(page);
    }
    renderError(page, error) {
      console.error(error.message);
    }
    clearError() {}
  }
  Shiny.outputBindings.register(new FiguresBinding(), "attnviz.figures");
})();
