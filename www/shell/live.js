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

const SILENT = { text: "", state: "" };

// { key: { text, state, size, formula } }; an entry is null where nothing is said any more.
export function showLive(page, live) {
  if (!livePlaces.has(page)) livePlaces.set(page, findLive(page));
  const places = livePlaces.get(page);
  for (const [key, entry] of Object.entries(live)) {
    const { text, state, size, formula } = entry ?? SILENT;
    for (const element of places.get(key) || []) {
      const place = element.querySelector("[data-live-text]") || element;
      if (text !== undefined && place.textContent !== text) place.textContent = text;
      if (formula !== undefined) place.innerHTML = formula;
      if (state !== undefined && element.dataset.state !== state) setState(element, state);
      if (size !== undefined) element.style.setProperty("--size", size);
    }
  }
}

function setState(element, state) {
  element.dataset.state = state;
  const verdict = element.querySelector("[data-live-verdict]");
  if (verdict) verdict.textContent = state && word(`verdict.${state}`);
}
