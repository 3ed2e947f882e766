// Let a number swing, so that everything downstream breathes.
import { gated, tell } from "../shell/server.js";
import { remember, send, valueOf } from "./edits.js";

const SWING = { size: 0.8, period: 1600, cycles: 2, every: 50 };
let swing = null; // { timer, restore }

// The server remembers how it was: the browser only knows the number it shows. Start
// and end wait in a line of their own, where no edit takes their place.
function sendSwing(page, state) {
  gated(state, () => tell(page.dataset.swing, state));
}

function startSwing(page, cell) {
  const start = valueOf(page, cell);
  const began = performance.now();
  remember(page);
  sendSwing(page, "on");
  const timer = setInterval(() => {
    const phase = (performance.now() - began) / SWING.period;
    if (phase >= SWING.cycles) stopSwing();
    else send(page, cell, start + SWING.size * Math.sin(2 * Math.PI * phase));
  }, SWING.every);
  swing = { timer, restore: () => sendSwing(page, "off") };
}

export function stopSwing() {
  if (!swing) return;
  clearInterval(swing.timer);
  swing.restore();
  swing = null;
}

export function toggleSwing(page, cell) {
  if (swing) stopSwing();
  else startSwing(page, cell);
}
