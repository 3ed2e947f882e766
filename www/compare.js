// What is frozen as A outlives a reload and a change of language, like all that the
// address holds; another link starts without it.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const KEEP = "attnviz-frozen";
  let frozen = null; // the address of A

  function addressOf() {
    const query = new URLSearchParams(location.search);
    query.delete("lang");
    return query.toString();
  }

  // Storage may be forbidden: A then lasts as long as the page.
  function take() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEEP));
      sessionStorage.removeItem(KEEP);
      return kept;
    } catch {
      return null;
    }
  }
  const kept = take();

  Shiny.addCustomMessageHandler("attnviz-frozen", ({ search }) => {
    frozen = search;
  });

  window.addEventListener("pagehide", () => {
    if (frozen === null) return;
    try {
      sessionStorage.setItem(KEEP, JSON.stringify({ frozen, address: addressOf() }));
    } catch {
      // as above
    }
  });

  $(document).one("shiny:sessioninitialized", () => {
    const buttons = document.querySelector(".compare-buttons");
    if (buttons && kept?.address === addressOf()) {
      attnviz.tell(buttons.dataset.frozen, kept.frozen);
    }
  });
})();
