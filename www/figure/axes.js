// The axes of a plot: where a number stands, and which numbers are written along them.
import { format, MINUS } from "./text.js";

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const DIGITS = 4; // that count
const [LARGE, SMALL] = [1e5, 1e-3]; // from here on as a power of ten
const ROUND = [1, 2, 5, 10];

const power = (exponent) =>
  `10${exponent < 0 ? "⁻" : ""}${String(Math.abs(exponent)).replace(/\d/g, (d) => SUPERSCRIPTS[d])}`;

// A number in at most four digits that count.
export function numberText(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (value !== 0 && (size >= LARGE || size < SMALL)) {
    const [digits, exponent] = value.toExponential(DIGITS - 1).split("e");
    const factor = String(Number(digits)).replace("-", MINUS);
    if (factor === "1") return power(Number(exponent));
    return `${factor}·${power(Number(exponent))}`;
  }
  return String(Number(value.toPrecision(DIGITS))).replace("-", MINUS);
}

// From a number to its place between two pixels.
export function placer({ least, most, is_log: isLog }, start, end) {
  const along = isLog ? Math.log : (value) => value;
  const [low, high] = [along(least), along(most)];
  return (value) => start + ((along(value) - low) / (high - low)) * (end - start);
}

// Round numbers that part an axis into so many steps or fewer; two at least.
function roundTicks(least, most, count) {
  const found = partedBy(least, most, count);
  return found.length > 1 || count > ROUND.length ? found : roundTicks(least, most, count + 1);
}

function partedBy(least, most, count) {
  const rough = (most - least) / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ROUND.find((factor) => factor * unit >= rough * 0.999);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(least / step - 1e-9);
  const last = Math.floor(most / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => {
    const value = (first + k) * step;
    const isPlain = Math.abs(most) < LARGE && Math.abs(least) < LARGE && step >= SMALL;
    return { value, text: isPlain ? format(value, decimals) : numberText(value) };
  });
}

// Powers of ten, and of a short axis also what stands between them.
function logTicks(least, most, count) {
  const [low, high] = [Math.log10(least), Math.log10(most)];
  if (high - low < 1) return roundTicks(least, most, count);
  const every = Math.max(1, Math.ceil((high - low) / count));
  const first = Math.ceil(low - 1e-9);
  const steps = Math.floor((high - first) / every + 1e-9);
  return Array.from({ length: steps + 1 }, (_, k) => {
    const value = 10 ** (first + k * every);
    return { value, text: numberText(value) };
  });
}

// What is written along an axis that has room for so many numbers.
export function ticksOf({ least, most, is_log: isLog, ticks, names, is_bare: isBare }, count) {
  if (isBare) return [];
  if (!ticks.length) return (isLog ? logTicks : roundTicks)(least, most, Math.max(1, count));
  return ticks
    .map((value, k) => ({ value, text: names[k] ?? numberText(value) }))
    .filter(({ value }) => value >= least && value <= most);
}
