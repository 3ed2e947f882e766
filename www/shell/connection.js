// When there is no connection: say so, wait for it, and come back to the same state,
// which stands in the address.
import { word } from "./words.js";

const FIRST_WAIT = 700; // ms before the first attempt
const LONGEST_WAIT = 8000;
const PATIENCE = 5000; // ms within which a session begins, unless something is in between
let overlay = null;
let isLeaving = false;

window.addEventListener("beforeunload", () => {
  isLeaving = true;
});

// Under the dialogue nothing can be moved: no number would follow.
function lock(isLocked) {
  for (const element of document.body.children) {
    if (element !== overlay) element.inert = isLocked;
  }
}

function show(name, ...sentences) {
  if (overlay) return;
  overlay = document.createElement("div");
  overlay.className = "connection";
  overlay.setAttribute("role", "alertdialog");
  overlay.setAttribute("aria-label", word(name));
  const title = document.createElement("h2");
  title.textContent = word(name);
  const texts = sentences.map((sentence) => {
    const text = document.createElement("p");
    text.textContent = sentence;
    return text;
  });
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button-quiet";
  button.textContent = word("connection.reload");
  button.addEventListener("click", () => location.reload());
  const box = document.createElement("div");
  box.append(title, ...texts, button);
  overlay.append(box);
  document.body.append(overlay);
  lock(true);
  button.focus();
}

function hide() {
  lock(false);
  overlay?.remove();
  overlay = null;
}

async function isBack() {
  try {
    const answer = await fetch(location.pathname, { method: "GET", cache: "no-store" });
    return answer.ok;
  } catch {
    return false; // still away: that is what we wait for to end
  }
}

const isPassed = (address) =>
  new Promise((tell) => {
    const socket = new WebSocket(address);
    socket.addEventListener("open", () => {
      socket.close();
      tell(true);
    });
    socket.addEventListener("error", () => tell(false));
  });

// Try again, ever more rarely, and load the page anew when it is of use.
async function comeBack(isOfUse, wait, whileAway) {
  await new Promise((done) => setTimeout(done, wait));
  if (isLeaving) return;
  if (await isOfUse()) {
    location.reload();
    return;
  }
  whileAway();
  comeBack(isOfUse, Math.min(LONGEST_WAIT, wait * 1.6), whileAway);
}

const sayLost = () => show("connection.lost", word("connection.waiting"));

$(document).on("shiny:disconnected", () => {
  if (isLeaving) return;
  sayLost();
  comeBack(isBack, FIRST_WAIT, sayLost);
});

// A proxy or firewall may let pages through and sockets not.
setTimeout(() => {
  const { config, $socket: socket } = Shiny.shinyapp;
  if (config || overlay) return;
  const address = new URL("websocket/", location.href.replace(/^http/, "ws")).href;
  show(
    "connection.blocked",
    word("connection.why"),
    word("connection.ask", { address }),
    word("connection.later")
  );
  $(document).one("shiny:sessioninitialized", hide);
  // Shiny gives a socket up that was never open; a slow one may open yet.
  if (!socket) {
    comeBack(
      () => isPassed(address),
      LONGEST_WAIT,
      () => {}
    );
  }
}, PATIENCE);
