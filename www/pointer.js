// Hovering lights the row and the column a number belongs to, in every figure where
// they appear; a click, a tap or the arrow keys select a cell. All in the browser.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const PLACE = ["name", "i", "j"];
  const states = new WeakMap(); // page -> { hover, selected }
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;

  // "scores.2.3" in the address, counted from 1. It has no head yet, not even none, so
  // that it differs from every cell that was asked for.
  function addressedCell(page) {
    const parts = /^(\w+)\.([1-9]\d?)\.([1-9]\d?)$/.exec(attnviz.addressed(page, "cell") ?? "");
    return parts && { name: parts[1], i: parts[2] - 1, j: parts[3] - 1 };
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

  // The matrix of a name that is no copy.
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

  // Kᵀ shows K: rows and columns of such a picture change places to name a cell of the
  // matrix itself, and to find one.
  const turn = (panel, i, j) => (panel.isTurned ? [j, i] : [i, j]);

  attnviz.cellOf = (page, { panel, i, j }) => {
    const [row, column] = turn(panel, i, j);
    return { name: panel.name, i: row, j: column, head: page.head ?? null };
  };

  // Where a cell stands in a picture of its matrix.
  attnviz.placeIn = (panel, cell) => {
    const [i, j] = turn(panel, cell.i, cell.j);
    return { i, j, at: i * panel.columns + j, isThere: i < panel.rows && j < panel.columns };
  };

  // ---- marks ----------------------------------------------------------------------

  // What a cell lights elsewhere: its row's and its column's index, by what they mean.
  const lights = (panel, cell) => ({ [panel.axes[0]]: cell.i, [panel.axes[1]]: cell.j });

  // The frames of a figure, as [kind, place].
  function marksOf(view, lit, selected) {
    const marks = [];
    const mark = (kind, x, y, width, height) =>
      marks.push([kind, `left:${x}px;top:${y}px;width:${width}px;height:${height}px`]);
    const { cell, zoom } = view.geometry;
    for (const panel of view.panels) {
      const { x, y, width, height } = panel.rect;
      const i = lit[panel.axes[0]];
      const j = lit[panel.axes[1]];
      const hasRow = i < panel.rows;
      const hasColumn = j < panel.columns;
      if (hasRow && hasColumn) mark("cell", x + j * cell, y + i * cell, cell, cell);
      else if (hasRow) mark("line", x, y + i * cell, width, cell);
      else if (hasColumn) mark("line", x + j * cell, y, cell, height);
      if (hasRow && panel.rowLabels.length) {
        const width = panel.rowLabelWidth + 8;
        mark("label", x - width - 2, y + i * cell, width, cell);
      }
      if (hasColumn && panel.columnLabels.length) {
        const height = attnviz.areLabelsTurned(panel, cell) ? panel.labelWidth + 8 : 17 * zoom;
        mark("label", x + j * cell, y - height - 2, cell, height);
      }
      if (!panel.isCopy && selected && selected.name === panel.name) {
        const place = attnviz.placeIn(panel, selected);
        mark("selected", x + place.j * cell, y + place.i * cell, cell, cell);
      }
    }
    return marks;
  }

  // Equal marks stay: each write makes the browser look at the page.
  function drawMarks(view, lit, selected) {
    if (!view.marks) {
      view.marks = view.element.appendChild(document.createElement("div"));
      view.marks.className = "figure-marks";
    }
    const marks = marksOf(view, lit, selected);
    const key = marks.join(" ");
    if (view.marks.key === key) return;
    view.marks.key = key;
    view.marks.replaceChildren(
      ...marks.map(([kind, place]) => {
        const element = document.createElement("div");
        element.className = `lit lit-${kind}`;
        element.style.cssText = place;
        return element;
      })
    );
  }

  function drawAllMarks(page) {
    const { hover, selected } = stateOf(page);
    const panel = selected && attnviz.panelNamed(page, selected.name);
    const place = panel && attnviz.placeIn(panel, selected);
    const chosen = place?.isThere && selected;
    let lit = {};
    if (hover) lit = lights(hover.panel, hover);
    else if (chosen) lit = lights(panel, place);
    for (const view of viewsOf(page)) drawMarks(view, lit, chosen);
  }

  attnviz.refreshMarks = (page) => {
    const state = stateOf(page);
    state.hover = null;
    tip.hidden = true;
    drawAllMarks(page);
    const { selected } = state;
    for (const view of allViewsOf(page)) {
      for (const panel of view.panels) {
        const element = view.elements.get(panel.name);
        if (!element) continue;
        const place = selected?.name === panel.name && attnviz.placeIn(panel, selected);
        element.attnviz.selected = place ? [place.i, place.j] : null;
        const label = describe(view, panel, chosenRow(page, panel));
        if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
      }
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
    const { i, j } = attnviz.placeIn(panel, cell);
    return attnviz.cellOf(page, {
      panel,
      i: Math.min(i, panel.rows - 1),
      j: Math.min(j, panel.columns - 1),
    });
  }

  // The cell that a page explains at first.
  function startCell(page) {
    if (!page.start) return null; // no numbers have come yet
    const [name, i, j] = page.start;
    return within(page, { name, i, j });
  }

  const isSame = (one, other, keys) => one && other && keys.every((key) => one[key] === other[key]);

  // A cell that no head has of its own stays as it is when another head is shown.
  function selectOther(page, cell) {
    const before = stateOf(page).selected;
    const isHere = isSame(before, cell, PLACE);
    const isOfHead = isHere && (before.head === null || before.head === cell.head);
    if (cell && !isOfHead) attnviz.select(page, cell);
  }

  // Some numbers, such as exponentials, stand in no figure: the server knows which.
  function outside(page, cell) {
    const isAsked = cell?.head !== undefined;
    const isUnknown = isAsked && page.querySelector(".inspector").classList.contains("is-empty");
    return cell && !isUnknown ? { ...cell, head: page.head ?? null } : null;
  }

  // After new numbers: the first cell to explain, the shown head, sizes that shrank.
  attnviz.followSelection = (page) => {
    if (!page.querySelector(".inspector")) return;
    const state = stateOf(page);
    const { selected, start } = state;
    state.start = startCell(page);
    // Who has chosen nothing is led to what another example is about.
    const isLed = isSame(selected, start, PLACE) && !isSame(start, state.start, PLACE);
    const stays = !isLed && (within(page, selected) || outside(page, selected));
    selectOther(page, stays || state.start);
  };

  attnviz.addressParts.cell = (page) => {
    const selected = page && stateOf(page).selected;
    const isStart = !selected || isSame(selected, startCell(page), PLACE);
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

  // The row of a matrix that the selected cell belongs to, if there is one.
  function chosenRow(page, panel) {
    const { selected } = stateOf(page);
    const own = selected && attnviz.panelNamed(page, selected.name);
    const row = own && lights(own, attnviz.placeIn(own, selected))[panel.axes[0]];
    return row < panel.rows ? row : null;
  }

  // What a matrix is; of weights also the largest of a row, unless it is covered.
  function describe(view, panel, row) {
    const what = attnviz.word("figure.alt", {
      name: attnviz.word(`matrix.${panel.name}`) || panel.name,
      rows: panel.rows,
      columns: panel.columns,
    });
    if (panel.kind !== "weights" || !panel.values.length) return what;
    const start = (row ?? 0) * panel.columns;
    const end = row === null ? panel.values.length : start + panel.columns;
    let largest = start;
    for (let at = start; at < end; at++) {
      if (panel.values[at] > panel.values[largest]) largest = at;
    }
    if (view.covered?.get(panel.name)?.[largest]) return what;
    const i = Math.floor(largest / panel.columns);
    const j = largest % panel.columns;
    const weight = attnviz.word("figure.largest", {
      row: attnviz.axisPlace(panel, 0, i),
      column: attnviz.axisPlace(panel, 1, j),
      value: attnviz.format(panel.values[largest], 3),
    });
    return `${what} ${weight}`;
  }

  function showTip(page, view, { panel, i, j }) {
    if (!tip.isConnected) document.body.append(tip);
    const [base, sub] = panel.symbol;
    const isCovered = view.covered?.get(panel.name)?.[i * panel.columns + j];
    const own = attnviz.cellOf(page, { panel, i, j });
    const name = `${base}${sub ? `_${sub}` : ""}${subscript(`${own.i + 1},${own.j + 1}`)}`;
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
    attnviz.select(page, attnviz.cellOf(page, cell));
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
    const start = isHere ? attnviz.placeIn(panel, before) : { i: 0, j: 0 };
    const i = Math.max(0, Math.min(panel.rows - 1, start.i + down));
    const j = Math.max(0, Math.min(panel.columns - 1, start.j + right));
    attnviz.select(page, attnviz.cellOf(page, { panel, i, j }));
  });
})();
