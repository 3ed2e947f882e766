// The exact picture of a figure, by Plotly; it is loaded after the first picture stands.
import { colourTable, currentTheme } from "../shell/colours.js";

const CONFIG = { displayModeBar: false, staticPlot: true, responsive: false };
const MARGIN = { l: 0, r: 0, t: 0, b: 0, pad: 0 };
let loading = null;

export function loadPlotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = document.querySelector("meta[name=attnviz-plotly]").content;
    script.onload = resolve;
    script.onerror = () => {
      loading = null; // the next exact picture tries again
      script.remove();
      reject(new Error(`${script.src} did not load`));
    };
    document.head.append(script);
  });
  return loading;
}

// The server's specification with this theme's colours and this window's sizes.
function plotlySpec(view) {
  const { width, height } = view.geometry;
  const layout = { ...view.spec.layout, width, height, margin: MARGIN };
  const data = [];
  for (const panel of view.panels) {
    const { trace, mask, rect } = panel;
    const axis = (letter, low, high) => {
      const name = trace[`${letter}axis`].replace(letter, `${letter}axis`);
      layout[name] = { ...view.spec.layout[name], domain: [low, high] };
    };
    axis("x", rect.x / width, (rect.x + rect.width) / width);
    axis("y", 1 - (rect.y + rect.height) / height, 1 - rect.y / height);
    const { colorscale } = colourTable(panel.role, panel.kind);
    data.push({ ...trace, colorscale });
    if (mask) {
      const colour = currentTheme().hidden;
      data.push({
        ...mask,
        colorscale: [
          [0, "rgba(0,0,0,0)"],
          [1, colour],
        ],
      });
    }
  }
  return { data, layout };
}

// Draw a figure by Plotly, which has been loaded.
export function drawExactly(view) {
  const { data, layout } = plotlySpec(view);
  view.isPending = false;
  return window.Plotly.react(view.plot, data, layout, CONFIG);
}
