// The canvas over a figure: digits, hatching, hairlines and labels; while values
// move, the fills of the cells too.
import { colourTable, currentTheme, levelOf, pixelOf } from "../shell/colours.js";
import { changesOf, drawChanges, liftOf } from "./changes.js";
import { areLabelsTurned, LARGEST_LABEL } from "./extent.js";
import { PREDICTED } from "./covers.js";
import { digitsThatFit, fitText } from "./text.js";
import { eachCell, isGap } from "./views.js";

const SMALLEST_SIGN = 8; // px of a cell that has room for a stroke
const SLIGHT = 0.04; // share of the scale below which a sign tells nothing
const fills = document.createElement("canvas");
let tile = { key: "" };

// ---- fills ----------------------------------------------------------------------

// One pixel a cell, blown up: as fast for a thousand cells as for ten.
function drawFills(pen, panel) {
  const { rows, columns, values, hidden, rect } = panel;
  const table = colourTable(panel.role, panel.kind);
  const blank = pixelOf(currentTheme().hidden);
  const picture = new ImageData(columns, rows);
  const pixels = new Uint32Array(picture.data.buffer);
  for (let at = 0; at < pixels.length; at++) {
    const level = levelOf(values[at], panel.low, panel.high);
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
  const { hatch } = currentTheme();
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

// A result that is still to be predicted, or to come.
function drawCover(pen, view, panel, covered) {
  const { cell } = view.geometry;
  const { panel: fill, page, faint, digits } = currentTheme();
  pen.font = `${Math.min(15, cell * 0.5)}px ${digits}`;
  eachCell(panel, cell, (at, left, top) => {
    if (!covered[at]) return;
    const isPredicted = covered[at] === PREDICTED;
    pen.fillStyle = isPredicted ? fill : page;
    pen.fillRect(left, top, cell, cell);
    pen.fillStyle = faint;
    if (isPredicted) pen.fillText("?", left + cell / 2, top + cell / 2 + 0.5);
  });
}

// Features that are folded away.
function drawGaps(pen, view, panel) {
  if (!panel.places.some(Boolean)) return;
  const { cell } = view.geometry;
  const { page, label, digits } = currentTheme();
  pen.font = `${Math.min(15, cell * 0.6)}px ${digits}`;
  eachCell(panel, cell, (at, left, top) => {
    if (!isGap(panel, at)) return;
    pen.fillStyle = page;
    pen.fillRect(left, top, cell, cell);
    pen.fillStyle = label;
    pen.fillText("⋯", left + cell / 2, top + cell / 2 + 0.5);
  });
}

// Without digits, a stroke tells what is negative: colour alone would not, to everybody.
function drawSigns(pen, view, panel, covered) {
  const { cell } = view.geometry;
  if (cell < SMALLEST_SIGN || panel.kind === "weights") return;
  const table = colourTable(panel.role, panel.kind);
  eachCell(panel, cell, (at, left, top) => {
    const value = panel.values[at];
    if (value >= panel.low * SLIGHT || covered?.[at] || panel.hidden?.[at]) return;
    pen.fillStyle = table.inks[table.isLight[levelOf(value, panel.low, panel.high)]];
    pen.fillRect(left + cell * 0.3, top + cell * 0.5 - 0.5, cell * 0.4, 1);
  });
}

function drawDigits(pen, view, panel, covered) {
  const digits = digitsThatFit(view.geometry, panel);
  if (!digits) {
    drawSigns(pen, view, panel, covered);
    return;
  }
  const { cell } = view.geometry;
  const { label } = currentTheme();
  const table = colourTable(panel.role, panel.kind);
  const changes = changesOf(view, panel);
  pen.font = digits.font;
  eachCell(panel, cell, (at, left, top) => {
    if (covered?.[at] || isGap(panel, at)) return;
    const isHidden = panel.hidden && panel.hidden[at];
    const level = levelOf(panel.values[at], panel.low, panel.high);
    pen.fillStyle = isHidden ? label : table.inks[table.isLight[level]];
    const text = isHidden ? panel.glyph : digits.text(at);
    const lift = changes ? liftOf(changes[at], cell) : 0;
    if (text) pen.fillText(text, left + cell / 2, top + cell / 2 + 0.5 - lift);
  });
  if (changes) drawChanges(pen, view, panel, changes, covered);
}

// Hairlines in the page's colour part the cells; a fine frame closes the matrix.
function drawLines(pen, panel, cell) {
  const { x, y, width, height } = panel.rect;
  const { page, line } = currentTheme();
  if (cell >= 12) {
    pen.fillStyle = page;
    for (let j = 1; j < panel.columns; j++) pen.fillRect(x + j * cell - 0.5, y, 1, height);
    for (let i = 1; i < panel.rows; i++) pen.fillRect(x, y + i * cell - 0.5, width, 1);
  }
  pen.strokeStyle = line;
  pen.lineWidth = 1;
  pen.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
}

// Cells that ask to be looked at, such as those of a result that are not as they should be.
function drawMarked(pen, panel, cell) {
  const { variable } = currentTheme();
  const { x, y } = panel.rect;
  pen.strokeStyle = variable("--bad");
  pen.lineWidth = cell < SMALLEST_SIGN ? 1 : 1.5;
  for (const at of panel.marked) {
    const [i, j] = [Math.floor(at / panel.columns), at % panel.columns];
    pen.strokeRect(x + j * cell + 1, y + i * cell + 1, cell - 2, cell - 2);
  }
}

function drawLabels(pen, view, panel) {
  const { cell, zoom } = view.geometry;
  const { x, y } = panel.rect;
  const { labelFont, faint, label: plainInk } = currentTheme();
  const room = LARGEST_LABEL * zoom;
  const every = Math.max(1, Math.ceil((11 * zoom) / cell));
  const ink = (padded, k) => (padded && padded[k] ? faint : plainInk);
  pen.font = labelFont;
  pen.textAlign = "right";
  panel.rowLabels.forEach((label, i) => {
    if (i % every) return;
    pen.fillStyle = ink(panel.rowPadding, i);
    pen.fillText(fitText(labelFont, label, room), x - 6, y + (i + 0.5) * cell + 0.5);
  });
  const isTurned = areLabelsTurned(panel, cell);
  pen.textAlign = isTurned ? "left" : "center";
  panel.columnLabels.forEach((label, j) => {
    if (j % every) return;
    pen.fillStyle = ink(panel.columnPadding, j);
    pen.save();
    pen.translate(x + (j + 0.5) * cell, y - (isTurned ? 5 : 9 * zoom));
    if (isTurned) pen.rotate(-Math.PI / 2);
    pen.fillText(fitText(labelFont, label, room), 0, 0);
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
  drawGaps(pen, view, panel);
  if (covered) drawCover(pen, view, panel, covered);
  drawLines(pen, panel, view.geometry.cell);
  if (!covered) drawMarked(pen, panel, view.geometry.cell);
  drawLabels(pen, view, panel);
}

export function drawCells(view) {
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
}
