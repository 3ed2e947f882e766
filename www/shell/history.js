// Back and forward are undo and redo. In a frame the history is that of the page around
// it, which a reader must be able to leave: there the trail is kept here.
const isFramed = window !== window.top;
const trail = [location.href];
let place = 0;

// The present state has another address.
export function rewrite(address) {
  trail[place] = address;
  history.replaceState(null, "", address);
}

// A new state follows the present one.
export function enter(address) {
  if (!isFramed) {
    history.pushState(null, "", address);
    return;
  }
  place += 1;
  trail.length = place;
  rewrite(address);
}

// Go back, or forward, if there is somewhere to go.
export function go(steps) {
  if (!isFramed) {
    history.go(steps);
  } else if (place + steps in trail) {
    place += steps;
    rewrite(trail[place]);
    window.dispatchEvent(new PopStateEvent("popstate"));
  }
}
