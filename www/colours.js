// Colours of the cells: from the theme's CSS variables to the colour of a number.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const LEVELS = 256;
  let tables = new Map();

  function parse(text) {
    const hex = text.trim().replace("#", "");
    return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  }

  function variable(name) {
    return parse(getComputedStyle(document.documentElement).getPropertyValue(name));
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

  // The stops of a role's scale; signed scales pass through the page colour at 0.
  function stops(role, kind) {
    const page = variable("--page");
    const hue = variable(`--role-${role}`);
    if (kind === "weights") return [[0, page], [1, hue]];
    return [[0, variable("--role-negative")], [0.5, page], [1, hue]];
  }

  function at(scale, share) {
    const next = scale.findIndex(([position]) => position >= share);
    if (next <= 0) return scale[0][1];
    const [p0, c0] = scale[next - 1];
    const [p1, c1] = scale[next];
    return mix(c0, c1, (share - p0) / (p1 - p0));
  }

  // One table a role and kind: fills and the ink that reads best on each.
  attnviz.colourTable = (role, kind) => {
    const key = `${role} ${kind}`;
    if (!tables.has(key)) {
      const scale = stops(role, kind);
      const inks = [variable("--ink-on-light"), variable("--ink-on-dark")];
      const fills = [];
      const texts = [];
      for (let level = 0; level < LEVELS; level++) {
        const fill = at(scale, level / (LEVELS - 1));
        fills.push(css(fill));
        texts.push(css(contrast(fill, inks[0]) >= contrast(fill, inks[1]) ? inks[0] : inks[1]));
      }
      const colorscale = scale.map(([position, rgb]) => [position, css(rgb)]);
      tables.set(key, { fills, texts, colorscale });
    }
    return tables.get(key);
  };

  attnviz.level = (value, low, high) => {
    const share = (value - low) / (high - low);
    return Math.max(0, Math.min(LEVELS - 1, Math.round(share * (LEVELS - 1))));
  };

  attnviz.hiddenColour = () => css(variable("--hidden"));
  attnviz.forgetColours = () => {
    tables = new Map();
  };
})();
