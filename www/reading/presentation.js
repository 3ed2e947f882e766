// What the server says of a page, put on screen: one Shiny output a page of figures.
import { connect, showFigures } from "../figure/figures.js";
import { announce } from "../shell/events.js";
import { showLive } from "../shell/live.js";
import { addressed } from "../session/address.js";
import { isClosed } from "../session/teacher.js";
import { showDerivation } from "./inspector.js";
import { followSelection } from "./selection.js";

function present(page, value) {
  if (!page.classList.contains("has-numbers")) page.classList.add("has-numbers");
  page.head = value.head;
  page.start = value.start;
  page.editable = value.editable.filter(
    (name) => !isClosed("edits") && !(name === "mask" && isClosed("mask"))
  );
  showLive(page, value.live);
  showFigures(page, value.figures);
  showDerivation(page, value.derivation);
  followSelection(page);
  announce("presented", { page });
}

// The first view comes with the page itself, and need not wait for the server.
export function presentFirst() {
  const first = document.querySelector("script[data-first]");
  if (!first) return;
  const page = first.closest(".figures-page");
  const view = JSON.parse(first.textContent);
  // It explains the cell with which the page starts, be another asked for or not.
  if (addressed(page, "cell")) view.derivation = null;
  present(page, view);
}

class FiguresBinding extends Shiny.OutputBinding {
  find(scope) {
    return $(scope).find(".figures-page");
  }
  renderValue(page, value) {
    if (!value) return;
    connect();
    present(page, value);
  }
  renderError(page, error) {
    console.error(error.message);
  }
  clearError() {}
  // Shiny would fade the page while it waits, which costs more than the new picture.
  showProgress() {}
}
Shiny.outputBindings.register(new FiguresBinding(), "attnviz.figures");
