// The tokens of an example in another order: a token is dragged by its name, beside the
// figure or in the row of chips, or moved there by the arrow keys; two change places.
// The table of what each kind of positions does is pressed.
import { viewsIn } from "../figure/views.js";
import { on } from "../shell/events.js";
import { tell } from "../shell/server.js";
import { word } from "../shell/words.js";
import { isClosed } from "../session/teacher.js";

const DEAD = 4; // pixels before a press becomes a drag
const AXIS = "place";
let drag = null;

const pageOf = (element) => element.closest(".figures-page");
const chipsOf = (page) => page.querySelector("[data-order-chips]");

// What stands at each place, and what it is called.
function orderOf(page) {
  const view = viewsIn(page).find(({ frame }) => frame?.axes?.[AXIS]);
  return view ? view.frame.axes[AXIS] : { order: [], names: [] };
}

function send(page, order) {
  if (order.length)
    tell(chipsOf(page).dataset.orderChips, order.map((token) => token + 1).join("-"));
}

function moveTo(page, from, to) {
  const { order } = orderOf(page);
  const at = Math.max(0, Math.min(order.length - 1, to));
  if (at === from) return;
  const moved = [...order];
  moved.splice(at, 0, ...moved.splice(from, 1));
  send(page, moved);
}

// ---- the row of chips, and the two lists ------------------------------------------

function chip(name, token, place, count) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "order-chip";
  made.textContent = name;
  made.dataset.place = place;
  made.dataset.token = token;
  made.setAttribute("aria-label", word("order.chip", { name, place: place + 1, count }));
  return made;
}

// Words that stand twice are told apart by their numbers.
function fillLists(page, tokens) {
  const isTwice = new Set(tokens.map(([, name]) => name)).size < tokens.length;
  page.querySelectorAll("[data-swap]").forEach((list, at) => {
    const before = list.value;
    list.replaceChildren(
      ...tokens.map(([token, name]) => new Option(isTwice ? `${token + 1} ${name}` : name, token))
    );
    list.value = tokens.some(([token]) => String(token) === before) ? before : String(at);
  });
}

on("presented", ({ page }) => {
  const place = chipsOf(page);
  if (!place) return;
  const { order, names } = orderOf(page);
  const key = JSON.stringify([order, names]);
  if (place.dataset.key !== key) {
    place.dataset.key = key;
    const held = document.activeElement?.closest?.(".order-chip")?.dataset.token;
    place.replaceChildren(...names.map((name, at) => chip(name, order[at], at, names.length)));
    const again = held && [...place.children].find(({ dataset }) => dataset.token === held);
    again?.focus({ preventScroll: true });
    const tokens = order.map((token, at) => [token, names[at]]).sort(([a], [b]) => a - b);
    fillLists(page, tokens);
  }
  for (const button of page.querySelectorAll("[data-try]")) {
    button.setAttribute("aria-pressed", String(button.dataset.state === "chosen"));
  }
});

const KEYS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
document.addEventListener("keydown", (event) => {
  const held = event.target.closest?.(".order-chip");
  if (!held) return;
  const place = Number(held.dataset.place);
  const ends = { Home: 0, End: Infinity };
  const to = event.key in KEYS ? place + KEYS[event.key] : ends[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  moveTo(pageOf(held), place, to);
});

const tools = {
  identity: (page) =>
    send(
      page,
      [...orderOf(page).order].sort((a, b) => a - b)
    ),
  swap(page) {
    const [first, second] = [...page.querySelectorAll("[data-swap]")].map(({ value }) =>
      Number(value)
    );
    const change = { [first]: second, [second]: first };
    send(
      page,
      orderOf(page).order.map((token) => change[token] ?? token)
    );
  },
};

document.addEventListener("click", ({ target }) => {
  const tool = target.closest?.("[data-order]");
  if (tool) tools[tool.dataset.order](pageOf(tool));
  const tried = target.closest?.("[data-try]");
  if (tried) tell(tried.closest("[data-tries]").dataset.tries, tried.dataset.try);
});

// ---- dragging ---------------------------------------------------------------------

// The place whose name is under the pointer, in the chips or beside a matrix.
function placeAt(event) {
  if (isClosed("place")) return null;
  const held = event.target.closest?.(".order-chip");
  if (held) return { page: pageOf(held), place: Number(held.dataset.place) };
  const page = event.target.closest?.(".figures-page");
  for (const view of page ? viewsIn(page).filter(({ isPlaced }) => isPlaced) : []) {
    const place = rowAt(view, event);
    if (place !== null) return { page, place };
  }
  return null;
}

function rowAt(view, event) {
  const box = view.element.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const panel = view.panels.find(
    ({ axes, rect, rowLabels, rowLabelWidth }) =>
      axes[0] === AXIS &&
      rowLabels.length &&
      x >= rect.x - rowLabelWidth - 10 &&
      x < rect.x &&
      y >= rect.y &&
      y < rect.y + rect.height
  );
  return panel ? Math.floor((y - panel.rect.y) / view.geometry.cell) : null;
}

document.addEventListener("pointerdown", (event) => {
  const at = event.button ? null : placeAt(event);
  if (!at || !chipsOf(at.page)) return;
  drag = { ...at, x: event.clientX, y: event.clientY, isMoving: false };
});
document.addEventListener("pointermove", (event) => {
  if (drag?.isMoving === false && event.buttons) {
    const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
    drag.isMoving = far >= DEAD;
    document.body.classList.toggle("is-moving-token", drag.isMoving);
  } else if (!drag) {
    const page = event.target.closest?.(".figures-page");
    if (page) page.classList.toggle("can-move-token", chipsOf(page) && placeAt(event) !== null);
  }
});
function drop(event) {
  document.body.classList.remove("is-moving-token");
  const ended = drag;
  drag = null;
  if (!ended?.isMoving || event.type !== "pointerup") return;
  const under = document.elementFromPoint(event.clientX, event.clientY) ?? document.body;
  const at = placeAt({ target: under, clientX: event.clientX, clientY: event.clientY });
  if (at) moveTo(ended.page, ended.place, at.place);
}
document.addEventListener("pointerup", drop);
document.addEventListener("pointercancel", drop);
