// What the server has told of each page so far. It tells what is new: the frame of a
// figure when sizes or words change, the numbers of a matrix whenever they do.
import { unpacked } from "./compact.js";

const pages = new WeakMap(); // page -> { frames, numbers }

export function receivedOf(page) {
  if (!pages.has(page)) pages.set(page, { frames: {}, numbers: {} });
  return pages.get(page);
}

function update(known, news) {
  for (const [key, value] of Object.entries(news)) {
    if (value === null) delete known[key];
    else known[key] = value;
  }
}

// Take news in; give the names of the figures that they change.
export function receive(page, { figures, numbers }) {
  const { frames, numbers: known } = receivedOf(page);
  update(frames, figures);
  for (const key of Object.keys(numbers)) numbers[key] = unpacked(numbers[key]);
  update(known, numbers);
  const isTouched = ({ key, hidden }) => key in numbers || hidden in numbers;
  const parts = ({ panels, series }) => panels ?? series;
  const touched = Object.keys(frames).filter((name) => parts(frames[name]).some(isTouched));
  return new Set([...Object.keys(figures), ...touched]);
}
