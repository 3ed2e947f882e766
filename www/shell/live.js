// Sentences and verdicts that follow the numbers.
import { word } from "./words.js";

const livePlaces = new WeakMap(); // page -> key -> elements

function findLive(page) {
  const places = new Map();
  for (const element of page.querySelectorAll("[data-live]")) {
    const { live } = element.dataset;
    places.set(live, [...(places.get(live) || []), element]);
  }
  return places;
}

// { key: { text, state } }
export function showLive(page, live) {
  if (!livePlaces.has(page)) livePlaces.set(page, findLive(page));
  const places = livePlaces.get(page);
  for (const [key, { text, state }] of Object.entries(live)) {
    for (const element of places.get(key) || []) {
      const place = element.querySelector("[data-live-text]") || element;
      if (text !== null && place.textContent !== text) place.textContent = text;
      if (state !== null && element.dataset.state !== state) setState(element, state);
    }
  }
}

function setState(element, state) {
  element.dataset.state = state;
  for (const variant of element.querySelectorAll(":scope > [data-variant]")) {
    variant.hidden = variant.dataset.variant !== state;
  }
  const verdict = element.querySelector("[data-live-verdict]");
  if (verdict) verdict.textContent = word(`verdict.${state}`);
}
