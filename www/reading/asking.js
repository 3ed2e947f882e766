// A number that stands in words or in a table is asked like a cell of a figure.
import { on } from "../shell/events.js";
import { select } from "./selection.js";

document.addEventListener("click", ({ target }) => {
  const asking = target.closest?.(".figures-page [data-cell]");
  if (!asking || asking.closest(".inspector")) return;
  select(asking.closest(".figures-page"), JSON.parse(asking.dataset.cell));
});

const isOf = (cell) => (one) => {
  const { name, i, j } = JSON.parse(one.dataset.cell);
  return cell && name === cell.name && i === cell.i && j === cell.j;
};

on("selected", ({ page, cell }) => {
  const all = [...page.querySelectorAll("[data-cell]")].filter((one) => !one.closest(".inspector"));
  for (const one of all) one.classList.toggle("is-asked", Boolean(isOf(cell)(one)));
});
