// The menu of what can be taken along: figures as pictures, files and sheets.
import { drawPicture, nameOf } from "../figure/picture.js";
import { viewOf, viewsIn } from "../figure/views.js";

const SHARPNESS = 2; // pixels of a PNG a pixel of the screen

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

async function savePicture(menu, form) {
  const page = menu.closest(".figures-page");
  const graph = menu.querySelector("[data-picture-of]").value;
  const view = viewOf(page.querySelector(`[data-graph="${graph}"]`));
  const svg = drawPicture(view, menu.dataset.caption);
  const text = new XMLSerializer().serializeToString(svg);
  const source = new Blob([text], { type: "image/svg+xml" });
  save(form === "png" ? await toPng(svg, source) : source, `attnviz-${graph}.${form}`);
}

// The figures that are there now, with the last choice kept.
function offerFigures(menu) {
  const choice = menu.querySelector("[data-picture-of]");
  const before = choice.value;
  const views = viewsIn(menu.closest(".figures-page")).filter((view) => view.frame);
  choice.replaceChildren(
    ...views.map((view) => new Option(nameOf(view), view.element.dataset.graph))
  );
  if (views.some((view) => view.element.dataset.graph === before)) choice.value = before;
}

// Files and sheets come from an address of this session's own, told after their page.
Shiny.addCustomMessageHandler("attnviz-export", ({ menu, route }) => {
  for (const link of document.querySelectorAll(`#${menu} [data-form]`)) {
    link.href = `${route}&form=${link.dataset.form}`;
    link.classList.remove("disabled");
  }
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
