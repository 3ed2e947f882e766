// Any figure as a picture of its own: SVG of real text and rectangles, drawn anew at a
// size at which every number has room, however small the screen.
import { currentTheme } from "../shell/colours.js";
import { word } from "../shell/words.js";
import { place } from "./geometry.js";
import { plotOf } from "./plot.js";
import { matrixOf, node, SVG } from "./svg.js";
import { textWidth } from "./text.js";

const MARGIN = 20;
// A word with the space behind it, a Chinese character with its punctuation, or a part of
// an address.
const UNBROKEN =
  /[\u3400-\uffef][，。；：、！？）]*|[^\s?&\u3400-\uffef]*(?:[?&]|\s+|$)|[^\s?&\u3400-\uffef]+/g;

function hatching() {
  const { hidden, hatch } = currentTheme();
  const pattern = {
    id: "hidden",
    width: 6,
    height: 6,
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  };
  const ground = node("rect", { width: 6, height: 6, fill: hidden });
  const stripe = node("rect", { width: 1, height: 6, fill: hatch });
  return node("defs", {}, node("pattern", pattern, ground, stripe));
}

const familyOf = () => getComputedStyle(document.body).fontFamily;

// The figure laid out once more, where there is room for every digit.
function layOut(view) {
  const free = {
    frame: { ...view.frame, scale: 1 },
    panels: view.panels.map((panel) => ({ ...panel })),
    caption: { offsetWidth: 0, offsetHeight: 0 },
  };
  place([{ views: [free] }], [], { width: Infinity, height: Infinity, spacing: 0 });
  const family = familyOf();
  const body = free.panels.map((panel) =>
    matrixOf(panel, view.covered?.get(panel.name), free.geometry, family)
  );
  return { body, geometry: free.geometry };
}

// A plot in the size that it would like to have.
function layOutPlot({ curves }) {
  const { zoom } = currentTheme();
  const { width, height } = curves.plot;
  const geometry = { width: width * zoom, height: height * zoom, zoom };
  return { body: [plotOf(curves, geometry)], geometry };
}

export const nameOf = (view) => word(`export.figure.${view.element.dataset.graph}`);

function headingOf(view) {
  const shape = view.caption.querySelector(".figure-shape")?.textContent || "";
  return [nameOf(view), shape].filter(Boolean).join("   ");
}

// What is too wide for a line by itself comes apart anywhere.
function pieces(text, font, width) {
  const found = (text.match(UNBROKEN) || []).filter(Boolean);
  return found.flatMap((piece) => (textWidth(font, piece) > width ? Array.from(piece) : [piece]));
}

// Break a line where it would run out of the picture.
function wrap(text, font, width) {
  const lines = [""];
  for (const piece of pieces(text, font, width)) {
    const longer = lines[lines.length - 1] + piece;
    if (lines[lines.length - 1] && textWidth(font, longer) > width) lines.push(piece);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

export function drawPicture(view, told) {
  const theme = currentTheme();
  const family = familyOf();
  const [large, small] = [15 * theme.zoom, 11 * theme.zoom];
  const { body, geometry } = view.curves ? layOutPlot(view) : layOut(view);
  const heading = headingOf(view);
  const inner = Math.max(
    geometry.width,
    textWidth(`bold ${large}px ${family}`, heading),
    260 * theme.zoom
  );
  const notes = told.flatMap((text) => wrap(text, `${small}px ${family}`, inner));
  const top = MARGIN + large * 1.8;
  const foot = top + geometry.height + small * 1.8;
  const width = Math.ceil(inner + 2 * MARGIN);
  const height = Math.ceil(foot + (notes.length - 1) * small * 1.4 + MARGIN);
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  return node(
    "svg",
    { xmlns: SVG, ...size, "font-family": family.replaceAll('"', "'") },
    node("title", {}, heading),
    node("desc", {}, told.join("\n")),
    hatching(),
    node("rect", { width, height, fill: theme.page }),
    node(
      "text",
      {
        x: MARGIN,
        y: MARGIN + large * 0.8,
        fill: theme.variable("--ink"),
        "font-size": large,
        "font-weight": "bold",
        "xml:space": "preserve",
      },
      heading
    ),
    node("g", { transform: `translate(${MARGIN} ${top})` }, ...body),
    node(
      "g",
      { fill: theme.label, "font-size": small },
      ...notes.map((text, k) => node("text", { x: MARGIN, y: foot + k * small * 1.4 }, text))
    )
  );
}
