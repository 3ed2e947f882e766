// Which cell the reader wants explained, and over which cells the question came.
const states = new WeakMap(); // inspector -> { trail, words, asked }

export const inspectorOf = (page) => page.querySelector(".inspector");

export function stateOf(place) {
  if (!states.has(place)) states.set(place, { trail: [], words: null, asked: null });
  return states.get(place);
}

export const isSameCell = (a, b) =>
  a && b && a.name === b.name && a.i === b.i && a.j === b.j && a.head === b.head;

// Ask the server about a cell; a cell reached through a term keeps the way back.
export function ask(page, cell, { follows = false } = {}) {
  const place = inspectorOf(page);
  if (!place || !cell) return;
  const state = stateOf(place);
  // The server does not answer again for the cell that it has just explained.
  const isKnown = state.words && isSameCell(state.words.cell, cell);
  const crumb = isKnown ? state.words : { cell, symbol: ["…", "", "", "x"], index: [] };
  state.trail = follows ? [...state.trail, crumb] : [crumb];
  // What is explained at first need not be asked for.
  if (isKnown && !state.asked) return;
  state.asked = cell;
  Shiny.setInputValue?.(place.dataset.input, cell);
}

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
