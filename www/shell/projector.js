// Larger text and digits, and the sidebar folded away: the last row reads along.
import { announce } from "./events.js";

let wasFolded = false; // the sidebar, before it made room

export const isProjected = () => document.documentElement.classList.contains("projector");

export function project(isOn) {
  document.documentElement.classList.toggle("projector", isOn);
  const button = document.querySelector("[data-action='projector']");
  button?.setAttribute("aria-pressed", String(isOn));
  const layout = document.querySelector(".bslib-sidebar-layout");
  const sidebar = bslib.Sidebar.getInstance(layout);
  if (sidebar && isOn) wasFolded = sidebar.isClosed;
  // At once: a motion that nobody sees, as while the page loads, would never end.
  sidebar?.toggle(isOn || wasFolded ? "close" : "open", true);
  announce("projected");
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-action='projector']")) project(!isProjected());
});
