// Where the matrices of a figure stand: one cell size a page, equal everywhere.
import { currentTheme } from "../shell/colours.js";
import { textWidth } from "./text.js";

const TITLE = 18; // line above each matrix with its symbol and shape
const GAP = 12; // between two matrices of one figure
const LARGEST_LABEL = 84;
const SMALLEST = 9;
const COMFORTABLE = 24; // smallest cell that still holds two decimals
const LEGIBLE = 20; // smallest cell that still holds one
const TALLEST = 1.2; // windows that a figure may be high for the sake of its digits
const LARGEST = 40;
const ROOMY = 72; // largest cell of a figure that has the page to itself
const PROJECTED = 58; // smallest cell whose digits the last row of a class can read
const SMALLEST_DIGIT = 8.5; // px
const PROJECTED_DIGIT = 22; // px
const NARROW = 560; // px of a page on which each figure finds a size of its own

// Labels of columns that are wider than a cell stand upright.
export const areLabelsTurned = ({ labelWidth }, cell) => labelWidth > cell - 3;

function widthOf(labels) {
  const { labelFont, zoom } = currentTheme();
  const all = labels.map((label) => textWidth(labelFont, label));
  return Math.min(LARGEST_LABEL * zoom, Math.ceil(Math.max(0, ...all)));
}

// What the layout of a figure depends on, apart from the size of a cell.
function measure(view) {
  const { zoom } = currentTheme();
  const tracks = view.frame.tracks.map((cells) => ({ cells, before: 0 }));
  const bands = view.frame.bands.map((cells) => ({ cells, before: TITLE * zoom }));
  for (const panel of view.panels) {
    const track = tracks[panel.track];
    const band = bands[panel.band];
    panel.rowLabels = panel.ownRowLabels;
    panel.labelWidth = widthOf(panel.columnLabels);
    if (panel.rowLabels.length) {
      panel.rowLabelWidth = widthOf(panel.rowLabels);
      track.before = Math.max(track.before, panel.rowLabelWidth + 8);
    }
    if (panel.columnLabels.length) {
      // Labels are turned when a cell is too narrow, so their length is kept free.
      band.before = Math.max(band.before, (TITLE + 4) * zoom + panel.labelWidth);
    }
  }
  return {
    view,
    tracks,
    bands,
    share: view.frame.scale,
    breaksAt: Infinity, // px of a line of matrices
    caption: { width: view.caption.offsetWidth, height: view.caption.offsetHeight },
    // A product figure leaves its first corner free: the caption stands there.
    hasCorner: !view.panels.some((panel) => panel.track === 0 && panel.band === 0),
  };
}

// A figure of one band may break like a line of text; each line has room for labels.
function linesOf({ tracks, breaksAt }, cell, gap) {
  const lines = [];
  let end = Infinity;
  for (const track of tracks) {
    const width = track.before + track.cells * cell;
    if (end + gap + width <= breaksAt) {
      lines.at(-1).push(track);
      end += gap + width;
    } else {
      const { before } = tracks[0];
      lines.push([{ ...track, before }]);
      end = before + track.cells * cell;
    }
  }
  return lines;
}

// Left edges of the tracks, top edges of the bands, and the size of the whole.
function extent(m, pageCell) {
  const cell = Math.max(SMALLEST / 2, Math.round(pageCell * m.share));
  const gap = GAP * currentTheme().zoom;
  const spread = (items, start, least) => {
    const edges = [];
    let at = start;
    items.forEach((item, index) => {
      const room = item.before + item.cells * cell;
      const extra = index === 0 ? Math.max(0, least - room) : 0;
      edges.push(at + extra + item.before);
      at += extra + room + gap;
    });
    return { edges, end: at - gap };
  };
  const { width, height } = m.caption;
  const lines = m.breaksAt < Infinity ? linesOf(m, cell, gap) : [m.tracks];
  const across = lines.map((line) => spread(line, 0, m.hasCorner ? width : 0));
  const bands = lines.length > 1 ? lines.map(() => m.bands[0]) : m.bands;
  const down = spread(bands, m.hasCorner ? 0 : height, m.hasCorner ? height : 0);
  const end = Math.max(...across.map((line) => line.end));
  return {
    cell,
    left: across.flatMap((line) => line.edges),
    top: down.edges,
    lineOf: lines.flatMap((line, k) => line.map(() => k)),
    width: Math.ceil(Math.max(end, m.hasCorner ? 0 : width)) + 1,
    height: Math.ceil(down.end) + 1,
  };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function largestThat(fits, from) {
  let cell = Math.floor(from);
  while (cell > SMALLEST && !fits(cell)) cell -= 1;
  return cell;
}

// The largest whole cell with which all rows of figures fit the window; if that is too
// small to read, the largest with which each figure fits on its own. Digits come before
// height: a page scrolls before they go, and on a projector they stay in any case.
function cellSize(measured, { width, height, spacing, windowHeight, isStepping, isProjected }) {
  const { zoom } = currentTheme();
  const all = measured.flat();
  const fitsTogether = (cell) => {
    const sizes = measured.map((row) => row.map((m) => extent(m, cell)));
    const wide = sizes.map((row) => sum(row.map((s) => s.width + spacing)) - spacing);
    const high = sizes.map((row) => Math.max(...row.map((s) => s.height)) + spacing);
    return Math.max(...wide) <= width && sum(high) <= height;
  };
  const fitsWidth = (cell) => all.every((m) => extent(m, cell).width <= width);
  const isWithin = (limit, cell) => all.every((m) => extent(m, cell).height <= limit);
  const fitsAlone = (cell) =>
    fitsWidth(cell) && (cell <= COMFORTABLE / 2 || isWithin(height, cell));
  const fitsTall = (cell) => fitsWidth(cell) && isWithin(TALLEST * windowHeight, cell);
  const least = isProjected ? largestThat(fitsWidth, PROJECTED) : 0;
  const legible = (cell) => {
    if (cell >= LEGIBLE * zoom) return Math.max(least, cell);
    const taller = largestThat(fitsTall, COMFORTABLE * zoom);
    return Math.max(least, cell, taller >= LEGIBLE * zoom ? taller : 0);
  };
  if (isStepping) return legible(largestThat(fitsAlone, ROOMY * zoom));
  const together = largestThat(fitsTogether, LARGEST * zoom);
  if (together >= COMFORTABLE * zoom) return Math.max(least, together);
  return legible(Math.max(together, largestThat(fitsAlone, (COMFORTABLE + 2) * zoom)));
}

// Pixel rectangles of all matrices of one figure. Those of one band share its floor, on
// which the next one stands; if it is the only one, they start at the same row.
function placeMatrices(m, pageCell, least) {
  const { view } = m;
  const { cell, left, top, lineOf, width, height } = extent(m, pageCell);
  const { bands } = view.frame;
  for (const panel of view.panels) {
    const above = bands.length > 1 ? bands[panel.band] - panel.rows : 0;
    const line = lineOf[panel.track];
    if (line > (lineOf[panel.track - 1] ?? 0)) {
      const { rowLabels, rowLabelWidth } = view.panels[0];
      Object.assign(panel, { rowLabels, rowLabelWidth });
    }
    panel.rect = {
      x: left[panel.track],
      y: top[line || panel.band] + above * cell,
      width: panel.columns * cell,
      height: panel.rows * cell,
    };
  }
  view.geometry = { cell, width, height, zoom: currentTheme().zoom, least };
}

// The size of a figure on a narrow page, where a line breaks before its digits go.
function ownSize(m, room) {
  const least = LEGIBLE * currentTheme().zoom;
  const cell = cellSize([[m]], room);
  if (cell >= least || m.bands.length > 1 || m.share < 1) return cell;
  m.breaksAt = room.width;
  const broken = cellSize([[m]], room);
  if (broken >= least) return broken;
  m.breaksAt = Infinity;
  return cell;
}

// Give every figure of a page, row by row, its place within the room there is; extra
// ones take the size the others came to, if that is one. Reads from the document,
// writes nothing to it.
export function place(rows, extras, room) {
  const measured = rows.map((row) => row.map(measure));
  const isNarrow = room.width < NARROW;
  const least = room.isProjected ? PROJECTED_DIGIT : SMALLEST_DIGIT;
  const cell = isNarrow ? 0 : cellSize(measured, room);
  for (const m of measured.flat()) placeMatrices(m, isNarrow ? ownSize(m, room) : cell, least);
  for (const m of extras.map(measure)) {
    const fitsWidth = (size) => extent(m, size).width <= room.width;
    placeMatrices(m, isNarrow ? ownSize(m, room) : largestThat(fitsWidth, cell), least);
  }
}
