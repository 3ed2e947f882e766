// Texts and numbers on a canvas: how wide they are, and the form in which they fit.
import { currentTheme } from "../shell/colours.js";

export const MINUS = "−";
const REMEMBERED = 2000; // texts whose widths are kept
const SAMPLE = ['10px "attnviz-digits"', "−0.00"]; // tells one font from another
export const SMALLEST_DIGIT = 8.5; // px
const MARGIN = 3; // px that the digits of a cell leave free
const pen = document.createElement("canvas").getContext("2d");
let widths = new Map(); // font and text -> width

export function textWidth(font, text) {
  const key = `${font} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > REMEMBERED) widths = new Map();
    pen.font = font;
    width = pen.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

// The text, or as much of its start as there is room for.
export function fitText(font, text, room) {
  if (textWidth(font, text) <= room) return text;
  const letters = Array.from(text);
  while (letters.length > 1 && textWidth(font, `${letters.join("")}…`) > room) letters.pop();
  return `${letters.join("")}…`;
}

// The width of the digits in the font that is there by now.
export const sampleWidth = () => textWidth(...SAMPLE);

// Fonts change the width of digits and captions; a canvas does not wait for them. Tells
// the listener whether what was measured until now has to be measured again.
export function onFonts(listener) {
  document.fonts.load(SAMPLE[0]);
  document.fonts.addEventListener("loadingdone", () => {
    const before = sampleWidth();
    widths = new Map();
    listener(sampleWidth() !== before);
  });
}

export function format(value, decimals) {
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

// An exact zero is "0".
export const plain = (value, decimals) => (value === 0 ? "0" : format(value, decimals));

const longest = (texts) => texts.reduce((best, text) => (text.length > best.length ? text : best));

// The form in which every number of a matrix fits its cell; null when nothing fits. Where
// what is wanted finds no room, small digits are better than none.
export const digitsThatFit = ({ cell, least }, panel) =>
  fitDigits(cell, least, panel) ?? fitDigits(cell, SMALLEST_DIGIT, panel);

// As written by the server, else two decimals if a legible size allows, one, or none for
// large numbers.
function fitDigits(cell, smallest, panel) {
  const { digits: family } = currentTheme();
  const largestSize = Math.max(smallest, cell * 0.38);
  const smallestSize = Math.max(smallest, largestSize * 0.8);
  const fontFor = (widest) => {
    const width = textWidth(`10px ${family}`, widest);
    const size = Math.min(largestSize, (10 * (cell - MARGIN)) / width);
    return size >= smallestSize && `${size}px ${family}`;
  };
  const written = panel.texts && fontFor(longest(panel.texts));
  if (written) return { font: written, text: (at) => panel.texts[at] };
  let largest = 0;
  for (const value of panel.values) largest = Math.max(largest, Math.abs(value));
  const most = panel.isInteger ? 0 : 2;
  const least = panel.isInteger || largest >= 10 ? 0 : 1;
  const sign = panel.kind === "weights" ? "" : MINUS;
  for (let decimals = most; decimals >= least; decimals--) {
    const font = fontFor(sign + largest.toFixed(decimals).replace(/\d/g, "0"));
    if (font) return { font, text: (at) => plain(panel.values[at], decimals) };
  }
  return null;
}
