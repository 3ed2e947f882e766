// The first picture, and no more than it needs. Who keeps something in the address stands
// here in the order in which it stands there.
import "./shell/frame.js";
import "./session/teacher.js";
import "./reading/selection.js";
import "./reading/stages.js";
import "./reading/marks.js";
import { shownPage } from "./figure/views.js";
import { presentFirst } from "./reading/presentation.js";

presentFirst(shownPage());
