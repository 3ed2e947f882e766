// Tables are made for values that rest, and only while somebody looks at them.
import { copyText } from "../shell/clipboard.js";
import { on } from "../shell/events.js";
import { tell } from "../shell/server.js";

on("painted", ({ exact, seq }) => {
  if (!exact) return;
  for (const tables of document.querySelectorAll("details.tables[open]")) {
    if (tables.offsetParent) tell(tables.dataset.settled, seq);
  }
});
document.addEventListener(
  "toggle",
  ({ target: tables }) => {
    if (!tables.classList?.contains("tables")) return;
    tell(tables.dataset.settled, tables.open ? performance.now() : 0);
  },
  true
);

// A minus before digits is one to a spreadsheet too; "−∞" is text, or it were a formula.
const forSpreadsheet = (text) => text.replace(/^−(?=\d)/, "-");

function copyTable(button) {
  const table = document.getElementById(button.dataset.copy);
  const lines = [...table.rows].map((row) =>
    [...row.cells].map((cell) => forSpreadsheet(cell.textContent)).join("\t")
  );
  copyText(button, lines.join("\n"));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copyTable(button);
});
