// What modules tell those above them, which they do not know. Who has numbers to show
// or marks to draw listens; all of it happens at once, before the teller goes on.
//
//   opened    { page }               a page has been put on the document
//   recast    { page }               figures have come or gone
//   drawing   { page, views }        figures are about to be drawn
//   drawn     { page }               they have been, as far as they are in view
//   painted   { names, seq, exact }  what is in view shows the newest numbers
//   presented { page }               a page shows new numbers, words and all
//   selected  { page, cell }         a cell was chosen, or none
//   projected {}                     the projector was switched
//   restore   { page }               back or forward: read the address again

export function announce(name, detail = {}) {
  document.dispatchEvent(new CustomEvent(`attnviz:${name}`, { detail }));
}

export function on(name, listener) {
  document.addEventListener(`attnviz:${name}`, ({ detail }) => listener(detail));
}
