// Hovering lights the row and the column a number belongs to, in every figure where
// they appear; a click, a tap or the arrow keys select a cell. All in the browser.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const states = new WeakMap(); // page -> { hover, selected }

  const stateOf = (page) => {
    if (!states.has(page)) states.set(page, { hover: null, selected: null });
    return states.get(page);
  };
  const viewsOf = (page) =>
    [...page.querySelectorAll("[data-graph]")]
      .map(attnviz.viewOf)
      .filter((view) => view && view.geometry);

  function cellAt(view, event) {
    const box = view.element.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const panel = view.panels.find(
      ({ rect }) =>
        x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height
    );
    if (!panel) return null;
    const { cell } = view.geometry;
    const i = Math.floor((y - panel.rect.y) / cell);
    const j = Math.floor((x - panel.rect.x) / cell);
    return { name: panel.name, axes: panel.axes, i, j };
  }

  // What a cell lights elsewhere: its row's and its column's index, by what they mean.
  const lights = (cell) => (cell ? { [cell.axes[0]]: cell.i, [cell.axes[1]]: cell.j } : {});

  function mark(layer, kind, x, y, width, height) {
    const element = layer.appendChild(document.createElement("div"));
    element.className = `mark mark-${kind}`;
    element.style.cssText = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
  }

  function drawMarks(view, state) {
    if (!view.marks) {
      view.marks = view.element.appendChild(document.createElement("div"));
      view.marks.className = "figure-marks";
    }
    const layer = view.marks;
    layer.replaceChildren();
    const { cell } = view.geometry;
    const lit = lights(state.hover || state.selected);
    for (const panel of view.panels) {
      const { x, y, width, height } = panel.rect;
      const i = lit[panel.axes[0]];
      const j = lit[panel.axes[1]];
      const hasRow = i < panel.rows;
      const hasColumn = j < panel.columns;
      if (hasRow && hasColumn) mark(layer, "cell", x + j * cell, y + i * cell, cell, cell);
      else if (hasRow) mark(layer, "line", x, y + i * cell, width, cell);
      else if (hasColumn) mark(layer, "line", x + j * cell, y, cell, height);
      const { selected } = state;
      if (selected && selected.name === panel.name) {
        mark(layer, "selected", x + selected.j * cell, y + selected.i * cell, cell, cell);
      }
    }
  }

  function panelNamed(page, name) {
    for (const view of viewsOf(page)) {
      const panel = view.panels.find((candidate) => candidate.name === name && !candidate.isCopy);
      if (panel) return panel;
    }
    return null;
  }

  // A size may have shrunk since the cell was chosen: stay on the last row or column.
  function keepInside(page, cell) {
    const panel = cell && panelNamed(page, cell.name);
    if (!panel) return null;
    const i = Math.min(cell.i, panel.rows - 1);
    const j = Math.min(cell.j, panel.columns - 1);
    return { ...cell, axes: panel.axes, i, j };
  }

  attnviz.refreshMarks = (page) => {
    const state = stateOf(page);
    state.selected = keepInside(page, state.selected);
    state.hover = null;
    for (const view of viewsOf(page)) drawMarks(view, state);
    for (const element of page.querySelectorAll(".matrix")) {
      const own = state.selected && element.attnviz?.name === state.selected.name;
      if (element.attnviz) {
        element.attnviz.selected = own ? [state.selected.i, state.selected.j] : null;
      }
    }
    showReadout(page, state.selected);
  };

  attnviz.select = (page, cell) => {
    stateOf(page).selected = cell;
    attnviz.refreshMarks(page);
    document.dispatchEvent(new CustomEvent("attnviz:selected", { detail: { page, cell } }));
  };

  function hover(page, cell) {
    const state = stateOf(page);
    const same = JSON.stringify(cell) === JSON.stringify(state.hover);
    if (same) return;
    state.hover = cell;
    for (const view of viewsOf(page)) drawMarks(view, state);
    showReadout(page, cell || state.selected);
  }

  // ---- words about a cell -------------------------------------------------------

  const subscript = (text) => text.replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

  function valueText(panel, i, j, decimals) {
    const at = i * panel.columns + j;
    if (panel.hidden && panel.hidden[at]) return panel.glyph;
    return attnviz.format(panel.values[at], decimals);
  }

  function showReadout(page, cell) {
    const place = page.querySelector(".readout");
    if (!place) return;
    const panel = cell && panelNamed(page, cell.name);
    place.classList.toggle("is-empty", !panel);
    if (!panel) return;
    const [base, sub, sup] = panel.symbol;
    const index = subscript(
      panel.columns > 1 || panel.rows === 1 ? `${cell.i + 1},${cell.j + 1}` : `${cell.i + 1}`
    );
    const name = place.querySelector(".readout-name");
    name.className = `readout-name role-${panel.role}`;
    name.replaceChildren(base);
    for (const [tag, text] of [["sub", sub], ["sup", sup]]) {
      if (!text) continue;
      const part = name.appendChild(document.createElement(tag));
      part.textContent = text;
    }
    name.append(index);
    place.querySelector(".readout-value").textContent = valueText(panel, cell.i, cell.j, 4);
    place.querySelector(".readout-place").textContent = [
      attnviz.axisPlace(panel, 0, cell.i),
      attnviz.axisPlace(panel, 1, cell.j),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  // "query 2 (cat)": what an index of a row or a column stands for.
  attnviz.axisPlace = (panel, axis, index) => {
    const word = attnviz.word(`axis.${panel.axes[axis]}`);
    if (!word) return "";
    const label = panel.trace.meta[axis ? "columns_named" : "rows_named"]?.[index];
    return label ? `${word} ${index + 1} (${label})` : `${word} ${index + 1}`;
  };

  attnviz.describe = (panel) => {
    const what = attnviz.word("figure.alt", {
      name: attnviz.word(`matrix.${panel.name}`) || panel.name,
      rows: panel.rows,
      columns: panel.columns,
    });
    if (panel.kind !== "weights") return what;
    const largest = [...panel.values.keys()].reduce((best, at) =>
      panel.values[at] > panel.values[best] ? at : best
    );
    const i = Math.floor(largest / panel.columns);
    const j = largest % panel.columns;
    const weight = attnviz.word("figure.largest", {
      row: attnviz.axisPlace(panel, 0, i),
      column: attnviz.axisPlace(panel, 1, j),
      value: attnviz.format(panel.values[largest], 3),
    });
    return `${what} ${weight}`;
  };

  // ---- events -------------------------------------------------------------------

  const pageOf = (target) => target.closest?.(".figures-page");

  document.addEventListener("pointermove", (event) => {
    const page = pageOf(event.target);
    if (!page || event.pointerType === "touch") return;
    const figure = event.target.closest("[data-graph]");
    const view = figure && attnviz.viewOf(figure);
    hover(page, view && view.geometry ? cellAt(view, event) : null);
  });
  document.addEventListener("pointerout", (event) => {
    const page = pageOf(event.target);
    if (page && !pageOf(event.relatedTarget || document.body)) hover(page, null);
  });
  document.addEventListener("click", (event) => {
    const page = pageOf(event.target);
    const figure = event.target.closest("[data-graph]");
    const view = figure && attnviz.viewOf(figure);
    const cell = view && view.geometry && cellAt(view, event);
    if (cell) attnviz.select(page, cell);
  });
  document.addEventListener("keydown", (event) => {
    const element = event.target;
    if (!element.classList?.contains("matrix") || !STEPS[event.key]) return;
    event.preventDefault();
    const page = pageOf(element);
    const { name } = element.attnviz;
    const panel = panelNamed(page, name);
    const before = stateOf(page).selected;
    const [down, right] = before && before.name === name ? STEPS[event.key] : [0, 0];
    const start = before && before.name === name ? before : { i: 0, j: 0 };
    const i = Math.max(0, Math.min(panel.rows - 1, start.i + down));
    const j = Math.max(0, Math.min(panel.columns - 1, start.j + right));
    attnviz.select(page, { name, axes: panel.axes, i, j });
  });
})();
