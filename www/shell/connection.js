// When the connection is lost: say so, wait for the server, and come back to the same
// state, which stands in the address.
import { word } from "./words.js";

const FIRST_WAIT = 700; // ms before the first attempt
const LONGEST_WAIT = 8000;
let overlay = null;
let isLeaving = false;

window.addEventListener("beforeunload", () => {
  isLeaving = true;
});

function show() {
  if (overlay) return;
  overlay = document.createElement("div");
  overlay.className = "connection";
  overlay.setAttribute("role", "alertdialog");
  overlay.setAttribute("aria-label", word("connection.lost"));
  const title = document.createElement("h2");
  title.textContent = word("connection.lost");
  const text = document.createElement("p");
  text.textContent = word("connection.waiting");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button-quiet";
  button.textContent = word("connection.reload");
  button.addEventListener("click", () => location.reload());
  const box = document.createElement("div");
  box.append(title, text, button);
  overlay.append(box);
  document.body.append(overlay);
  button.focus();
}

async function isBack() {
  try {
    const answer = await fetch(location.pathname, { method: "GET", cache: "no-store" });
    return answer.ok;
  } catch {
    return false; // still away: that is what we wait for to end
  }
}

async function comeBack(wait) {
  await new Promise((done) => setTimeout(done, wait));
  if (isLeaving) return;
  if (await isBack()) {
    location.reload();
    return;
  }
  show();
  comeBack(Math.min(LONGEST_WAIT, wait * 1.6));
}

$(document).on("shiny:disconnected", () => {
  if (isLeaving) return;
  show();
  comeBack(FIRST_WAIT);
});
