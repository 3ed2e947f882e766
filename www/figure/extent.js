// How much room the matrices of a figure take at a size of its cells, and where they stand.
import { currentTheme } from "../shell/colours.js";
import { textWidth } from "./text.js";

const TITLE = 18; // line above each matrix with its symbol and shape
const GAP = 12; // between two matrices of one figure
const CLOSE = 6; // between a matrix and a statistic of its rows
const NARROW = 24; // cells below stand closer
export const LARGEST_LABEL = 84; // px
export const SMALLEST = 9;

// Labels of columns that are wider than a cell stand upright.
export const areLabelsTurned = ({ labelWidth }, cell) => labelWidth > cell - 3;

function widthOf(labels) {
  const { labelFont, zoom } = currentTheme();
  const all = labels.map((label) => textWidth(labelFont, label));
  return Math.min(LARGEST_LABEL * zoom, Math.ceil(Math.max(0, ...all)));
}

// Places in order, each as large as the largest matrix there; one without any takes none.
function placesOf(panels, place, cells, before) {
  const count = 1 + Math.max(...panels.map((panel) => panel[place]));
  const found = Array.from({ length: count }, () => ({ cells: 0, before, gap: CLOSE }));
  for (const panel of panels) {
    const own = found[panel[place]];
    own.cells = Math.max(own.cells, panel[cells]);
    if (!panel.isNarrow) own.gap = GAP;
  }
  return found;
}

// Where nothing stands above a matrix, its labels find room beside what does.
const reachesUp = (panel, panels) =>
  panels.some(({ band }) => band < panel.band) &&
  !panels.some(({ track, band }) => track === panel.track && band < panel.band);

// What the layout of a figure depends on, apart from the size of a cell.
export function measure(view) {
  const { zoom } = currentTheme();
  const tracks = placesOf(view.panels, "track", "columns", 0);
  const bands = placesOf(view.panels, "band", "rows", TITLE * zoom);
  for (const panel of view.panels) {
    const track = tracks[panel.track];
    const band = bands[panel.band];
    panel.rowLabels = panel.ownRowLabels;
    panel.labelWidth = widthOf(panel.columnLabels);
    if (panel.rowLabels.length) {
      panel.rowLabelWidth = widthOf(panel.rowLabels);
      track.before = Math.max(track.before, panel.rowLabelWidth + 8);
    }
    if (panel.columnLabels.length && !reachesUp(panel, view.panels)) {
      // Labels are turned when a cell is too narrow, so their length is kept free.
      band.before = Math.max(band.before, (TITLE + 4) * zoom + panel.labelWidth);
    }
  }
  const top = view.panels.filter((panel) => panel.band === 0);
  return {
    view,
    tracks,
    bands,
    share: view.frame.scale,
    breaksAt: Infinity, // px of a line of matrices
    caption: { width: view.caption.offsetWidth, height: view.caption.offsetHeight },
    // How many tracks the matrices above leave free for the caption; with none above, it
    // has a line of its own.
    corner: top.length ? Math.min(...top.map((panel) => panel.track)) : 0,
  };
}

const gapBefore = ({ gap }, cell) => (cell < NARROW ? (2 / 3) * gap : gap);

// A figure of one band may break like a line of text; each line has room for labels.
function linesOf({ tracks, breaksAt }, cell) {
  const lines = [];
  let end = Infinity;
  for (const track of tracks) {
    const width = track.before + track.cells * cell;
    const gap = gapBefore(track, cell);
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

// Where each place begins after `first` px, and where the last ends.
function spread(places, cell, first = 0) {
  const edges = [];
  let end = first;
  places.forEach((place, at) => {
    const { before, cells } = place;
    if (at && cells) end += gapBefore(place, cell);
    edges.push(end + before);
    if (cells) end += before + cells * cell;
  });
  return { edges, end };
}

// Left edges of the tracks, top edges of the bands, and the size of the whole.
export function extent(m, pageCell) {
  const cell = Math.max(SMALLEST / 2, Math.round(pageCell * m.share));
  const { width, height } = m.caption;
  // What places take, and what is missing to the size of the caption in their corner.
  const missing = (size, places) => Math.max(0, size - spread(places, cell).end);
  const lines = m.breaksAt < Infinity ? linesOf(m, cell) : [m.tracks];
  const bands = lines.length > 1 ? lines.map(() => m.bands[0]) : m.bands;
  const aside = m.corner && missing(width, m.tracks.slice(0, m.corner));
  const across = lines.map((line) => spread(line, cell, aside));
  const down = spread(bands, cell, m.corner ? missing(height, bands.slice(0, 1)) : height);
  const end = Math.max(...across.map((line) => line.end));
  return {
    cell,
    left: across.flatMap((line) => line.edges),
    top: down.edges,
    lineOf: lines.flatMap((line, k) => line.map(() => k)),
    width: Math.ceil(Math.max(end, m.corner ? 0 : width)) + 1,
    height: Math.ceil(down.end) + 1,
  };
}
