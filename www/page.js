// What belongs to the whole page: words, live sentences, theme, language, tables.
(() => {
  "use strict";
  const attnviz = (window.attnviz = window.attnviz || {});
  const root = document.documentElement;
  let words = null;

  attnviz.word = (key, values = {}) => {
    words = words || JSON.parse(document.getElementById("attnviz-words").textContent);
    return (words[key] || "").replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  };

  // What is told before the server listens is told when it does.
  attnviz.tell = (name, value) => {
    if (Shiny.shinyapp?.config) Shiny.setInputValue(name, value, { priority: "event" });
    else $(document).one("shiny:sessioninitialized", () => attnviz.tell(name, value));
  };

  const livePlaces = new WeakMap(); // page -> key -> elements

  function findLive(page) {
    const places = new Map();
    for (const element of page.querySelectorAll("[data-live]")) {
      const { live } = element.dataset;
      places.set(live, [...(places.get(live) || []), element]);
    }
    return places;
  }

  // Sentences and verdicts that follow the numbers: { key: { text, state } }.
  attnviz.showLive = (page, live) => {
    if (!livePlaces.has(page)) livePlaces.set(page, findLive(page));
    const places = livePlaces.get(page);
    for (const [key, { text, state }] of Object.entries(live)) {
      for (const element of places.get(key) || []) {
        const place = element.querySelector("[data-live-text]") || element;
        if (text !== null && place.textContent !== text) place.textContent = text;
        if (state === null || element.dataset.state === state) continue;
        element.dataset.state = state;
        for (const variant of element.querySelectorAll(":scope > [data-variant]")) {
          variant.hidden = variant.dataset.variant !== state;
        }
        const verdict = element.querySelector("[data-live-verdict]");
        if (verdict) verdict.textContent = attnviz.word(`verdict.${state}`);
      }
    }
  };

  // A sentence that says what is wrong does not stay behind the inspector.
  $(document).on("shiny:value", ({ target, value }) => {
    const problem = value && target.closest(".problem");
    if (problem) setTimeout(() => problem.scrollIntoView({ block: "nearest" }), 0);
  });

  // ---- light and dark -------------------------------------------------------------

  const stored = () => {
    try {
      return localStorage.getItem("attnviz-theme");
    } catch {
      return null; // storage may be forbidden: the choice then lasts as long as the page
    }
  };
  const prefers = window.matchMedia("(prefers-color-scheme: dark)");
  const setTheme = (theme) => root.setAttribute("data-bs-theme", theme);
  setTheme(stored() || (prefers.matches ? "dark" : "light"));
  prefers.addEventListener("change", () => {
    if (!stored()) setTheme(prefers.matches ? "dark" : "light");
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-action='theme']")) {
      const theme = root.getAttribute("data-bs-theme") === "dark" ? "light" : "dark";
      setTheme(theme);
      try {
        localStorage.setItem("attnviz-theme", theme);
      } catch {
        // see stored()
      }
    }
    if (event.target.closest("[data-action='projector']")) {
      attnviz.project(!isProjected());
    }
    const language = event.target.closest("[data-language]");
    if (language) {
      event.preventDefault();
      const query = new URLSearchParams(location.search);
      query.set("lang", language.dataset.language);
      location.search = query.toString();
    }
    const copy = event.target.closest("[data-copy]");
    if (copy) copyTable(copy);
    // An opened explanation closes when another place is clicked.
    for (const open of document.querySelectorAll("details:is(.check, .export)[open]")) {
      if (!open.contains(event.target)) open.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const open of document.querySelectorAll("details:is(.check, .export)[open]")) open.open = false;
  });

  // ---- projector --------------------------------------------------------------------

  let wasFolded = false; // the sidebar, before it made room

  // Larger text and digits, and the sidebar folded away: the last row reads along.
  attnviz.project = (on) => {
    root.classList.toggle("projector", on);
    const button = document.querySelector("[data-action='projector']");
    button?.setAttribute("aria-pressed", String(on));
    const layout = document.querySelector(".bslib-sidebar-layout");
    const sidebar = bslib.Sidebar.getInstance(layout);
    if (sidebar && on) wasFolded = sidebar.isClosed;
    // At once: a motion that nobody sees, as while the page loads, would never end.
    sidebar?.toggle(on || wasFolded ? "close" : "open", true);
    attnviz.touchAddress();
  };

  const isProjected = () => root.classList.contains("projector");
  attnviz.addressParts.projector = () => (isProjected() ? "1" : null);
  function projectAsAddressed() {
    const wanted = new URLSearchParams(location.search).get("projector") === "1";
    if (wanted !== isProjected()) attnviz.project(wanted);
  }
  window.addEventListener("load", projectAsAddressed); // the sidebar's own script has run
  document.addEventListener("attnviz:restore", projectAsAddressed);

  // On a phone the sidebar is folded: its button says what it opens.
  document.addEventListener("DOMContentLoaded", () => {
    const fold = document.querySelector(".collapse-toggle");
    if (fold) fold.dataset.label = attnviz.word("controls.open");
  });

  // Tools are no tabs: they stand beside the list of pages, not in it.
  document.addEventListener("DOMContentLoaded", () => {
    const pages = document.querySelector(".navbar ul");
    const tools = document.createElement("ul");
    tools.className = "navbar-nav ms-auto";
    tools.append(...pages.querySelectorAll(":scope > li:not(.nav-item)"));
    pages.after(tools);
  });

  // ---- tables ---------------------------------------------------------------------

  // Pages that did not come over a safe connection have no clipboard of their own.
  function copyBySelection(button, text) {
    const field = document.createElement("textarea");
    field.value = text;
    button.after(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus();
  }

  attnviz.copyText = async (button, text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copyBySelection(button, text);
    }
    button.dataset.name ??= button.textContent;
    button.textContent = attnviz.word("tables.copied");
    setTimeout(() => {
      button.textContent = button.dataset.name;
    }, 1500);
  };

  function copyTable(button) {
    const table = document.getElementById(button.dataset.copy);
    const lines = [...table.rows].map((row) =>
      [...row.cells].map((cell) => cell.textContent.replace("−", "-")).join("\t")
    );
    attnviz.copyText(button, lines.join("\n"));
  }

  // Tables are made for values that rest, and only while somebody looks at them.
  document.addEventListener("attnviz:painted", (event) => {
    if (!event.detail.exact) return;
    for (const tables of document.querySelectorAll("details.tables[open]")) {
      if (!tables.offsetParent) continue;
      attnviz.tell(tables.dataset.settled, event.detail.seq);
    }
  });
  document.addEventListener(
    "toggle",
    (event) => {
      const tables = event.target;
      if (!tables.classList?.contains("tables")) return;
      attnviz.tell(tables.dataset.settled, tables.open ? performance.now() : 0);
    },
    true
  );
})();
