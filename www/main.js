// All else that a page does, and what a console can ask of it.
import { painters, redrawAll } from "./figure/figures.js";
import { panelNamed, shownPage, viewOf } from "./figure/views.js";
// Own matrices come back before what was frozen with them.
import "./sidebar/controls.js";
import "./sidebar/own_data.js";
import "./sidebar/scaling.js";
import "./reading/asking.js";
import "./reading/above.js";
import "./reading/compare.js";
import "./reading/editor.js";
import "./reading/order.js";
import "./reading/pointer.js";
import "./reading/stepper.js";
import "./reading/tables.js";
import { isAtRest } from "./session/address.js";
import "./session/export.js";
import "./session/moved.js";
import { encodeQr } from "./session/qr.js";
import "./session/share.js";
import "./shell/connection.js";
import "./shell/printing.js";
import "./shell/focus.js";
import { gated, isQuiet } from "./shell/server.js";
import "./shell/theme.js";

// What draws can be replaced, to watch drawing or to hold it.
window.attnviz = Object.assign(painters, {
  encodeQr,
  gated,
  isAtRest,
  isQuiet,
  panelNamed,
  redrawAll,
  shownPage,
  viewOf,
});
