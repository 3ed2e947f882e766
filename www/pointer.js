// Hovering lights the row and the column a number belongs to, in every figure where
// they appear; a click, a tap or the arrow keys select a cell. All in the browser.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const states = new WeakMap(); // page -> { hover, selected }
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;

  // "scores.2.3" in the address, counted from 1.
  function addressedCell(page) {
    const parts = /^(\w+)\.([1-9]\d?)\.([1-9]\d?)$/.exec(attnviz.addressed(page, "cell") ?? "");
    return parts && { name: parts[1], i: parts[2] - 1, j: parts[3] - 1, head: null };
  }

  const stateOf = (page) => {
    if (!states.has(page)) states.set(page, { hover: null, selected: addressedCell(page) });
    return states.get(page);
  };
  const allViewsOf = (page) =>
    [...page.querySelectorAll("[data-graph]")].map(attnviz.viewOf).filter((view) => view?.spec);
  // A figure out of sight may hold new numbers that have no place yet.
  const viewsOf = (page) => allViewsOf(page).filter((view) => view.panels[0]?.rect);

  attnviz.selectedCell = (page) => stateOf(page).selected;

  // The matrix of a name that is no copy; copies may stand turned.
  attnviz.panelNamed = (page, name) => {
    for (const view of allViewsOf(page)) {
      const panel = view.panels.find((candidate) => candidate.name === name && !candidate.isCopy);
      if (panel) return panel;
    }
    return null;
  };

  attnviz.cellAt = (view, event) => {
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
    return { panel, i, j };
  };

  // The cell of the matrix itself that a cell of a copy shows.
  function original(page, { panel, i, j }) {
    const own = attnviz.panelNamed(page, panel.name) || panel;
    const isTurned = own.axes[0] !== panel.axes[0] && own.axes[0] === panel.axes[1];
    const [row, column] = isTurned ? [j, i] : [i, j];
    return { name: panel.name, i: row, j: column, head: page.head ?? null };
  }

  // ---- marks ----------------------------------------------------------------------

  // What a cell lights elsewhere: its row's and its column's index, by what they mean.
  const lights = (panel, cell) => ({ [panel.axes[0]]: cell.i, [panel.axes[1]]: cell.j });

  function mark(layer, kind, x, y, width, height) {
    const element = layer.appendChild(document.createElement("div"));
    element.className = `lit lit-${kind}`;
    element.style.cssText = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
  }

  function drawMarks(view, lit, selected) {
    if (!view.marks) {
      view.marks = view.element.appendChild(document.createElement("div"));
      view.marks.className = "figure-marks";
    }
    const layer = view.marks;
    layer.replaceChildren();
    const { cell } = view.geometry;
    for (const panel of view.panels) {
      const { x, y, width, height } = panel.rect;
      const i = lit[panel.axes[0]];
      const j = lit[panel.axes[1]];
      const hasRow = i < panel.rows;
      const hasColumn = j < panel.columns;
      if (hasRow && hasColumn) mark(layer, "cell", x + j * cell, y + i * cell, cell, cell);
      else if (hasRow) mark(layer, "line", x, y + i * cell, width, cell);
      else if (hasColumn) mark(layer, "line", x + j * cell, y, cell, height);
      if (hasRow && panel.rowLabels.length) {
        const width = panel.rowLabelWidth + 8;
        mark(layer, "label", x - width - 2, y + i * cell, width, cell);
      }
      if (!panel.isCopy && selected && selected.name === panel.name) {
        mark(layer, "selected", x + selected.j * cell, y + selected.i * cell, cell, cell);
      }
    }
  }

  function drawAllMarks(page) {
    const { hover, selected } = stateOf(page);
    const panel = selected && attnviz.panelNamed(page, selected.name);
    const chosen = panel && selected.i < panel.rows && selected.j < panel.columns && selected;
    let lit = {};
    if (hover) lit = lights(hover.panel, hover);
    else if (chosen) lit = lights(panel, selected);
    for (const view of viewsOf(page)) drawMarks(view, lit, chosen);
  }

  attnviz.refreshMarks = (page) => {
    const state = stateOf(page);
    state.hover = null;
    tip.hidden = true;
    drawAllMarks(page);
    for (const element of page.querySelectorAll(".matrix")) {
      if (!element.attnviz) continue;
      const { selected } = state;
      const isOwn = selected && element.attnviz.name === selected.name;
      element.attnviz.selected = isOwn ? [selected.i, selected.j] : null;
    }
  };

  // ---- selection ------------------------------------------------------------------

  // Mark a cell; if it belongs to another head, show that head.
  attnviz.showSelected = (page, cell) => {
    stateOf(page).selected = cell;
    if (cell && cell.head !== null && page.head !== undefined && cell.head !== page.head) {
      page.querySelector(`[name$="-head"][value="${cell.head}"]`)?.click();
    }
    attnviz.refreshMarks(page);
    attnviz.touchAddress();
    document.dispatchEvent(new CustomEvent("attnviz:selected", { detail: { page, cell } }));
  };

  attnviz.select = (page, cell) => {
    attnviz.ask(page, cell);
    attnviz.showSelected(page, cell);
  };

  // A cell as far as the numbers on screen reach; null where they have no such matrix.
  function within(page, cell) {
    const panel = cell && attnviz.panelNamed(page, cell.name);
    if (!panel) return null;
    return {
      name: cell.name,
      i: Math.min(cell.i, panel.rows - 1),
      j: Math.min(cell.j, panel.columns - 1),
      head: page.head ?? null,
    };
  }

  // The cell that a page explains at first.
  function startCell(page) {
    const place = page.querySelector(".inspector");
    if (!place) return null;
    const [name, i, j] = place.dataset.start.split(" ");
    return within(page, { name, i: Number(i), j: Number(j) });
  }

  const isSame = (one, other, keys) => one && other && keys.every((key) => one[key] === other[key]);

  function selectOther(page, cell) {
    const before = stateOf(page).selected;
    if (cell && !isSame(before, cell, ["name", "i", "j", "head"])) attnviz.select(page, cell);
  }

  // After new numbers: the first cell to explain, the shown head, sizes that shrank.
  attnviz.followSelection = (page) => {
    if (!page.querySelector(".inspector")) return;
    selectOther(page, within(page, stateOf(page).selected) || startCell(page));
  };

  attnviz.addressParts.cell = (page) => {
    const selected = page && stateOf(page).selected;
    const isStart = !selected || isSame(selected, startCell(page), ["name", "i", "j"]);
    return isStart ? null : [selected.name, selected.i + 1, selected.j + 1].join(".");
  };
  // The numbers may still be those before: what does not fit them waits for the next.
  document.addEventListener("attnviz:restore", ({ detail: { page } }) => {
    const cell = addressedCell(page);
    selectOther(page, cell ? { ...cell, head: page.head ?? null } : startCell(page));
  });

  // ---- words about a cell -----------------------------------------------------------

  const subscript = (text) => text.replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

  function valueText(panel, i, j) {
    const at = i * panel.columns + j;
    if (panel.hidden && panel.hidden[at]) return panel.glyph;
    return attnviz.format(panel.values[at], 4);
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
    if (panel.kind !== "weights" || !panel.values.length) return what;
    let largest = 0;
    panel.values.forEach((value, at) => {
      if (value > panel.values[largest]) largest = at;
    });
    const i = Math.floor(largest / panel.columns);
    const j = largest % panel.columns;
    const weight = attnviz.word("figure.largest", {
      row: attnviz.axisPlace(panel, 0, i),
      column: attnviz.axisPlace(panel, 1, j),
      value: attnviz.format(panel.values[largest], 3),
    });
    return `${what} ${weight}`;
  };

  function showTip(page, view, { panel, i, j }) {
    if (!tip.isConnected) document.body.append(tip);
    const [base, sub] = panel.symbol;
    const isCovered = view.covered?.get(panel.name)?.[i * panel.columns + j];
    const name = `${base}${sub ? `_${sub}` : ""}${subscript(`${i + 1},${j + 1}`)}`;
    const head = document.createElement("b");
    head.className = `role-${panel.role}`;
    head.textContent = `${name} = ${isCovered ? "?" : valueText(panel, i, j)}`;
    const where = document.createElement("span");
    where.textContent = [attnviz.axisPlace(panel, 0, i), attnviz.axisPlace(panel, 1, j)]
      .filter(Boolean)
      .join(" · ");
    tip.replaceChildren(head, where);
    tip.hidden = false;
    const box = view.element.getBoundingClientRect();
    const { cell } = view.geometry;
    const x = box.left + panel.rect.x + (j + 1) * cell + 8;
    const y = box.top + panel.rect.y + i * cell - tip.offsetHeight - 6;
    const right = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.transform = `translate(${Math.min(x, right)}px, ${Math.max(4, y)}px)`;
  }

  // ---- events -----------------------------------------------------------------------

  const pageOf = (target) => target.closest?.(".figures-page");
  const viewAt = (target) => {
    const figure = target.closest?.("[data-graph]");
    const view = figure && attnviz.viewOf(figure);
    return view && view.geometry ? view : null;
  };

  function hover(page, view, cell) {
    const state = stateOf(page);
    const before = state.hover;
    if (before?.panel === cell?.panel && before?.i === cell?.i && before?.j === cell?.j) return;
    state.hover = cell;
    drawAllMarks(page);
    if (cell) showTip(page, view, cell);
    else tip.hidden = true;
  }

  document.addEventListener("pointermove", (event) => {
    const page = pageOf(event.target);
    if (!page || event.pointerType === "touch" || event.buttons) return;
    const view = viewAt(event.target);
    hover(page, view, view && attnviz.cellAt(view, event));
  });
  document.addEventListener("pointerout", (event) => {
    const page = pageOf(event.target);
    if (page && !pageOf(event.relatedTarget || document.body)) hover(page, null, null);
  });
  document.addEventListener("click", (event) => {
    const view = viewAt(event.target);
    const cell = view && attnviz.cellAt(view, event);
    if (!cell || event.defaultPrevented) return;
    const page = pageOf(event.target);
    attnviz.select(page, original(page, cell));
    view.elements.get(cell.panel.name)?.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    const element = event.target;
    if (!element.classList?.contains("matrix") || !STEPS[event.key] || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const page = pageOf(element);
    const { name } = element.attnviz;
    const panel = attnviz.panelNamed(page, name);
    const before = stateOf(page).selected;
    const isHere = before && before.name === name;
    const [down, right] = isHere ? STEPS[event.key] : [0, 0];
    const start = isHere ? before : { i: 0, j: 0 };
    const i = Math.max(0, Math.min(panel.rows - 1, start.i + down));
    const j = Math.max(0, Math.min(panel.columns - 1, start.j + right));
    attnviz.select(page, { name, i, j, head: page.head ?? null });
  });
})();
