// The canvas over a figure: digits, hatching, hairlines and labels; while values
// move, the fills of the cells too.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const MINUS = "−";
  const LEAST = 8.5; // px of the smallest change that is written out
  const SAME = 1e-9; // differences below are rounding
  const ROOM_FOR_CHANGE = 30; // px of the smallest cell that shows its change
  const fills = document.createElement("canvas");
  let tile = { key: "" };

  attnviz.format = (value, decimals) => {
    const text = Math.abs(value).toFixed(decimals);
    return value < 0 && Number(text) !== 0 ? MINUS + text : text;
  };

  const plain = (value, decimals) => (value === 0 ? "0" : attnviz.format(value, decimals));
  const longest = (texts) => texts.reduce((best, text) => (text.length > best.length ? text : best));

  // The form in which every number of a matrix fits its cell: as written by the server,
  // else two decimals if a legible size allows, fewer for large numbers; null when
  // nothing fits. An exact zero is "0".
  function digitsThatFit(view, panel) {
    const { cell, zoom, least: smallest } = view.geometry;
    const { digits: family } = attnviz.theme();
    const largestSize = Math.max(smallest, Math.min(17 * zoom, cell * 0.38));
    const smallestSize = Math.max(smallest, largestSize * 0.8);
    const fontFor = (widest) => {
      const width = attnviz.textWidth(`10px ${family}`, widest);
      const size = Math.min(largestSize, (10 * (cell - 4)) / width);
      return size >= smallestSize && `${size}px ${family}`;
    };
    const written = panel.texts && fontFor(longest(panel.texts));
    if (written) return { font: written, text: (at) => panel.texts[at] };
    let largest = 0;
    for (const value of panel.values) largest = Math.max(largest, Math.abs(value));
    const most = panel.isWhole ? 0 : 2;
    const least = panel.isWhole || largest >= 100 ? 0 : 1;
    const sign = panel.kind === "weights" ? "" : MINUS;
    for (let decimals = most; decimals >= least; decimals--) {
      const font = fontFor(sign + largest.toFixed(decimals).replace(/\d/g, "0"));
      if (font) return { font, text: (at) => plain(panel.values[at], decimals) };
    }
    return null;
  }

  // ---- fills ----------------------------------------------------------------------

  // One pixel a cell, blown up: as fast for a thousand cells as for ten.
  function drawFills(pen, panel) {
    const { rows, columns, values, hidden, rect } = panel;
    const table = attnviz.colourTable(panel.role, panel.kind);
    const blank = attnviz.pixel(attnviz.theme().hidden);
    const picture = new ImageData(columns, rows);
    const pixels = new Uint32Array(picture.data.buffer);
    for (let at = 0; at < pixels.length; at++) {
      const level = attnviz.level(values[at], panel.low, panel.high);
      pixels[at] = hidden && hidden[at] ? blank : table.fills[level];
    }
    if (fills.width < columns) fills.width = columns;
    if (fills.height < rows) fills.height = rows;
    fills.getContext("2d").putImageData(picture, 0, 0);
    pen.imageSmoothingEnabled = false;
    const { x, y, width, height } = rect;
    pen.drawImage(fills, 0, 0, columns, rows, x, y, width, height);
  }

  // A hatched cell, drawn once and copied.
  function hatchTile(cell, ratio) {
    const { hatch } = attnviz.theme();
    const key = `${cell} ${ratio} ${hatch}`;
    if (tile.key === key) return tile.canvas;
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = Math.max(1, Math.round(cell * ratio));
    const pen = canvas.getContext("2d");
    pen.scale(canvas.width / cell, canvas.height / cell);
    pen.strokeStyle = hatch;
    const step = Math.max(4, cell / 4);
    for (let shift = -cell; shift < cell; shift += step) {
      pen.moveTo(shift, cell);
      pen.lineTo(shift + cell, 0);
    }
    pen.stroke();
    tile = { key, canvas };
    return canvas;
  }

  // ---- one matrix -----------------------------------------------------------------

  function drawHidden(pen, view, panel, covered, ratio) {
    if (!panel.hidden) return;
    const { cell } = view.geometry;
    const canvas = hatchTile(cell, ratio);
    eachCell(panel, cell, (at, left, top) => {
      if (panel.hidden[at] && !covered?.[at]) pen.drawImage(canvas, left, top, cell, cell);
    });
  }

  function eachCell({ rows, columns, rect }, cell, visit) {
    for (let i = 0, at = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++, at++) {
        visit(at, rect.x + j * cell, rect.y + i * cell);
      }
    }
  }

  // A result that is still to be predicted.
  function drawCover(pen, view, panel, covered) {
    const { cell } = view.geometry;
    const { panel: fill, faint, digits } = attnviz.theme();
    pen.font = `${Math.min(15, cell * 0.5)}px ${digits}`;
    eachCell(panel, cell, (at, left, top) => {
      if (!covered[at]) return;
      pen.fillStyle = fill;
      pen.fillRect(left, top, cell, cell);
      pen.fillStyle = faint;
      pen.fillText("?", left + cell / 2, top + cell / 2 + 0.5);
    });
  }

  function drawDigits(pen, view, panel, covered) {
    const digits = digitsThatFit(view, panel);
    if (!digits) return;
    const { cell } = view.geometry;
    const { label } = attnviz.theme();
    const table = attnviz.colourTable(panel.role, panel.kind);
    const changes = changesOf(view, panel);
    pen.font = digits.font;
    eachCell(panel, cell, (at, left, top) => {
      if (covered?.[at]) return;
      const isHidden = panel.hidden && panel.hidden[at];
      const level = attnviz.level(panel.values[at], panel.low, panel.high);
      pen.fillStyle = isHidden ? label : table.inks[table.isLight[level]];
      const text = isHidden ? panel.glyph : digits.text(at);
      const isLifted = changes && cell >= ROOM_FOR_CHANGE && Math.abs(changes[at]) > SAME;
      const lift = isLifted ? cell * 0.14 : 0;
      if (text) pen.fillText(text, left + cell / 2, top + cell / 2 + 0.5 - lift);
    });
    if (changes) drawChanges(pen, view, panel, changes, covered);
  }

  // By how much each number differs from what was remembered, if both can be compared.
  function changesOf(view, panel) {
    const before = view.ghost?.get(panel.name);
    if (!before || before.length !== panel.values.length) return null;
    return panel.values.map((value, at) => (panel.hidden?.[at] ? 0 : value - before[at]));
  }

  function drawChanges(pen, view, panel, changes, covered) {
    const { cell } = view.geometry;
    const { label, digits } = attnviz.theme();
    const table = attnviz.colourTable(panel.role, panel.kind);
    pen.font = `${Math.max(LEAST, cell * 0.24)}px ${digits}`;
    eachCell(panel, cell, (at, left, top) => {
      if (covered?.[at] || Math.abs(changes[at]) <= SAME) return;
      const isLight = table.isLight[attnviz.level(panel.values[at], panel.low, panel.high)];
      pen.fillStyle = isLight ? table.inks[1] : label;
      if (cell < ROOM_FOR_CHANGE) {
        drawDirection(pen, left, top, cell, changes[at] > 0);
        return;
      }
      const sign = changes[at] > 0 ? "+" : MINUS;
      const text = sign + Math.abs(changes[at]).toFixed(2);
      pen.fillText(text, left + cell / 2, top + cell * 0.78);
    });
  }

  // Where a change does not fit in writing, a corner says whether a number rose or fell.
  function drawDirection(pen, left, top, cell, rose) {
    const size = Math.max(3, cell * 0.22);
    const base = top + (rose ? size + 2 : 2);
    pen.beginPath();
    pen.moveTo(left + cell - size - 2, base);
    pen.lineTo(left + cell - 2, base);
    pen.lineTo(left + cell - 2 - size / 2, base + (rose ? -size : size));
    pen.fill();
  }

  // Hairlines in the page's colour part the cells; a fine frame closes the matrix.
  function drawLines(pen, panel, cell) {
    const { x, y, width, height } = panel.rect;
    const { page, line } = attnviz.theme();
    if (cell >= 12) {
      pen.fillStyle = page;
      for (let j = 1; j < panel.columns; j++) pen.fillRect(x + j * cell - 0.5, y, 1, height);
      for (let i = 1; i < panel.rows; i++) pen.fillRect(x, y + i * cell - 0.5, width, 1);
    }
    pen.strokeStyle = line;
    pen.lineWidth = 1;
    pen.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
  }

  const fit = (attnviz.fitText = (font, label, room) => {
    if (attnviz.textWidth(font, label) <= room) return label;
    const letters = Array.from(label);
    while (letters.length > 1 && attnviz.textWidth(font, `${letters.join("")}…`) > room) {
      letters.pop();
    }
    return `${letters.join("")}…`;
  });

  function drawLabels(pen, view, panel) {
    const { cell, zoom } = view.geometry;
    const { x, y } = panel.rect;
    const { labelFont, faint, label: plainInk } = attnviz.theme();
    const room = 84 * zoom;
    const every = Math.max(1, Math.ceil((11 * zoom) / cell));
    const ink = (padded, k) => (padded && padded[k] ? faint : plainInk);
    pen.font = labelFont;
    pen.textAlign = "right";
    panel.rowLabels.forEach((label, i) => {
      if (i % every) return;
      pen.fillStyle = ink(panel.rowPadding, i);
      pen.fillText(fit(labelFont, label, room), x - 6, y + (i + 0.5) * cell + 0.5);
    });
    const isTurned = attnviz.areLabelsTurned(panel, cell);
    pen.textAlign = isTurned ? "left" : "center";
    panel.columnLabels.forEach((label, j) => {
      if (j % every) return;
      pen.fillStyle = ink(panel.columnPadding, j);
      pen.save();
      pen.translate(x + (j + 0.5) * cell, y - (isTurned ? 5 : 9 * zoom));
      if (isTurned) pen.rotate(-Math.PI / 2);
      pen.fillText(fit(labelFont, label, room), 0, 0);
      pen.restore();
    });
  }

  function drawPanel(pen, view, panel, ratio) {
    const covered = view.covered?.get(panel.name);
    if (view.isMoving) drawFills(pen, panel);
    drawHidden(pen, view, panel, covered, ratio);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    drawDigits(pen, view, panel, covered);
    if (covered) drawCover(pen, view, panel, covered);
    drawLines(pen, panel, view.geometry.cell);
    drawLabels(pen, view, panel);
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
    for (const panel of view.panels) drawPanel(pen, view, panel, ratio);
  };
})();
