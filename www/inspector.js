// Why this number? Sets the derivation that the server sends for the selected cell: its
// terms with the running sum, the steps after them, and a trail back along the chain.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const LONGEST = 9; // terms shown before the middle is folded
  const HEAD = 4; // terms kept in front of a fold, and one less behind it
  const states = new WeakMap(); // inspector -> { trail, words, isOpen, asked }

  const inspectorOf = (page) => page.querySelector(".inspector");
  const stateOf = (place) => {
    if (!states.has(place)) states.set(place, { trail: [], words: null, isOpen: false, asked: null });
    return states.get(place);
  };
  const same = (a, b) =>
    a && b && a.name === b.name && a.i === b.i && a.j === b.j && a.head === b.head;

  function element(tag, className, ...content) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...content.filter((part) => part !== null && part !== ""));
    return made;
  }

  // q₄,₁ with the colour of its matrix.
  function symbol([base, sub, sup, role], index) {
    const made = element("span", `symbol-cell role-${role}`, element("i", "", base));
    if (sup) made.append(element("sup", "", sup));
    const places = [sub, index.join(",")].filter(Boolean).join(" ");
    if (places) made.append(element("sub", "", places));
    return made;
  }

  // A number that stands in a matrix leads to that cell's own derivation.
  function operand(part) {
    const number = element("b", `role-${part.symbol[3]}`, part.value);
    if (!part.cell) return element("span", "operand", number);
    const button = element("button", "operand", number);
    button.type = "button";
    button.dataset.cell = JSON.stringify(part.cell);
    button.title = attnviz.word("inspector.follow");
    return button;
  }

  // What follows a sign is bracketed when it has a sign of its own.
  const bracketed = (part, { value }) =>
    value.startsWith("−") ? element("span", "", "(", part, ")") : part;

  function term(parts, operation) {
    const work = element("span", "term-work");
    const names = element("small", "");
    parts.operands.forEach((part, at) => {
      const joint = operation === "sum_of_squares" ? " − " : " · ";
      if (at) {
        work.append(joint);
        names.append(joint);
      }
      work.append(at ? bracketed(operand(part), part) : operand(part));
      names.append(symbol(part.symbol, part.index));
    });
    if (operation === "sum_of_squares") {
      work.prepend("(");
      work.append(")²");
    }
    const made = element("span", `term${parts.hidden ? " is-hidden" : ""}`, work, names);
    if (operation === "sum_of_products" || operation === "sum_of_squares") {
      names.append(` = ${parts.value}`);
    }
    made.title = attnviz.word("inspector.running", { value: parts.running });
    return made;
  }

  const JOINTS = { maximum: ", " };

  function terms(words, isOpen) {
    const { terms: all, operation } = words;
    const joint = JOINTS[operation] || " + ";
    const made = element("span", "terms");
    if (operation === "maximum") made.append(element("span", "function", "max("));
    const isFolded = !isOpen && all.length > LONGEST;
    const shown = isFolded ? [...all.slice(0, HEAD), null, ...all.slice(1 - HEAD)] : all;
    shown.forEach((parts, at) => {
      if (at) made.append(element("span", "joint", joint));
      if (parts) {
        made.append(term(parts, operation));
        return;
      }
      const hidden = all.length - 2 * HEAD + 1;
      const running = all[all.length - HEAD].running;
      const more = element("button", "more", attnviz.word("inspector.more", { hidden, running }));
      more.type = "button";
      more.dataset.unfold = "";
      made.append(more);
    });
    if (operation === "maximum") made.append(element("span", "function", ")"));
    return made;
  }

  const WRAPPED = {
    exp: "exp",
    tanh: "tanh",
    sine: "sin",
    cosine: "cos",
  };

  function step(part) {
    const made = element("span", "step");
    const { operator, operands } = part;
    if (WRAPPED[operator]) {
      made.append(element("span", "function", `→ ${WRAPPED[operator]}`));
    } else if (operator === "divide_by_root") {
      made.append("÷ √(", operand(operands[0]), " + ", operand(operands[1]), ")");
    } else if (operator === "divide_by_power") {
      const [base, exponent, width] = operands;
      made.append("÷ ", operand(base), element("sup", "", `${exponent.value}/${width.value}`));
    } else if (operator === "reciprocal_root") {
      made.append("→ 1/√");
    } else if (operator === "soft_cap") {
      made.append("→ ", operand(operands[0]), "·tanh(s/", operand(operands[0]), ")");
    } else if (operator === "round") {
      made.append(attnviz.word("inspector.rounding"));
    } else {
      made.append(`${part.sign} `, part.label || bracketed(operand(operands[0]), operands[0]));
      if (!part.label) {
        made.append(element("small", "", symbol(operands[0].symbol, operands[0].index)));
      }
    }
    return made;
  }

  function work(words, isOpen) {
    const made = document.createDocumentFragment();
    const { operation } = words;
    if (operation === "given") {
      made.append(element("span", "inspector-note", attnviz.word("inspector.given")));
      return made;
    }
    if (operation === "hidden") {
      const note = element("span", "inspector-note", attnviz.word("inspector.hidden"));
      made.append(terms(words, isOpen), note);
      return made;
    }
    const isSum = words.terms.length > 1;
    if (isSum && words.steps.length && operation !== "maximum") {
      made.append(element("span", "bracket", "("), terms(words, isOpen));
      made.append(element("span", "bracket", ")"));
    } else {
      made.append(terms(words, isOpen));
    }
    let value = words.total;
    if (isSum || operation === "sum_of_products") {
      made.append(element("span", "joint", "="), element("b", "subtotal", value));
    }
    for (const part of words.steps) {
      made.append(step(part));
      value = part.value;
      made.append(element("span", "joint", "="), element("b", "subtotal", value));
    }
    return made;
  }

  function setTrail(place) {
    const { trail } = stateOf(place);
    const crumbs = trail.map((crumb, at) => {
      const isLast = at === trail.length - 1;
      const made = element(isLast ? "span" : "button", "crumb", symbol(crumb.symbol, crumb.index));
      if (isLast) return made;
      made.type = "button";
      made.dataset.crumb = at;
      return made;
    });
    const nav = place.querySelector(".trail");
    nav.replaceChildren(element("span", "trail-title", attnviz.word("inspector.why")));
    crumbs.forEach((crumb, at) => {
      if (at) nav.append(element("span", "joint", "←"));
      nav.append(crumb);
    });
  }

  // What the server says of the selected cell; it follows every change of the numbers.
  attnviz.showDerivation = (page, words) => {
    const place = inspectorOf(page);
    if (!place) return;
    const state = stateOf(place);
    place.classList.toggle("is-empty", !words);
    if (!words) return;
    if (!state.words || !same(state.words.cell, words.cell)) state.isOpen = false;
    state.words = words;
    const last = state.trail.at(-1);
    if (last && same(last.cell, words.cell)) state.trail.splice(-1, 1, words);
    else state.trail = [words];
    const isCovered = Boolean(attnviz.isCovered?.(page, words.cell));
    const value = place.querySelector(".inspector-value");
    const shown = isCovered ? "?" : words.value;
    value.replaceChildren(symbol(words.symbol, words.index), ` = ${shown}`);
    value.title = isCovered ? "" : words.exact;
    const body = place.querySelector(".inspector-work");
    body.replaceChildren(isCovered ? "" : work(words, state.isOpen));
    place.dataset.operation = words.operation;
    for (const button of place.querySelectorAll("[data-copy-derivation]")) {
      button.disabled = isCovered;
    }
    setTrail(place);
  };

  // What is covered has changed.
  attnviz.reviewDerivation = (page) => {
    const place = inspectorOf(page);
    const words = place && stateOf(place).words;
    if (words) attnviz.showDerivation(page, words);
  };

  // Ask the server about a cell; a cell reached through a term keeps the way back.
  attnviz.ask = (page, cell, { follows = false } = {}) => {
    const place = inspectorOf(page);
    if (!place || !cell) return;
    const state = stateOf(place);
    // The server does not answer again for the cell that it has just explained.
    const isKnown = state.words && same(state.words.cell, cell);
    const crumb = isKnown ? state.words : { cell, symbol: ["…", "", "", "x"], index: [] };
    state.trail = follows ? [...state.trail, crumb] : [crumb];
    // What is explained at first need not be asked for.
    if (isKnown && !state.asked) return;
    state.asked = cell;
    Shiny.setInputValue?.(place.dataset.input, cell);
  };

  // A question from before there was a connection goes out with the very first message.
  class QuestionBinding extends Shiny.InputBinding {
    find(scope) {
      return $(scope).find(".inspector");
    }
    getId(place) {
      return place.dataset.input;
    }
    getValue(place) {
      return stateOf(place).asked;
    }
    subscribe() {}
    unsubscribe() {}
  }
  Shiny.inputBindings.register(new QuestionBinding(), "attnviz.question");

  function go(page, cell, options) {
    attnviz.ask(page, cell, options);
    attnviz.showSelected(page, cell);
  }

  function copy(button, place) {
    const { words } = stateOf(place);
    if (words) attnviz.copyText(button, words.copies[button.dataset.copyDerivation]);
  }

  document.addEventListener("click", (event) => {
    const place = event.target.closest?.(".inspector");
    if (!place) return;
    const page = place.closest(".figures-page");
    const state = stateOf(place);
    const link = event.target.closest("[data-cell]");
    const crumb = event.target.closest("[data-crumb]");
    const copies = event.target.closest("[data-copy-derivation]");
    if (link) go(page, JSON.parse(link.dataset.cell), { follows: true });
    else if (crumb) {
      const at = Number(crumb.dataset.crumb);
      const { cell } = state.trail[at];
      state.trail = state.trail.slice(0, at);
      go(page, cell, { follows: true });
    } else if (copies) copy(copies, place);
    else if (event.target.closest("[data-unfold]")) {
      state.isOpen = true;
      attnviz.showDerivation(page, state.words);
    }
  });
})();
