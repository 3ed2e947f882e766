// What a link asks for beyond the example: controls hidden or locked, a task, and the
// projector. The parts are named in the link; whatever else it names is passed over.
import { on } from "../shell/events.js";
import { isProjected, project } from "../shell/projector.js";
import { word } from "../shell/words.js";
import { keep, touchAddress } from "./address.js";

const LONGEST_TASK = 300;
const LOCKABLE = "input, select, textarea, button";

// The rows of the sidebar that hold these, and the heading just above one.
const rows = (...ids) =>
  ids
    .flatMap((id) => [
      `.controls > :has(#example-${id})`,
      `.controls > #example-${id}`,
      `.controls > h2:has(+ #example-${id}, + * #example-${id})`,
    ])
    .join();

// part -> selector of all that belongs to it
const PARTS = {
  preset: rows("preset", "point", "origin"),
  positions: rows("positions", "text", "length"),
  sizes: rows("d_model", "d_k", "d_v", "n_heads", "widths"),
  mask: rows("mask", "n_padding", "window_left"),
  scores: rows("is_scaled", "temperature"),
  more: ".more-controls",
  own: ".own-data",
  random: rows("seed", "draw"),
  norms: ".norm-controls, .figures-page > .toolbar",
  edits: ".edit-bar",
  history: ".history-bar",
  compare: ".compare-buttons, .compare",
  stepper: ".stepper",
  checks: ".checks",
  inspector: ".inspector",
  tables: ".tables",
  reading: ".figures-page > .fold:not(.tables)",
  export: ".export",
  sidebar: ".bslib-sidebar-layout > :not(.main)",
  pages: ".navbar [data-value]",
  language: ".navbar .language",
  theme: ".navbar .theme",
  share: ".navbar .share-button",
};

const query = new URLSearchParams(location.search);
const named = (key) =>
  (query.get(key) ?? "").split(",").filter((part) => Object.hasOwn(PARTS, part));
const hidden = named("hide");
const locked = named("lock");
const closed = new Set([...hidden, ...locked]);

// Keys and drags must not do what a hidden or locked control would.
export const isClosed = (part) => closed.has(part);

// A rule reaches what comes later too, and leaves nothing to see, to hear or to focus.
const sheet = new CSSStyleSheet();
for (const part of hidden) sheet.insertRule(`${PARTS[part]} { display: none !important; }`);
document.adoptedStyleSheets.push(sheet);
document.documentElement.classList.toggle("without-sidebar", hidden.includes("sidebar"));

function lock(element) {
  for (const control of element.querySelectorAll(LOCKABLE)) {
    if (!control.disabled) control.disabled = true;
  }
}

// Others unlock controls too, as a preset does with its sizes: they stay locked here.
function keepLocked(element) {
  element.classList.add("is-locked");
  element.title = word("teacher.locked");
  lock(element);
  new MutationObserver(() => lock(element)).observe(element, {
    attributeFilter: ["disabled"],
    childList: true,
    subtree: true,
  });
}

function showTask(text) {
  for (const head of document.querySelectorAll(".page-head")) {
    const title = document.createElement("b");
    title.textContent = word("teacher.task");
    const words = document.createElement("span");
    words.dir = "auto";
    words.textContent = text;
    const banner = document.createElement("aside");
    banner.className = "task";
    banner.append(title, words);
    head.after(banner);
  }
}

for (const part of locked) document.querySelectorAll(PARTS[part]).forEach(keepLocked);
const task = [...(query.get("task") ?? "").trim()].slice(0, LONGEST_TASK).join("");
if (task) showTask(task);

function projectAsAddressed() {
  const isWanted = new URLSearchParams(location.search).get("projector") === "1";
  if (isWanted !== isProjected()) project(isWanted);
}
keep("projector", () => (isProjected() ? "1" : null));
on("projected", touchAddress);
on("restore", projectAsAddressed);
window.addEventListener("load", projectAsAddressed); // the sidebar's own script has run
