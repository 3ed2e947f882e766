// What is told to the server. Who sends while something moves waits in one line: one
// change on its way at a time, the newest value wins, and no two sends closer than a
// thirtieth of a second.

const SHORTEST = 33; // ms between two sends
const PATIENCE = 3000; // ms after which an answer is no longer waited for
const waiting = new Map(); // who sends -> its newest send
let isBusy = false; // the line is taken: a change is on its way or about to leave
let isOut = false; // a change has left and the server has not said idle since
let sawIdle = false; // it has: the next values are the answer
let timer = 0; // the one thing that frees the line or lets a change leave
let lastSend = 0;

// What is told before the server listens is told when it does.
export function tell(name, value) {
  if (Shiny.shinyapp?.config) Shiny.setInputValue(name, value, { priority: "event" });
  else $(document).one("shiny:sessioninitialized", () => tell(name, value));
}

function arm(step, delay) {
  clearTimeout(timer);
  timer = setTimeout(step, delay);
}

// Free the line for what waits longest.
export function next() {
  clearTimeout(timer);
  isBusy = isOut = sawIdle = false;
  const entry = waiting.entries().next().value;
  if (!entry) return;
  waiting.delete(entry[0]);
  dispatch(entry[1]);
}

function dispatch(send) {
  isBusy = true;
  const go = () => {
    isOut = true;
    lastSend = performance.now();
    arm(next, PATIENCE);
    send();
  };
  const early = lastSend + SHORTEST - performance.now();
  if (early > 0) arm(go, early);
  else go();
}

export function gated(key, send) {
  if (!isBusy) {
    dispatch(send);
    return;
  }
  waiting.delete(key); // what is newer stands behind what others have said before it
  waiting.set(key, send);
}

// Whether nothing is on its way, and nothing waits.
export const isQuiet = () => !isBusy;

// The server says it is idle before the new values arrive. Other messages come with
// empty values, also between an answer and the next change: none frees the line twice.
$(document)
  .on("shiny:idle", () => {
    sawIdle = isOut;
  })
  .on("shiny:message", (event) => {
    if (!sawIdle || !event.message.values) return;
    isOut = sawIdle = false;
    arm(next, 0);
  })
  .on("shiny:disconnected", () => {
    waiting.clear();
    next();
  });
