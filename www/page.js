// What the server says of a page, put on screen: its figures and words, and apart from
// them the derivation of the selected cell. The first view comes with the page itself.
// Nothing is imported here that the first picture does not need; who keeps something in
// the address stands in the order it has there.
import "./shell/frame.js";
import "./shell/together.js";
import { isClosed } from "./session/teacher.js";
import { followSelection, leaveUnknown } from "./reading/selection.js";
import "./reading/stages.js";
import "./reading/marks.js";
import "./reading/lens.js";
import { showDerivation } from "./reading/inspector.js";
import { connect, showFigures } from "./figure/figures.js";
import { shownPage } from "./figure/views.js";
import { addressed } from "./session/address.js";
import { announce } from "./shell/events.js";
import { showLive } from "./shell/live.js";

function present(page, value) {
  // A page that has nothing to show says only why.
  if (Object.values(value.figures).some(Boolean)) page.classList.add("has-numbers");
  page.head = value.head;
  page.start = value.start;
  page.editable = value.editable.filter(
    (name) => !isClosed("edits") && !(name === "mask" && isClosed("mask"))
  );
  page.edited = value.edited;
  showLive(page, value.live);
  showFigures(page, value);
  followSelection(page);
  announce("presented", { page });
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

class DerivationBinding extends FiguresBinding {
  find(scope) {
    return $(scope).find(".inspector");
  }
  renderValue(place, words) {
    const page = place.closest(".figures-page");
    showDerivation(page, words);
    if (!words) leaveUnknown(page);
  }
}
Shiny.outputBindings.register(new DerivationBinding(), "attnviz.derivation");

function presentFirst(page) {
  const first = page?.querySelector("script[data-first]");
  if (!first) return;
  const { view, derivation } = JSON.parse(first.textContent);
  first.remove();
  // It explains the cell with which the page starts, be another asked for or not.
  showDerivation(page, addressed(page, "cell") ? null : derivation);
  present(page, view);
}
presentFirst(shownPage());

// A page that is opened later brings its own.
$(document).on("shiny:bound", ({ target }) => {
  if (!target.matches?.(".figures-page")) return;
  announce("opened", { page: target });
  presentFirst(target);
});
