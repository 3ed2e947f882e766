// Edits: which numbers can be changed, what they are, and how a change is sent.
import { redrawPage } from "../figure/figures.js";
import { panelNamed, placeIn, viewsIn } from "../figure/views.js";
import { gated, tell } from "../shell/server.js";

export const isEditable = (page, name) => (page.editable || []).includes(name);

// In long examples the mask lies over the scores: a score then stands for its cell.
const isOver = (page, name) => name === "scores" && !panelNamed(page, "mask");

export const editedCell = (page, cell) =>
  cell && isOver(page, cell.name) ? { ...cell, name: "mask" } : cell;

const panelOf = (page, { name }) =>
  panelNamed(page, name) ?? (name === "mask" ? panelNamed(page, "scores") : null);

export function valueOf(page, cell) {
  const panel = panelOf(page, cell);
  if (!panel) return null;
  const { at } = placeIn(panel, cell);
  if (cell.name === "mask") return panel.hidden && panel.hidden[at] ? 0 : 1;
  return panel.values[at];
}

// Earlier results stay visible as small differences until another cell is chosen.
export function remember(page) {
  for (const view of viewsIn(page)) {
    if (view.panels.length && !view.ghost) {
      view.ghost = new Map(view.panels.map((panel) => [panel.name, panel.values.slice()]));
    }
  }
}

export function forget(page) {
  let had = false;
  for (const view of viewsIn(page)) {
    if (view.ghost) had = true;
    view.ghost = null;
  }
  if (had) redrawPage(page);
}

// What a number was when the remembered results were on screen, in a picture as it is now.
export function rememberedValue(page, cell) {
  const panel = panelNamed(page, cell.name);
  const { at } = placeIn(panel, cell);
  for (const view of viewsIn(page)) {
    const before = view.ghost?.get(cell.name);
    if (before?.length === panel.values.length) return before[at];
  }
  return null;
}

export function send(page, cell, value) {
  const rounded = Math.round(value * 1e6) / 1e6;
  gated(page, () => tell(page.dataset.edit, { ...cell, value: rounded }));
}

export function change(page, cell, value) {
  if (!Number.isFinite(value)) return;
  remember(page);
  send(page, cell, Math.max(-1e6, Math.min(1e6, value)));
}

export const toggle = (page, cell) => change(page, cell, 1 - valueOf(page, cell));

export function nudge(page, cell, amount) {
  if (cell.name === "mask") toggle(page, cell);
  else change(page, cell, valueOf(page, cell) + amount);
}
