// Content that comes from the server when it is first looked at.
import { tell } from "./server.js";

// Ask for what belongs into a place; resolves when it stands there.
export function bring(place) {
  const { later } = place.dataset;
  if (later) {
    delete place.dataset.later;
    tell(later, true);
  }
  if (place.firstElementChild) return Promise.resolve();
  return new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      watch.disconnect();
      resolve();
    });
    watch.observe(place, { childList: true });
  });
}

document.addEventListener(
  "toggle",
  ({ target }) => {
    const place = target.open && target.querySelector(":scope > [data-later]");
    if (place) bring(place);
  },
  true
);
