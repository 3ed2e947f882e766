// The address is the document: the server writes the example, the page and its settings;
// the browser adds what it keeps by itself. While values move the present entry of the
// history is rewritten; the first change after a rest starts a new one, so that back and
// forward are undo and redo.
import { shownPage } from "../figure/views.js";
import { announce } from "../shell/events.js";
import { enter, rewrite } from "../shell/history.js";
import { tell } from "../shell/server.js";
import { typingLeft } from "../shell/typing.js";
import { word } from "../shell/words.js";

const BURST = 500; // ms without a change that end a burst
// What a link asks for once and for all stays as it came.
const GIVEN = ["hide", "lock", "task", "lang"];
let burst = Infinity; // until the server has spoken
let asked = null; // what back or forward wants to see, until the server has answered
let questions = 0;
let isRestoring = false;
const parts = new Map(); // what the browser adds: key -> how it is read

const query = () => new URLSearchParams(location.search);

// Keep something in the address: a function that takes the page in view, if there is one,
// and gives the value, or null for none.
export function keep(key, read) {
  parts.set(key, read);
}
for (const key of GIVEN) keep(key, () => query().get(key));

// What separates values needs no escape, and reads better without.
export function searchOf(parameters) {
  const text = parameters.toString().replace(/%(2C|3A|3B|7E)/g, decodeURIComponent);
  return text ? `?${text}` : location.pathname;
}

// The page that the address names, or the first one; null until it is opened.
function addressedPage() {
  const named = document.getElementById(`page-${query().get("page")}`);
  const place = named ?? document.querySelector("[id^='page-']");
  return place.querySelector(".figures-page");
}

// What the address asks of a page, or null.
export const addressed = (page, key) => (page === addressedPage() ? query().get(key) : null);

function startBurst(wait = BURST) {
  clearTimeout(burst);
  burst = setTimeout(() => {
    const left = typingLeft();
    if (left) startBurst(left);
    else burst = 0;
  }, wait);
}

// Whether the next change starts an entry of its own.
export const isAtRest = () => burst === 0;

function write(base) {
  const next = new URLSearchParams(base);
  const page = shownPage();
  for (const [key, read] of parts) {
    const value = read(page);
    next.delete(key);
    if (value) next.set(key, value);
  }
  const address = searchOf(next);
  if (new URL(address, location).href === location.href) return;
  if (burst) rewrite(address);
  else enter(address);
  if (burst !== Infinity) startBurst();
}

// A part has changed. Before the server has answered the address is still to be read.
export function touchAddress() {
  if (!isRestoring && burst !== Infinity) write(location.search);
}

// What could not be used of the address that the page came from, or went back to: the
// server says so of its own parts, the browser of those that it keeps.
let told = null; // the server's sentences; none yet: they stand there already
const unusable = new Set(); // keys

export function cannotUse(key) {
  unusable.add(key);
  showNotices();
}

function showNotices() {
  const place = document.querySelector(".notices");
  told ??= [...place.children].map((notice) => notice.textContent);
  const keys = [...unusable].join(", ");
  const sentences = keys ? [...told, word("address.dropped", { keys })] : told;
  if (place.textContent === sentences.join("")) return;
  place.replaceChildren(
    ...sentences.map((sentence) => {
      const notice = document.createElement("p");
      notice.className = "problem";
      notice.textContent = sentence;
      return notice;
    })
  );
}

// What was on its way before belongs to an entry that has been left.
Shiny.addCustomMessageHandler("attnviz-address", ({ query: base, answers, notices }) => {
  if (asked !== null && answers !== asked) return;
  asked = null;
  told = notices;
  showNotices();
  write(base);
  startBurst();
});

// Let the server show what the address says.
export function askForAddress() {
  clearTimeout(burst);
  burst = Infinity;
  questions += 1;
  asked = `${location.search}#${questions}`;
  tell("address", asked);
}

// The browser's own parts come back first, so that the server is asked once for all.
window.addEventListener("popstate", () => {
  isRestoring = true;
  unusable.clear();
  announce("restore", { page: addressedPage() });
  isRestoring = false;
  askForAddress();
});
