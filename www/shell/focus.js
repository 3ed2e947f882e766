// The focus is never lost: when what had it is gone, hidden or disabled, the nearest thing
// that is still there takes it.
import { on } from "./events.js";

const FOCUSABLE =
  "button, summary, a[href], input, select, textarea, [tabindex]:not([tabindex='-1'])";
let path = []; // what had the focus, and all around it

const isThere = (element) => element.isConnected && element.checkVisibility();
const takesFocus = (element) => isThere(element) && !element.disabled;

document.addEventListener("focusin", ({ target }) => {
  path = [];
  for (let each = target; each && each !== document.body; each = each.parentElement) {
    path.push(each);
  }
});
// Who clicks beside everything has left it.
document.addEventListener("pointerdown", ({ target }) => {
  if (!target.closest(FOCUSABLE)) path = [];
});

function keep() {
  const isLost = document.activeElement === document.body && path.length;
  if (!isLost || takesFocus(path[0])) return;
  for (const place of path.filter(isThere)) {
    const next = [...place.querySelectorAll(FOCUSABLE)].find(takesFocus);
    if (!next) continue;
    next.focus({ preventScroll: true });
    return;
  }
}

// After what may have taken it away, by the reader or by the server.
const later = () => setTimeout(keep, 0);
for (const name of ["click", "keydown", "change"]) document.addEventListener(name, later);
for (const name of ["presented", "selected"]) on(name, later);
$(document).on("shiny:value", later);
