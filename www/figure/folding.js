// Matrices with many features show the first and the last of them, until asked for all.

const MOST = 8; // features that are always shown
const [FIRST, LAST] = [4, 3];
export const GAP = -1; // stands for those between
const FOLDABLE = ["d", "d_k", "d_v", "unit", "joined"];
const unfolded = new WeakMap(); // page -> axes whose features are all shown

const axesOf = (page) => {
  if (!unfolded.has(page)) unfolded.set(page, new Set());
  return unfolded.get(page);
};

export function unfold(page, axis) {
  axesOf(page).add(axis);
}

// Which of `count` places along an axis are shown; null for all.
export function shownPlaces(page, axis, count) {
  if (!FOLDABLE.includes(axis) || count <= MOST || axesOf(page).has(axis)) return null;
  const last = Array.from({ length: LAST }, (_, at) => count - LAST + at);
  return [...Array(FIRST).keys(), GAP, ...last];
}

// Take what is shown out of all numbers of a matrix; a gap counts as 0.
export function pick(values, columns, rowPlaces, columnPlaces) {
  const picked = new values.constructor(rowPlaces.length * columnPlaces.length);
  rowPlaces.forEach((row, i) => {
    columnPlaces.forEach((column, j) => {
      if (row === GAP || column === GAP) return;
      picked[i * columnPlaces.length + j] = values[row * columns + column];
    });
  });
  return picked;
}
