// Matrices of one's own. What is kept stays in this tab: a reload, the other language or a
// server that was away finds it again, and nothing of it is in the address but its
// fingerprint. A press takes what stands in the field now, sent or not.
import { askForAddress } from "../session/address.js";
import { keepInTab, keptInTab } from "../shell/keeping.js";
import { tell } from "../shell/server.js";

const KEEP = "attnviz-own-";

Shiny.addCustomMessageHandler("attnviz-own", ({ fingerprint, packed }) => {
  keepInTab(KEEP + fingerprint, packed);
});

const panel = () => document.querySelector(".own-data");

$(document).one("shiny:sessioninitialized", () => {
  const own = new URLSearchParams(location.search).get("own");
  const packed = own && keptInTab(KEEP + own);
  if (!packed) return;
  tell(panel().dataset.back, packed);
  askForAddress();
});

// Shiny lets a field rest before it sends it: a press does not wait for that.
document.addEventListener(
  "click",
  (event) => {
    if (event.target.closest?.("[id$='own_use']")) $(panel()).find("textarea").trigger("change");
  },
  { capture: true }
);

// Files take their time: what was found before is no longer on offer meanwhile.
document.addEventListener(
  "change",
  (event) => {
    if (!event.target.matches?.(".own-data input[type='file']")) return;
    panel().setAttribute("aria-busy", "true");
    tell(panel().dataset.coming, event.target.files.length);
  },
  { capture: true }
);
// Shiny says in its bar that files did not get through, and tells nobody.
const FAILED = "progress-bar-danger";
new MutationObserver((changes) => {
  const hasFailed = ({ target }) => target.classList.contains(FAILED);
  if (!changes.some(hasFailed)) return;
  panel().removeAttribute("aria-busy");
  tell(panel().dataset.failed, "");
}).observe(panel().querySelector(".progress-bar"), { attributeFilter: ["class"] });
$(document).on("shiny:value", (event) => {
  if (event.name.endsWith("own_problem")) panel().removeAttribute("aria-busy");
});
