// What a link asks for beyond the example: controls hidden or locked, a task, and the
// projector. The parts are named in the link; whatever else it names is passed over.
import { on } from "../shell/events.js";
import { isProjected, project } from "../shell/projector.js";
import { word } from "../shell/words.js";
import { keep, touchAddress } from "./address.js";

const LOCKABLE = "input, select, textarea, button";

// What belongs to a part carries its name, but for what is not the app's own.
const FOREIGN = {
  sidebar: ".bslib-sidebar-layout > :not(.main)",
  pages: ".navbar [data-value]",
  bar: ".navbar",
};
const selectorOf = (part) =>
  Object.hasOwn(FOREIGN, part) ? FOREIGN[part] : `[data-part="${part}"]`;

const query = new URLSearchParams(location.search);
const named = (key) => (query.get(key) ?? "").split(",").filter((part) => /^[a-z]+$/.test(part));
const hidden = named("hide");
const locked = named("lock");
const closed = new Set([...hidden, ...locked]);

// Keys and drags must not do what a hidden or locked control would.
export const isClosed = (part) => closed.has(part);

// A rule reaches what comes later too, and leaves nothing to see, to hear or to focus.
// An element of the page: older browsers make no style sheets on their own.
const rules = document.createElement("style");
rules.className = "hidden-parts";
rules.textContent = hidden
  .map((part) => `${selectorOf(part)} { display: none !important; }`)
  .join("\n");
document.head.append(rules);
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

const { longestTask } = document.querySelector("[data-longest-task]").dataset;
const task = [...(query.get("task") ?? "").trim()].slice(0, longestTask).join("");

function showTask(head) {
  const title = document.createElement("b");
  title.textContent = word("teacher.task");
  const words = document.createElement("span");
  words.dir = "auto";
  words.textContent = task;
  const banner = document.createElement("aside");
  banner.className = "task";
  banner.append(title, words);
  head.after(banner);
}

// What a page brings is locked, and headed by the task, as what was there before.
const prepared = new WeakSet();
function prepare(root) {
  const fresh = (element) => !prepared.has(element) && prepared.add(element);
  for (const part of locked) {
    [...root.querySelectorAll(selectorOf(part))].filter(fresh).forEach(keepLocked);
  }
  // What sets the parts of others must not do what these may not.
  for (const part of closed) {
    [...root.querySelectorAll(`[data-sets~="${part}"]`)].filter(fresh).forEach(keepLocked);
  }
  if (task) [...root.querySelectorAll(".page-head")].filter(fresh).forEach(showTask);
}
prepare(document);
on("opened", ({ page }) => prepare(page));

function projectAsAddressed() {
  const isWanted = new URLSearchParams(location.search).get("projector") === "1";
  if (isWanted !== isProjected()) project(isWanted);
}
keep("projector", () => (isProjected() ? "1" : null));
on("projected", touchAddress);
on("restore", projectAsAddressed);
window.addEventListener("load", projectAsAddressed); // the sidebar's own script has run
