// As much of a page as the layout of figures asks for: one theme, and a canvas on which
// every letter is half as wide as its font is high.

const pen = {
  font: "",
  measureText: (text) => ({ width: (parseFloat(pen.font) / 2) * [...text].length }),
};
globalThis.document = { createElement: () => ({ getContext: () => pen }) };
globalThis.getComputedStyle = () => ({ fontFamily: "sans", getPropertyValue: () => "" });
