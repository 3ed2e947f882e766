// The canvas over a figure: digits, hatching, hairlines and labels; while values
// move, the fills of the cells too.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const MINUS = "−";

  attnviz.format = (value, decimals) => {
    const text = Math.abs(value).toFixed(decimals);
    return value < 0 && Number(text) !== 0 ? MINUS + text : text;
  };

  // The form in which every number of a matrix fits its cell: two decimals if a legible
  // size allows, fewer for large numbers, none when nothing fits. An exact zero is "0".
  function digitsThatFit(pen, view, panel, family) {
    const { cell, zoom } = view.geometry;
    const largestSize = Math.min(15 * zoom, cell * 0.38);
    const smallestSize = Math.max(8.5, largestSize * 0.8);
    let largest = 0;
    for (const value of panel.values) largest = Math.max(largest, Math.abs(value));
    const most = panel.isWhole ? 0 : 2;
    const least = panel.isWhole || largest >= 100 ? 0 : 1;
    pen.font = `10px ${family}`;
    for (let decimals = most; decimals >= least; decimals--) {
      const sign = panel.kind === "weights" ? "" : MINUS;
      const widest = sign + largest.toFixed(decimals).replace(/\d/g, "0");
      const size = Math.min(largestSize, (10 * (cell - 4)) / pen.measureText(widest).width);
      if (size >= smallestSize) return { decimals, font: `${size}px ${family}` };
    }
    return null;
  }

  function hatch(pen, x, y, cell) {
    pen.save();
    pen.beginPath();
    pen.rect(x, y, cell, cell);
    pen.clip();
    pen.beginPath();
    const step = Math.max(4, cell / 4);
    for (let shift = -cell; shift < cell; shift += step) {
      pen.moveTo(x + shift, y + cell);
      pen.lineTo(x + shift + cell, y);
    }
    pen.stroke();
    pen.restore();
  }

  function drawPanel(pen, view, panel, inks) {
    const { cell } = view.geometry;
    const { x, y } = panel.rect;
    const table = attnviz.colourTable(panel.role, panel.kind);
    const digits = digitsThatFit(pen, view, panel, inks.family);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    if (digits) pen.font = digits.font;
    for (let i = 0, at = 0; i < panel.rows; i++) {
      for (let j = 0; j < panel.columns; j++, at++) {
        const left = x + j * cell;
        const top = y + i * cell;
        if (panel.hidden && panel.hidden[at]) {
          if (view.isMoving) {
            pen.fillStyle = inks.hidden;
            pen.fillRect(left, top, cell, cell);
          }
          pen.strokeStyle = inks.hatch;
          hatch(pen, left, top, cell);
          if (digits && panel.glyph) {
            pen.fillStyle = inks.label;
            pen.fillText(panel.glyph, left + cell / 2, top + cell / 2 + 0.5);
          }
          continue;
        }
        const level = attnviz.level(panel.values[at], panel.low, panel.high);
        if (view.isMoving) {
          pen.fillStyle = table.fills[level];
          pen.fillRect(left, top, cell, cell);
        }
        if (digits) {
          pen.fillStyle = table.texts[level];
          const value = panel.values[at];
          const text = value === 0 ? "0" : attnviz.format(value, digits.decimals);
          pen.fillText(text, left + cell / 2, top + cell / 2 + 0.5);
        }
      }
    }
    drawLines(pen, panel, cell, inks);
    drawLabels(pen, view, panel, inks);
  }

  // Hairlines in the page's colour part the cells; a fine frame closes the matrix.
  function drawLines(pen, panel, cell, inks) {
    const { x, y, width, height } = panel.rect;
    if (cell >= 12) {
      pen.fillStyle = inks.page;
      for (let j = 1; j < panel.columns; j++) pen.fillRect(x + j * cell - 0.5, y, 1, height);
      for (let i = 1; i < panel.rows; i++) pen.fillRect(x, y + i * cell - 0.5, width, 1);
    }
    pen.strokeStyle = inks.line;
    pen.lineWidth = 1;
    pen.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
  }

  function fit(pen, label, room) {
    if (pen.measureText(label).width <= room) return label;
    const letters = Array.from(label);
    while (letters.length > 1 && pen.measureText(letters.join("") + "…").width > room) {
      letters.pop();
    }
    return letters.join("") + "…";
  }

  function drawLabels(pen, view, panel, inks) {
    const { cell, zoom } = view.geometry;
    const { x, y } = panel.rect;
    pen.font = attnviz.labelFont();
    const every = Math.max(1, Math.ceil((11 * zoom) / cell));
    const ink = (padded, k) => (padded && padded[k] ? inks.faint : inks.label);
    pen.textAlign = "right";
    panel.rowLabels.forEach((label, i) => {
      if (i % every) return;
      pen.fillStyle = ink(panel.rowPadding, i);
      pen.fillText(fit(pen, label, 84 * zoom), x - 6, y + (i + 0.5) * cell + 0.5);
    });
    const isTurned = panel.labelWidth > cell - 3;
    pen.textAlign = isTurned ? "left" : "center";
    panel.columnLabels.forEach((label, j) => {
      if (j % every) return;
      pen.fillStyle = ink(panel.columnPadding, j);
      pen.save();
      pen.translate(x + (j + 0.5) * cell, y - (isTurned ? 5 : 9 * zoom));
      if (isTurned) pen.rotate(-Math.PI / 2);
      pen.fillText(fit(pen, label, 84 * zoom), 0, 0);
      pen.restore();
    });
  }

  attnviz.drawCells = (view) => {
    const { canvas, geometry } = view;
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(geometry.width * ratio);
    const height = Math.round(geometry.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.width = `${geometry.width}px`;
      canvas.style.height = `${geometry.height}px`;
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, geometry.width, geometry.height);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const inks = {
      page: colour("--page"),
      line: colour("--line"),
      label: colour("--mute"),
      faint: colour("--faint"),
      hatch: colour("--hatch"),
      hidden: attnviz.hiddenColour(),
      family: `"attnviz-digits", ${getComputedStyle(document.body).fontFamily}`,
    };
    for (const panel of view.panels) drawPanel(pen, view, panel, inks);
  };
})();
