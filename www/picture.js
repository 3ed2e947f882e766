// Any figure as a picture of its own: SVG of real text and rectangles, or PNG made from
// it. Drawn anew at a size at which every number has room, however small the screen.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const SVG = "http://www.w3.org/2000/svg";
  const MARGIN = 20;
  const SHARPNESS = 2; // pixels of a PNG a pixel of the screen
  const LARGEST_DIGIT = 0.29; // of a cell's side: two decimals with a sign fit
  const DECIMALS = 2;
  // A word with the space behind it, or a Chinese character with its punctuation.
  const UNBROKEN = /[\u3400-\uffef][，。；：、！？）]*|[^\s\u3400-\uffef]+\s*/g;

  function node(name, attributes = {}, ...children) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const colour = (pixel) =>
    `#${[0, 8, 16].map((shift) => ((pixel >> shift) & 255).toString(16).padStart(2, "0")).join("")}`;

  // ---- one matrix -----------------------------------------------------------------

  // The text of every cell, and the one size at which all of them fit.
  function digitsOf(panel, cell, family) {
    const decimals = panel.isWhole ? 0 : DECIMALS;
    const texts = Array.from(panel.values, (value, at) => {
      if (panel.hidden?.[at]) return panel.glyph;
      return panel.texts?.[at] || (value === 0 ? "0" : attnviz.format(value, decimals));
    });
    const widest = Math.max(1, ...texts.map((text) => attnviz.textWidth(`10px ${family}`, text)));
    return { texts, size: Math.min(LARGEST_DIGIT * cell, (10 * (cell - 5)) / widest) };
  }

  function cellsOf(panel, covered, cell, family) {
    const theme = attnviz.theme();
    const table = attnviz.colourTable(panel.role, panel.kind);
    const { texts, size } = digitsOf(panel, cell, family);
    const group = node("g", { "font-size": size, "text-anchor": "middle" });
    texts.forEach((text, at) => {
      const x = panel.rect.x + (at % panel.columns) * cell;
      const y = panel.rect.y + Math.floor(at / panel.columns) * cell;
      const level = attnviz.level(panel.values[at], panel.low, panel.high);
      const isHidden = panel.hidden?.[at];
      let fill = isHidden ? "url(#hidden)" : colour(table.fills[level]);
      let ink = isHidden ? theme.label : table.inks[table.isLight[level]];
      if (covered?.[at]) [fill, ink, text] = [theme.panel, theme.faint, "?"];
      const edges = { x, y, width: cell, height: cell, fill, stroke: theme.page };
      const place = { x: x + cell / 2, y: y + cell / 2, dy: "0.35em", fill: ink };
      group.append(node("rect", edges), node("text", place, text));
    });
    return group;
  }

  function titleOf(panel, lift, size) {
    const theme = attnviz.theme();
    const parts = attnviz.titleParts(panel);
    if (panel.columns > 1) parts.push(["small", ` ${panel.rows}×${panel.columns}`]);
    const small = { "font-size": size * 0.7, "font-weight": "normal" };
    const shifts = { sub: size * 0.25, sup: -size * 0.35 };
    const title = node("text", {
      x: panel.rect.x,
      y: panel.rect.y - lift,
      fill: theme.variable(`--text-${panel.role}`),
      "font-size": size,
      "font-weight": "bold",
    });
    // Shifts add up, so each part takes back the shift of the one before.
    let shift = 0;
    for (const [tag, text] of parts.filter(([, text]) => text)) {
      const own = shifts[tag] ?? 0;
      const part = node("tspan", { dy: own - shift, ...(tag === "b" ? {} : small) }, text);
      if (tag === "small") part.setAttribute("fill", theme.label);
      title.append(part);
      shift = own;
    }
    return title;
  }

  function labelsOf(panel, { cell, zoom }, isTurned) {
    const { labelFont, label: ink } = attnviz.theme();
    const size = parseFloat(labelFont);
    const group = node("g", { "font-size": size, fill: ink });
    const { x, y } = panel.rect;
    const write = (text, room, place) =>
      group.append(node("text", place, attnviz.fitText(labelFont, text, room)));
    panel.rowLabels.forEach((text, i) => {
      const place = { x: x - 6, y: y + (i + 0.5) * cell, dy: "0.35em", "text-anchor": "end" };
      write(text, panel.rowLabelWidth, place);
    });
    panel.columnLabels.forEach((text, j) => {
      const [left, top] = [x + (j + 0.5) * cell, y - (isTurned ? 5 : 9 * zoom)];
      const turned = { transform: `translate(${left} ${top}) rotate(-90)`, dy: "0.35em" };
      const plain = { x: left, y: top, dy: "0.35em", "text-anchor": "middle" };
      write(text, panel.labelWidth, isTurned ? turned : plain);
    });
    return group;
  }

  function matrixOf(panel, covered, geometry, family) {
    const { cell, zoom } = geometry;
    const { line } = attnviz.theme();
    const isTurned = attnviz.areLabelsTurned(panel, cell);
    const raised = isTurned ? panel.labelWidth + 6 : 17 * zoom;
    const frame = node("rect", { ...panel.rect, fill: "none", stroke: line });
    return node(
      "g",
      {},
      titleOf(panel, (panel.columnLabels.length ? raised : 0) + 5, 13 * zoom),
      cellsOf(panel, covered, cell, family),
      frame,
      labelsOf(panel, geometry, isTurned)
    );
  }

  // ---- the whole picture ------------------------------------------------------------

  function hatching() {
    const { hidden, hatch } = attnviz.theme();
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

  // The figure laid out once more, where there is room for every digit.
  function layOut(view) {
    const free = {
      meta: { ...view.meta, scale: 1 },
      panels: view.panels.map((panel) => ({ ...panel })),
      caption: { offsetWidth: 0, offsetHeight: 0 },
    };
    attnviz.place([[free]], [], { width: Infinity, height: Infinity, spacing: 0 });
    return free;
  }

  const nameOf = (view) => attnviz.word(`export.figure.${view.element.dataset.graph}`);

  function headingOf(view) {
    const shape = view.caption.querySelector(".figure-shape")?.textContent || "";
    return [nameOf(view), shape].filter(Boolean).join("   ");
  }

  // Break a line where it would run out of the picture.
  function wrap(text, font, width) {
    const lines = [""];
    for (const word of text.match(UNBROKEN) || []) {
      const longer = lines[lines.length - 1] + word;
      if (lines[lines.length - 1] && attnviz.textWidth(font, longer) > width) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
    return lines;
  }

  attnviz.drawPicture = (view, caption) => {
    const theme = attnviz.theme();
    const family = getComputedStyle(document.body).fontFamily;
    const [large, small] = [15 * theme.zoom, 11 * theme.zoom];
    const { panels, geometry } = layOut(view);
    const heading = headingOf(view);
    const inner = Math.max(
      geometry.width,
      attnviz.textWidth(`bold ${large}px ${family}`, heading),
      260 * theme.zoom
    );
    const notes = wrap(caption, `${small}px ${family}`, inner);
    const top = MARGIN + large * 1.8;
    const foot = top + geometry.height + small * 1.8;
    const width = Math.ceil(inner + 2 * MARGIN);
    const height = Math.ceil(foot + (notes.length - 1) * small * 1.4 + MARGIN);
    const size = { width, height, viewBox: `0 0 ${width} ${height}` };
    return node(
      "svg",
      { xmlns: SVG, ...size, "font-family": family.replaceAll('"', "'") },
      node("title", {}, heading),
      node("desc", {}, `${caption} ${location.href}`),
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
      node(
        "g",
        { transform: `translate(${MARGIN} ${top})` },
        ...panels.map((panel) =>
          matrixOf(panel, view.covered?.get(panel.name), geometry, family)
        )
      ),
      node(
        "g",
        { fill: theme.label, "font-size": small },
        ...notes.map((text, k) => node("text", { x: MARGIN, y: foot + k * small * 1.4 }, text))
      )
    );
  };

  async function toPng(svg, source) {
    const image = new Image();
    const address = URL.createObjectURL(source);
    image.src = address;
    await image.decode();
    URL.revokeObjectURL(address);
    const canvas = document.createElement("canvas");
    canvas.width = SHARPNESS * svg.getAttribute("width");
    canvas.height = SHARPNESS * svg.getAttribute("height");
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  async function savePicture(menu, form) {
    const page = menu.closest(".figures-page");
    const graph = menu.querySelector("[data-picture-of]").value;
    const view = attnviz.viewOf(page.querySelector(`[data-graph="${graph}"]`));
    const svg = attnviz.drawPicture(view, menu.dataset.caption);
    const text = new XMLSerializer().serializeToString(svg);
    const source = new Blob([text], { type: "image/svg+xml" });
    save(form === "png" ? await toPng(svg, source) : source, `attnviz-${graph}.${form}`);
  }

  // The figures that are there now, with the last choice kept.
  function offerFigures(menu) {
    const choice = menu.querySelector("[data-picture-of]");
    const before = choice.value;
    const views = [...menu.closest(".figures-page").querySelectorAll("[data-graph]")]
      .map(attnviz.viewOf)
      .filter((view) => view?.spec);
    choice.replaceChildren(
      ...views.map((view) => new Option(nameOf(view), view.element.dataset.graph))
    );
    if (views.some((view) => view.element.dataset.graph === before)) choice.value = before;
  }

  // Files and sheets come from an address of this session's own.
  Shiny.addCustomMessageHandler("attnviz-export", ({ menu, route }) => {
    for (const link of document.querySelectorAll(`#${menu} [data-form]`)) {
      link.href = `${route}&form=${link.dataset.form}`;
      link.classList.remove("disabled");
    }
  });

  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (target.matches?.("details.export") && target.open) offerFigures(target);
    },
    true
  );
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-picture]");
    if (button) savePicture(button.closest("details.export"), button.dataset.picture);
  });
})();
