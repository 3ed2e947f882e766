// What the theme decides: colours of the cells, inks, fonts and zoom, read from CSS once
// and kept until the theme changes.

const LEVELS = 256;
const STOPS = 16; // of the scale of weights
const BUSY = "shiny-busy"; // comes and goes with every answer, and is no theme
let tables = new Map();
let theme = null;

function parse(text) {
  const hex = text.replace("#", "");
  return [0, 2, 4].map((start) => parseInt(hex.slice(start, start + 2), 16));
}

export function currentTheme() {
  if (theme) return theme;
  const style = getComputedStyle(document.documentElement);
  const variable = (name) => style.getPropertyValue(name).trim();
  const family = getComputedStyle(document.body).fontFamily;
  const zoom = parseFloat(variable("--zoom")) || 1;
  theme = {
    variable,
    zoom,
    labelFont: `${11 * zoom}px ${family}`,
    titleFont: `bold ${13 * zoom}px ${family}`,
    digits: `"attnviz-digits", ${family}`,
    page: variable("--page"),
    panel: variable("--panel"),
    line: variable("--line"),
    label: variable("--mute"),
    faint: variable("--faint"),
    hatch: variable("--hatch"),
    hidden: variable("--hidden"),
  };
  return theme;
}

const mix = (from, to, share) => from.map((c, i) => c + (to[i] - c) * share);
const css = (rgb) => `rgb(${rgb.map(Math.round).join(",")})`;

function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => {
    const s = c / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q);
  return (high + 0.05) / (low + 0.05);
}

// The stops of a role's scale; signed scales pass through the page colour at 0. Those of
// weights follow the root of a number, so that many small ones are not all white.
function stops(role, kind) {
  const colour = (name) => parse(currentTheme().variable(name));
  const page = colour("--page");
  const hue = colour(`--role-${role}`);
  if (kind === "weights") {
    const shares = Array.from({ length: STOPS + 1 }, (_, k) => k / STOPS);
    return shares.map((share) => [share ** 2, mix(page, hue, share)]);
  }
  const colours = [colour("--role-negative"), page, hue];
  return colours.map((rgb, k) => [k / 2, rgb]);
}

function at(scale, share) {
  const next = scale.findIndex(([position]) => position >= share);
  if (next <= 0) return scale[0][1];
  const [p0, c0] = scale[next - 1];
  const [p1, c1] = scale[next];
  return mix(c0, c1, (share - p0) / (p1 - p0));
}

// Fills, and whether light or dark ink reads best on each.
function makeTable(role, kind) {
  const scale = stops(role, kind);
  const { variable } = currentTheme();
  const inks = [variable("--ink-on-light"), variable("--ink-on-dark")];
  const [dark, light] = inks.map(parse);
  const pixels = new Uint8ClampedArray(4 * LEVELS);
  const isLight = new Uint8Array(LEVELS);
  for (let level = 0; level < LEVELS; level++) {
    const fill = at(scale, level / (LEVELS - 1));
    pixels.set([...fill, 255], 4 * level);
    isLight[level] = contrast(fill, dark) < contrast(fill, light) ? 1 : 0;
  }
  return {
    fills: new Uint32Array(pixels.buffer),
    isLight,
    inks,
    colorscale: scale.map(([position, rgb]) => [position, css(rgb)]),
  };
}

// One table a role and kind, by levels from 0 to 255.
export function colourTable(role, kind) {
  const key = `${role} ${kind}`;
  if (!tables.has(key)) tables.set(key, makeTable(role, kind));
  return tables.get(key);
}

// Where a value stands on its scale.
export function levelOf(value, low, high) {
  const share = (value - low) / (high - low);
  return Math.max(0, Math.min(LEVELS - 1, Math.round(share * (LEVELS - 1))));
}

// A colour as one pixel of the fills.
export const pixelOf = (hex) => new Uint32Array(Uint8Array.of(...parse(hex), 255).buffer)[0];

function forgetTheme() {
  tables = new Map();
  theme = null;
}

export const shownTheme = () => document.documentElement.dataset.bsTheme;

// Do something in the colours of a theme; the screen keeps its own, since nothing is
// painted before they are back.
export function inTheme(name, act) {
  const { dataset } = document.documentElement;
  const own = dataset.bsTheme;
  if (name === own) return act();
  forgetTheme();
  dataset.bsTheme = name;
  try {
    return act();
  } finally {
    dataset.bsTheme = own;
    forgetTheme();
  }
}

const signature = () => {
  const { dataset, classList } = document.documentElement;
  return [dataset.bsTheme, ...[...classList].filter((name) => name !== BUSY)].join(" ");
};

export function onTheme(listener) {
  let last = signature();
  new MutationObserver(() => {
    const now = signature();
    if (now === last) return;
    last = now;
    forgetTheme();
    listener();
  }).observe(document.documentElement, { attributeFilter: ["data-bs-theme", "class"] });
}
