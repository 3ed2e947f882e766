// Words for what the browser says by itself, in the language of the page.
// Some come with the document, others with the page that needs them.
const sources = document.getElementsByClassName("words");
const words = {};
let taken = 0; // sources that have been read

export function word(key, values = {}) {
  if (taken !== sources.length) {
    for (const { textContent } of sources) Object.assign(words, JSON.parse(textContent));
    taken = sources.length;
  }
  return (words[key] || "").replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}
