// The dialog that builds links for a class: what is on screen, what to hide or lock, a
// task; with a QR code drawn here, and the code of a frame for another page.
import { copyText } from "../shell/clipboard.js";
import { bring } from "../shell/later.js";
import { searchOf } from "./address.js";
import { encodeQr } from "./qr.js";

const QUIET = 4; // modules of white around a code
const BOXES = ["hide", "lock", "cover", "projector"];
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

const dialog = () => document.querySelector("dialog.share");
const part = (name) => dialog().querySelector(`[data-share="${name}"]`);
const boxes = (name) => [...dialog().querySelectorAll(`input[name="${name}"]`)];
const chosen = (name) =>
  boxes(name)
    .filter((box) => box.checked)
    .map((box) => box.value);

// The options of the present address, as the form shows them.
function fill() {
  const query = new URLSearchParams(location.search);
  for (const name of BOXES) {
    const values = (query.get(name) ?? "").split(",");
    for (const box of boxes(name)) box.checked = values.includes(box.value);
  }
  boxes("projector")[0].checked = false; // this screen is the teacher's
  part("task").value = query.get("task") ?? "";
  part("lang").value = query.get("lang") ?? "";
}

// Of what is hidden, `more` is added to what is ticked.
function link(more = []) {
  const query = new URLSearchParams(location.search);
  const ticked = (name) => (name === "hide" ? [...chosen(name), ...more] : chosen(name));
  const options = BOXES.map((name) => [name, [...new Set(ticked(name))].join(",")]);
  options.push(["task", part("task").value.trim()], ["lang", part("lang").value]);
  for (const [key, value] of options) {
    query.delete(key);
    if (value) query.set(key, value);
  }
  return new URL(searchOf(query), location).href;
}

// Dark modules as one path, run by run.
function outline({ size, dark }) {
  let path = "";
  for (let i = 0; i < size; i++) {
    for (let j = 0, run = 0; j < size; j += run || 1) {
      run = 0;
      while (j + run < size && dark[i * size + j + run]) run += 1;
      if (run) path += `M${j} ${i}h${run}v1h${-run}z`;
    }
  }
  return path;
}

function drawQr(text) {
  const code = encodeQr(text);
  const place = part("qr");
  place.hidden = !code;
  part("long").hidden = Boolean(code);
  if (!code) return;
  const side = code.size + 2 * QUIET;
  place.firstElementChild.setAttribute("viewBox", `${-QUIET} ${-QUIET} ${side} ${side}`);
  place.querySelector("path").setAttribute("d", outline(code));
}

// The code of a frame, as wide as the page around it.
function snippet() {
  const frame = document.createElement("iframe");
  frame.src = link(chosen("around").flatMap((names) => names.split(",")));
  frame.title = document.title;
  frame.width = "100%";
  const { value, validity, defaultValue } = part("height");
  frame.height = value && validity.valid ? value : defaultValue;
  frame.loading = "lazy";
  frame.allow = "clipboard-write; fullscreen";
  return frame.outerHTML;
}

function refresh() {
  const text = link();
  part("snippet").value = snippet();
  part("link").value = text;
  part("open").href = text;
  drawQr(text);
}

async function open() {
  if (!dialog()) await bring(document.getElementById("share-place"));
  fill();
  refresh();
  part("local").hidden = !LOCAL.includes(location.hostname);
  part("own").hidden = !new URLSearchParams(location.search).has("own");
  dialog().showModal();
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-action='share']")) open();
  else if (event.target.closest("[data-share='close']")) dialog().close();
  else if (event.target === dialog()) dialog().close(); // a click beside it
  else if (event.target.closest("[data-share='copy']")) {
    copyText(part("copy"), part("link").value);
  } else if (event.target.closest("[data-share='copy-snippet']")) {
    copyText(part("copy-snippet"), part("snippet").value);
  } else if (event.target.closest("[data-share='qr']")) {
    if (document.fullscreenElement) document.exitFullscreen();
    else part("qr").requestFullscreen();
  }
});
document.addEventListener("input", (event) => {
  if (event.target.closest("dialog.share")) refresh();
});
