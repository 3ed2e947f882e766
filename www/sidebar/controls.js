// Range inputs that send while they move, and controls that unfold when they are used.
import { gated, next } from "../shell/server.js";

// What is folded opens when a preset or an address uses it.
$(document).on("change", ".more-controls", (event) => {
  const used =
    '[name$="keys"]:checked:not([value="same"]), option:checked:not([value="dot"]):not([value="none"])';
  if (event.currentTarget.querySelector(used)) event.currentTarget.open = true;
});

// What the choices of a select are called follows the example; the choice does not.
Shiny.addCustomMessageHandler("attnviz-labels", ({ id, labels }) => {
  for (const option of document.getElementById(id).options) {
    option.textContent = labels[option.value];
  }
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
    const stops = input.dataset.stops?.split(" ");
    if (stops) input.setAttribute("aria-valuetext", stops[input.value]);
    if (output) output.value = stops ? stops[input.value] : input.value;
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
      gated(input, send);
    };
    input.addEventListener("input", input.listen);
    this.label(input);
  }
  unsubscribe(input) {
    input.removeEventListener("input", input.listen);
  }
}
Shiny.inputBindings.register(new RangeBinding(), "attnviz.range");
