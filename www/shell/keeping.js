// What a tab keeps over a reload. Where the browser forbids it, or has no room, sentences
// that promise it give way to those that do not (`kept` and `unkept` in page.css).
const isRefused = () => document.documentElement.classList.add("is-unkept");

export function keepInTab(key, text) {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    isRefused();
  }
}

// What was kept, or null.
export function keptInTab(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    isRefused();
    return null;
  }
}

export function forgetInTab(key) {
  try {
    sessionStorage.removeItem(key);
  } catch {
    isRefused();
  }
}

const PROBE = "attnviz-probe";
keepInTab(PROBE, "1");
forgetInTab(PROBE);
