// The menu of what can be taken along: figures as pictures, files and sheets.
import { drawPicture, nameOf } from "../figure/picture.js";
import { viewOf, viewsIn } from "../figure/views.js";
import { inTheme, shownTheme } from "../shell/colours.js";
import { on } from "../shell/events.js";

const SHARPNESS = 2; // pixels of a PNG a pixel of the screen
const ASKING = "worksheet"; // it has places to fill in, and tells no result
const routes = new WeakMap(); // menu -> where its files come from
const offers = new WeakMap(); // menu -> what was offered last

const pageOf = (menu) => menu.closest(".figures-page");
const shownIn = (menu) => viewsIn(pageOf(menu)).filter((view) => view.frame);
const choiceIn = (menu) => menu.querySelector("[data-picture-of]");

async function toPng(svg, source) {
  const image = new Image();
  const address = URL.createObjectURL(source);
  image.src = address;
  await image.decode();
  URL.revokeObjectURL(address);
  const canvas = document.createElement("canvas");
  canvas.width = SHARPNESS * svg.getAttribute("width");
  canvas.height = SHARPNESS * svg.getAttribute("height");
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// What a picture says of itself: where its numbers come from, and both warnings.
const notesOf = (menu) => [
  menu.querySelector("[data-live='export.of']").textContent,
  location.href,
  menu.dataset.caption,
];

async function savePicture(menu, form) {
  const graph = choiceIn(menu).value;
  const view = viewOf(pageOf(menu).querySelector(`[data-graph="${graph}"]`));
  const theme = menu.querySelector("[data-as-shown]").checked ? shownTheme() : "light";
  const svg = inTheme(theme, () => drawPicture(view, notesOf(menu)));
  const text = new XMLSerializer().serializeToString(svg);
  const source = new Blob([text], { type: "image/svg+xml" });
  save(form === "png" ? await toPng(svg, source) : source, `attnviz-${graph}.${form}`);
}

// The figures that are there now, with the last choice kept as long as it is.
function offerFigures(menu) {
  const choice = choiceIn(menu);
  const before = choice.value;
  const views = shownIn(menu);
  choice.replaceChildren(
    ...views.map((view) => new Option(nameOf(view), view.element.dataset.graph))
  );
  if (views.some((view) => view.element.dataset.graph === before)) choice.value = before;
  for (const button of menu.querySelectorAll("[data-picture]")) button.disabled = !views.length;
}

// A file leads somewhere once its address is told and there are numbers, unless it tells
// what is covered.
function offerFiles(menu) {
  const isCovered = pageOf(menu).classList.contains("is-covering");
  const route = shownIn(menu).length > 0 && routes.get(menu);
  const offer = `${route} ${isCovered}`;
  if (offers.get(menu) === offer) return;
  offers.set(menu, offer);
  for (const link of menu.querySelectorAll("[data-form]")) {
    const { form } = link.dataset;
    const isOpen = Boolean(route) && (form === ASKING || !isCovered);
    link.classList.toggle("disabled", !isOpen);
    if (isOpen) link.href = `${route}&form=${form}`;
    else link.removeAttribute("href");
  }
  menu.querySelector("[data-covered]").hidden = !isCovered;
}

function review(page) {
  const menu = page.querySelector("details.export");
  if (!menu) return;
  offerFiles(menu);
  if (menu.open) offerFigures(menu);
}
on("drawn", ({ page }) => review(page));
on("recast", ({ page }) => review(page));

// Files and sheets come from an address of this session's own, told after their page.
Shiny.addCustomMessageHandler("attnviz-export", ({ menu, route }) => {
  const told = document.getElementById(menu);
  routes.set(told, route);
  offerFiles(told);
});

document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target.matches?.("details.export") && target.open) offerFigures(target);
  },
  true
);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-picture]");
  if (button) savePicture(button.closest("details.export"), button.dataset.picture);
});
