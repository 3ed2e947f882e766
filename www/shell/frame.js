// The frame of the pages: tools, language, and explanations that open.
import { word } from "./words.js";

const OPENED = "details:is(.checks, .menu)[open]";

// On a phone the sidebar is folded: its button says what it opens.
const fold = document.querySelector(".collapse-toggle");
if (fold) fold.dataset.label = word("controls.open");

// The first stop of the keys leads past the navigation.
const skips = document.querySelector(".skip-links");
document.body.prepend(skips);
skips.addEventListener("click", ({ target }) => {
  if (target.dataset.skip === "picture") {
    document.querySelector(".tab-pane.active .matrix")?.focus();
    return;
  }
  const own = document.querySelector(".tab-pane.active > .own-controls");
  if (!own) {
    // At once: what still moves takes no focus.
    const layout = document.querySelector(".bslib-sidebar-layout");
    bslib.Sidebar.getInstance(layout)?.toggle("open", true);
  }
  const controls = own ?? document.querySelector(".controls");
  controls.querySelector("select, input")?.focus();
});

// What surrounds the page in view follows it by these classes. Rules that ask for it by
// `:has` would have the browser resolve all styles anew with every element that comes.
export function followShown() {
  const shows = (selector) => Boolean(document.querySelector(`.tab-pane.active ${selector}`));
  const { classList } = document.documentElement;
  classList.toggle("shows-alone", shows("> .own-controls"));
  classList.toggle("shows-stage", shows(".is-stepping"));
}
followShown();
document.addEventListener("shown.bs.tab", followShown);

// Tools are no tabs: they stand beside the list of pages, not in it.
const pages = document.querySelector(".navbar ul");
const tools = document.createElement("ul");
tools.className = "navbar-nav ms-auto";
tools.append(...pages.querySelectorAll(":scope > li:not(.nav-item)"));
pages.after(tools);
// A list of tabs holds nothing else: a menu of pages is one that opens.
for (const menu of pages.querySelectorAll(".dropdown-toggle")) {
  menu.setAttribute("role", "tab");
  menu.setAttribute("aria-haspopup", "true");
}

document.addEventListener("click", (event) => {
  const language = event.target.closest("[data-language]");
  if (language) {
    event.preventDefault();
    const query = new URLSearchParams(location.search);
    query.set("lang", language.dataset.language);
    location.search = query.toString();
  }
  // An opened explanation closes when another place is clicked.
  for (const open of document.querySelectorAll(OPENED)) {
    if (!open.contains(event.target)) open.open = false;
  }
});
// By Escape it closes too, and its heading has the focus.
document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && document.querySelector(OPENED);
  if (!open) return;
  event.preventDefault();
  if (open.contains(document.activeElement)) open.querySelector("summary").focus();
  open.open = false;
});
