// Words for what the browser says by itself, in the language of the page.
let words = null;

export function word(key, values = {}) {
  words = words || JSON.parse(document.getElementById("attnviz-words").textContent);
  return (words[key] || "").replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}
