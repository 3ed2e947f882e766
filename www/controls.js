// A range input that sends while it moves: one change on its way at a time, the newest
// value wins, and no two sends closer than a thirtieth of a second.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const SHORTEST = 33; // ms between two sends
  const PATIENCE = 3000; // ms after which an answer is no longer waited for
  const waiting = new Map(); // input element -> its newest send
  let isBusy = false; // the line is taken: a change is on its way or about to leave
  let isOut = false; // a change has left and the server has not said idle since
  let sawIdle = false; // it has: the next values are the answer
  let timer = 0; // the one thing that frees the line or lets a change leave
  let lastSend = 0;

  function arm(step, delay) {
    clearTimeout(timer);
    timer = setTimeout(step, delay);
  }

  function next() {
    clearTimeout(timer);
    isBusy = isOut = sawIdle = false;
    const entry = waiting.entries().next().value;
    if (!entry) return;
    waiting.delete(entry[0]);
    dispatch(entry[1]);
  }

  function dispatch(send) {
    isBusy = true;
    const go = () => {
      isOut = true;
      lastSend = performance.now();
      arm(next, PATIENCE);
      send();
    };
    const early = lastSend + SHORTEST - performance.now();
    if (early > 0) arm(go, early);
    else go();
  }

  // Others that send while they move wait in the same line.
  attnviz.gated = (key, send) => {
    if (!isBusy) {
      dispatch(send);
      return;
    }
    waiting.delete(key); // what is newer stands behind what others have said before it
    waiting.set(key, send);
  };

  // Whether nothing is on its way, and nothing waits.
  attnviz.isQuiet = () => !isBusy;

  // The server says it is idle before the new values arrive. Other messages come with
  // empty values, also between an answer and the next change: none frees the line twice.
  $(document)
    .on("shiny:idle", () => {
      sawIdle = isOut;
    })
    .on("shiny:message", (event) => {
      if (!sawIdle || !event.message.values) return;
      isOut = sawIdle = false;
      arm(next, 0);
    })
    .on("shiny:disconnected", () => {
      waiting.clear();
      next();
    });

  // What is folded opens when a preset or an address uses it.
  $(document).on("change", ".more-controls", (event) => {
    const used = '[name$="keys"]:checked:not([value="same"]), option:checked:not([value="dot"]):not([value="none"])';
    if (event.currentTarget.querySelector(used)) event.currentTarget.open = true;
  });

  class RangeBinding extends Shiny.InputBinding {
    find(scope) {
      return $(scope).find("input.range");
    }
    getValue(input) {
      return Number(input.value);
    }
    setValue(input, value) {
      input.value = value;
      this.label(input);
    }
    receiveMessage(input, { value, disabled }) {
      if (disabled !== undefined) input.disabled = disabled;
      if (value !== undefined) {
        this.setValue(input, value);
        input.sent = input.value;
        input.announce?.(false);
      }
    }
    label(input) {
      const output = input.parentElement.querySelector("output");
      if (output) output.value = input.value;
      const share = (input.value - input.min) / (input.max - input.min || 1);
      input.style.setProperty("--share", `${100 * share}%`);
    }
    subscribe(input, callback) {
      input.announce = callback;
      input.sent = input.value;
      input.listen = () => {
        this.label(input);
        const send = () => {
          // An equal value gets no answer, so it must not be waited for.
          if (input.sent === input.value) return next();
          input.sent = input.value;
          callback(false);
        };
        attnviz.gated(input, send);
      };
      input.addEventListener("input", input.listen);
      this.label(input);
    }
    unsubscribe(input) {
      input.removeEventListener("input", input.listen);
    }
  }
  Shiny.inputBindings.register(new RangeBinding(), "attnviz.range");
})();
