// Change a number where it stands: type it, nudge it with + and −, drag it up and down,
// or let it swing so that everything downstream breathes. Cells of the mask toggle.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const NUDGE = 0.1;
  const PER_PIXEL = 0.02; // change of a number for one pixel of a vertical drag
  const DEAD = 4; // pixels before a press becomes a drag
  const SWING = { size: 0.8, period: 1600, cycles: 2, every: 50 };
  let drag = null;
  let swing = null; // { timer, restore }

  const pageOf = (target) => target.closest?.(".figures-page");
  const isEditable = (page, name) => (page.editable || []).includes(name);

  function valueOf(page, cell) {
    const panel = attnviz.panelNamed(page, cell.name);
    if (!panel) return null;
    const { at } = attnviz.placeIn(panel, cell);
    if (cell.name === "mask") return panel.hidden && panel.hidden[at] ? 0 : 1;
    return panel.values[at];
  }

  // Earlier results stay visible as small differences until another cell is chosen.
  function remember(page) {
    for (const element of page.querySelectorAll("[data-graph]")) {
      const view = attnviz.viewOf(element);
      if (view?.panels.length && !view.ghost) {
        view.ghost = new Map(view.panels.map((panel) => [panel.name, panel.values.slice()]));
      }
    }
  }

  function forget(page) {
    let had = false;
    for (const element of page.querySelectorAll("[data-graph]")) {
      const view = attnviz.viewOf(element);
      if (view?.ghost) had = true;
      if (view) view.ghost = null;
    }
    if (had) attnviz.redrawPage(page);
  }

  // What a number was when the remembered results were on screen.
  function rememberedValue(page, cell) {
    const { at } = attnviz.placeIn(attnviz.panelNamed(page, cell.name), cell);
    for (const element of page.querySelectorAll("[data-graph]")) {
      const before = attnviz.viewOf(element)?.ghost?.get(cell.name);
      if (before) return before[at];
    }
    return null;
  }

  function send(page, cell, value) {
    const rounded = Math.round(value * 1e6) / 1e6;
    attnviz.gated(page, () => attnviz.tell(page.dataset.edit, { ...cell, value: rounded }));
  }

  function change(page, cell, value) {
    if (!Number.isFinite(value)) return;
    remember(page);
    send(page, cell, Math.max(-1e6, Math.min(1e6, value)));
  }

  const toggle = (page, cell) => change(page, cell, 1 - valueOf(page, cell));

  function nudge(page, cell, amount) {
    if (cell.name === "mask") toggle(page, cell);
    else change(page, cell, valueOf(page, cell) + amount);
  }

  // ---- the bar in the inspector ------------------------------------------------------

  function showBar(page, cell) {
    const bar = page.querySelector(".edit-bar");
    if (!bar) return;
    const can = cell && isEditable(page, cell.name) && attnviz.panelNamed(page, cell.name);
    bar.hidden = !can;
    if (!can) return;
    bar.classList.toggle("for-mask", cell.name === "mask");
    const input = bar.querySelector("input");
    const value = valueOf(page, cell);
    if (document.activeElement !== input) write(input, value);
    const before = cell.name === "mask" ? null : rememberedValue(page, cell);
    bar.querySelector(".edit-before").textContent =
      before === null || before === value
        ? ""
        : attnviz.word("edit.before", { value: attnviz.format(before, 4) });
  }

  function write(input, value) {
    input.value = attnviz.format(value, 4);
    complain(input, "");
  }

  function complain(input, sentence) {
    input.taken = input.value;
    input.setAttribute("aria-invalid", String(sentence !== ""));
    pageOf(input).querySelector(".edit-problem").textContent = sentence;
  }

  attnviz.refreshEditor = (page) => showBar(page, attnviz.selectedCell(page));

  document.addEventListener("attnviz:selected", ({ detail: { page, cell } }) => {
    stopSwing();
    if (!drag) forget(page);
    showBar(page, cell);
  });

  // Take what was typed; what was taken already, or only shown, changes nothing.
  function take(input) {
    if (input.value === input.taken) return;
    const page = pageOf(input);
    const value = Number(input.value.trim().replace("−", "-").replace(",", "."));
    const isNumber = input.value.trim() !== "" && Number.isFinite(value);
    complain(input, isNumber ? "" : attnviz.word("edit.number"));
    if (!isNumber) return;
    // What is too large is sent, too: the server says so, and what would do.
    remember(page);
    send(page, attnviz.selectedCell(page), value);
  }

  document.addEventListener("focusout", (event) => {
    if (event.target.matches?.(".edit-bar input")) take(event.target);
  });
  // Enter takes the number, Escape leaves it as it was; both lead back to its matrix.
  document.addEventListener("keydown", (event) => {
    const input = event.target;
    if (!input.matches?.(".edit-bar input") || !["Enter", "Escape"].includes(event.key)) return;
    const page = pageOf(input);
    const cell = attnviz.selectedCell(page);
    if (event.key === "Enter") take(input);
    else write(input, valueOf(page, cell));
    const matrix = page.querySelector(`[data-figure="${cell.name}"]`);
    if (input.getAttribute("aria-invalid") !== "true") matrix.focus({ preventScroll: true });
  });

  function clear(page) {
    stopSwing();
    attnviz.gated("clear", () => attnviz.tell(page.dataset.clear, Math.random()));
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-edit-action]");
    if (!button) return;
    const page = pageOf(button);
    const cell = attnviz.selectedCell(page);
    const action = button.dataset.editAction;
    if (action === "undo") history.back();
    else if (action === "redo") history.forward();
    else if (action === "clear") clear(page);
    else if (action === "swing") swing ? stopSwing() : startSwing(page, cell);
    else nudge(page, cell, action === "more" ? NUDGE : -NUDGE);
  });

  // ---- keys --------------------------------------------------------------------------

  document.addEventListener("keydown", (event) => {
    const element = event.target;
    if (!element.classList?.contains("matrix")) return;
    const page = pageOf(element);
    const cell = attnviz.selectedCell(page);
    if (!cell || element.attnviz.name !== cell.name || !isEditable(page, cell.name)) return;
    const amount = event.shiftKey && event.key !== "+" ? 1 : NUDGE;
    const direction = (event.key === "+" || event.key === "=") - (event.key === "-" || event.key === "_");
    const input = page.querySelector(".edit-bar input");
    if (direction) nudge(page, cell, direction * amount);
    else if (event.key === "Enter" && cell.name === "mask") toggle(page, cell);
    else if (event.key === "Enter" || /^[0-9.]$/.test(event.key)) {
      input.focus();
      input.value = event.key === "Enter" ? input.value : event.key;
      if (event.key === "Enter") input.select();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  // ---- dragging ------------------------------------------------------------------------

  document.addEventListener("pointerdown", (event) => {
    const figure = event.target.closest?.("[data-graph]");
    const view = figure && attnviz.viewOf(figure);
    if (!view?.geometry || event.button || event.pointerType === "touch") return;
    const page = pageOf(figure);
    const at = attnviz.cellAt(view, event);
    if (!at || at.panel.isCopy || !isEditable(page, at.panel.name)) return;
    const cell = attnviz.cellOf(page, at);
    const start = valueOf(page, cell);
    drag = { page, view, cell, from: event.clientY, start, isMoving: false };
  });
  document.addEventListener("pointermove", (event) => {
    if (drag && !event.buttons) endDrag(event); // it was let go where nobody told
    if (!drag || drag.cell.name === "mask") return;
    const distance = drag.from - event.clientY;
    if (!drag.isMoving && Math.abs(distance) < DEAD) return;
    if (!drag.isMoving) {
      drag.isMoving = true;
      attnviz.select(drag.page, drag.cell);
      document.body.classList.add("is-dragging");
    }
    event.preventDefault();
    change(drag.page, drag.cell, drag.start + distance * PER_PIXEL);
  });
  const isSame = (one, other) => one.name === other.name && one.i === other.i && one.j === other.j;

  function endDrag(event) {
    document.body.classList.remove("is-dragging");
    const ended = drag;
    drag = null;
    if (!ended || event.type !== "pointerup") return;
    if (ended.isMoving) {
      // The click that ends a drag chooses nothing.
      document.addEventListener("click", (event) => event.preventDefault(), {
        capture: true,
        once: true,
      });
    } else if (ended.cell.name === "mask") {
      // Who lets go of another cell has thought better of it.
      const at = attnviz.cellAt(ended.view, event);
      if (!at || !isSame(attnviz.cellOf(ended.page, at), ended.cell)) return;
      attnviz.select(ended.page, ended.cell);
      toggle(ended.page, ended.cell);
    }
  }
  document.addEventListener("pointerup", endDrag);
  document.addEventListener("pointercancel", endDrag);

  // ---- swinging --------------------------------------------------------------------------

  // The server remembers how it was: the browser only knows the number it shows. Start
  // and end wait in a line of their own, where no edit takes their place.
  function sendSwing(page, state) {
    attnviz.gated(state, () => attnviz.tell(page.dataset.swing, state));
  }

  function startSwing(page, cell) {
    const start = valueOf(page, cell);
    const began = performance.now();
    remember(page);
    sendSwing(page, "on");
    const timer = setInterval(() => {
      const phase = (performance.now() - began) / SWING.period;
      if (phase >= SWING.cycles) stopSwing();
      else send(page, cell, start + SWING.size * Math.sin(2 * Math.PI * phase));
    }, SWING.every);
    swing = { timer, restore: () => sendSwing(page, "off") };
  }

  function stopSwing() {
    if (!swing) return;
    clearInterval(swing.timer);
    swing.restore();
    swing = null;
  }
})();
