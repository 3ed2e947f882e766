// Back and forward are undo and redo. In a frame the history is that of the page around
// it, which a reader must be able to leave: there the trail is kept here.
const isFramed = window !== window.top;
const trail = [location.href];
let place = 0;

// How many changes lie before the present one: none can be taken back that is not ours.
const depth = () => history.state?.at ?? 0;

// The present state has another address.
export function rewrite(address) {
  trail[place] = address;
  history.replaceState({ at: depth() }, "", address);
}

// A new state follows the present one.
export function enter(address) {
  if (!isFramed) {
    history.pushState({ at: depth() + 1 }, "", address);
    return;
  }
  place += 1;
  trail.length = place;
  rewrite(address);
}

function follow(steps) {
  if (!(place + steps in trail)) return;
  place += steps;
  rewrite(trail[place]);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

export function undo() {
  if (isFramed) follow(-1);
  else if (depth()) history.back();
}

export function redo() {
  if (isFramed) follow(1);
  else history.forward();
}
