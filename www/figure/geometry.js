// Which size the cells of a page have, and where its matrices stand.
import { currentTheme } from "../shell/colours.js";
import { extent, measure, SMALLEST } from "./extent.js";
import { SMALLEST_DIGIT } from "./text.js";

const COMFORTABLE = 24; // smallest cell that still holds two decimals
const LEGIBLE = 20; // smallest cell that still holds one
const TALLEST = 1.2; // windows that a figure may be high for the sake of its digits
const LARGEST = 44;
const BESIDE = 30; // smallest cell for which the heart of a page shares the screen
const PRESENTED = 110; // largest cell of a figure that has the screen to itself
const PROJECTED = 58; // smallest cell whose digits the last row of a class can read
const PRESENTED_DIGIT = 0.03; // of the window's height
const NARROW = 560; // px of a page on which each figure finds a size of its own

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function largestThat(fits, from) {
  let cell = Math.floor(from);
  while (cell > SMALLEST && !fits(cell)) cell -= 1;
  return cell;
}

const fitsWidth = (m, cell, { width }) => extent(m, cell).width <= Math.min(width, m.most);

const fitsRoom = (m, cell, room) =>
  fitsWidth(m, cell, room) && extent(m, cell).height <= room.height;

// Whether rows of figures fit a window without scrolling.
function fitTogether(rows, cell, { width, height, spacing }) {
  const sizes = rows.map((row) => row.map((m) => extent(m, cell)));
  const wide = sizes.map((row) => sum(row.map((s) => s.width + spacing)) - spacing);
  const high = sizes.map((row) => Math.max(...row.map((s) => s.height)) + spacing);
  return Math.max(...wide) <= width && sum(high) <= height;
}

// The largest whole cell with which all rows of figures fit the window; if that is too
// small to read, the largest with which each figure fits on its own. Digits come before
// height: a page scrolls before they go, and on a projector they stay in any case.
function commonCell(rows, room) {
  const { zoom } = currentTheme();
  const all = rows.flat();
  const fits = (cell) => all.every((m) => fitsWidth(m, cell, room));
  const isWithin = (height, cell) => all.every((m) => fitsRoom(m, cell, { ...room, height }));
  const fitsAlone = (cell) =>
    fits(cell) && (cell <= COMFORTABLE / 2 || isWithin(room.height, cell));
  const least = room.isProjected ? largestThat(fits, PROJECTED) : 0;
  const together = largestThat((cell) => fitTogether(rows, cell, room), LARGEST * zoom);
  if (together >= COMFORTABLE * zoom) return Math.max(least, together);
  const cell = Math.max(together, largestThat(fitsAlone, (COMFORTABLE + 2) * zoom));
  if (cell >= LEGIBLE * zoom) return Math.max(least, cell);
  const tallest = TALLEST * room.windowHeight;
  const taller = largestThat((size) => isWithin(tallest, size), COMFORTABLE * zoom);
  return Math.max(least, cell, taller >= LEGIBLE * zoom ? taller : 0);
}

// The heart of a page stands whole on its first screen, and what leads to it stands beside
// or below it there, if the cells stay large.
function heartCell([heart, ...others], room) {
  const { zoom } = currentTheme();
  const isBeside = (cell) => fitTogether([[heart, ...others]], cell, room);
  const isStacked = (cell) => fitTogether([[heart], others], cell, room);
  const alone = largestThat((cell) => fitsRoom(heart, cell, room), LARGEST * zoom);
  if (!others.length) return { cell: alone };
  const beside = largestThat(isBeside, alone);
  const stacked = largestThat(isStacked, alone);
  if (Math.max(beside, stacked) < BESIDE * zoom) return { cell: alone };
  return { cell: Math.max(beside, stacked), isBeside: beside >= stacked };
}

// Pixel rectangles of all matrices of one figure. Those of a band share its floor, on
// which the next one stands; those of the last start at the same row.
function placeMatrices(m, pageCell, least) {
  const { view } = m;
  const { cell, left, top, lineOf, width, height } = extent(m, pageCell);
  const last = m.bands.length - 1;
  for (const panel of view.panels) {
    const above = panel.band < last ? m.bands[panel.band].cells - panel.rows : 0;
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
  const cell = commonCell([[m]], room);
  if (cell >= least || m.bands.length > 1 || m.share < 1) return cell;
  m.breaksAt = room.width;
  const broken = commonCell([[m]], room);
  if (broken >= least) return broken;
  m.breaksAt = Infinity;
  return cell;
}

// On a narrow page the heart keeps its digits, and scrolls sideways in a frame of its own.
function scrolledCell(m, { height }) {
  const { zoom } = currentTheme();
  const fits = (cell) => extent(m, cell).height <= height;
  return Math.max(LEGIBLE * zoom, largestThat(fits, (COMFORTABLE + 2) * zoom));
}

// The sizes of all figures: of the heart's row, and of the rows below it.
function sizesOf(rows, room) {
  const sizes = new Map();
  const all = rows.flatMap(({ figures }) => figures);
  const give = (m, cell) => sizes.set(m, cell);
  const heart = rows.find(({ isHeart }) => isHeart)?.figures;
  let isBeside = false;
  if (room.isPresenting) {
    const cell = largestThat((size) => all.every((m) => fitsRoom(m, size, room)), PRESENTED);
    for (const m of all) give(m, cell);
  } else if (room.width < NARROW) {
    for (const m of all) give(m, ownSize(m, room));
    if (heart) give(heart[0], scrolledCell(heart[0], room));
  } else if (heart) {
    const found = heartCell(heart, room);
    ({ isBeside = false } = found);
    give(heart[0], found.cell);
    for (const m of all.filter((one) => one !== heart[0])) {
      give(
        m,
        largestThat((size) => fitsWidth(m, size, room), found.cell)
      );
    }
  } else {
    const cell = commonCell(
      rows.map(({ figures }) => figures),
      room
    );
    for (const m of all) give(m, cell);
  }
  return { sizes, isBeside };
}

// Give every figure of a page, row by row, its place within the room there is; extra
// ones take the size the others came to, if that is one. Reads from the document, writes
// nothing to it; tells whether the heart shares its row.
export function place(rows, extras, room) {
  const measured = rows.map(({ views, isHeart, width = Infinity }) => ({
    figures: views.map((view) => ({ ...measure(view), most: width })),
    isHeart,
  }));
  const { isPresenting, windowHeight } = room;
  const least = isPresenting ? PRESENTED_DIGIT * windowHeight : SMALLEST_DIGIT;
  const { sizes, isBeside } = sizesOf(measured, room);
  for (const [m, cell] of sizes) placeMatrices(m, cell, least);
  const first = sizes.values().next().value ?? COMFORTABLE;
  for (const extra of extras) {
    const m = { ...measure(extra), most: Infinity };
    const cell = largestThat((size) => fitsWidth(m, size, room), first);
    placeMatrices(m, room.width < NARROW ? ownSize(m, room) : cell, least);
  }
  return isBeside;
}
