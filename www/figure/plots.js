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

const TRANSPARENT = "rgba(0,0,0,0)";
const BARE = { visible: false, fixedrange: true };

const linesOf = (values, columns) =>
  Array.from({ length: values.length / columns }, (_, i) =>
    values.subarray(i * columns, (i + 1) * columns)
  );

// A figure as Plotly takes it, in this theme's colours and this window's sizes: a heat map
// a matrix, and one more for its hidden cells.
function plotlySpec({ panels, geometry: { width, height } }) {
  const layout = { width, height, margin: MARGIN };
  layout.paper_bgcolor = layout.plot_bgcolor = TRANSPARENT;
  const data = panels.flatMap((panel, k) => {
    const { name, rows, columns, low, high, rect, packed, values } = panel;
    const suffix = k ? String(k + 1) : "";
    const [x, y] = [`x${suffix}`, `y${suffix}`];
    layout[`xaxis${suffix}`] = {
      ...BARE,
      anchor: y,
      range: [-0.5, columns - 0.5],
      domain: [rect.x / width, (rect.x + rect.width) / width],
    };
    layout[`yaxis${suffix}`] = {
      ...BARE,
      anchor: x,
      range: [rows - 0.5, -0.5],
      domain: [1 - (rect.y + rect.height) / height, 1 - rect.y / height],
    };
    const { colorscale } = colourTable(panel.role, panel.kind);
    const common = { type: "heatmap", xaxis: x, yaxis: y, showscale: false };
    const traces = [
      {
        ...common,
        name,
        z: packed.z ?? linesOf(values, columns),
        zmin: low,
        zmax: high,
        colorscale,
      },
    ];
    if (packed.layer) {
      const stops = [
        [0, TRANSPARENT],
        [1, currentTheme().hidden],
      ];
      traces.push({ ...common, z: packed.layer, zmin: 0, zmax: 1, colorscale: stops });
    }
    return traces;
  });
  return { data, layout };
}

// Draw a figure by Plotly, which has been loaded.
export function drawExactly(view) {
  const { data, layout } = plotlySpec(view);
  view.isPending = false;
  return window.Plotly.react(view.plot, data, layout, CONFIG);
}
