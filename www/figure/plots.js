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

// A figure as Plotly takes it, in this theme's colours: a heat map a matrix, and one more
// for its hidden cells. All stand on one pair of axes that count the pixels of the figure,
// for each further pair costs as much as the picture on it.
function plotlySpec({ panels, geometry: { width, height, cell } }) {
  const layout = { width, height, margin: MARGIN };
  layout.paper_bgcolor = layout.plot_bgcolor = TRANSPARENT;
  layout.xaxis = { ...BARE, range: [0, width] };
  layout.yaxis = { ...BARE, range: [height, 0] };
  const data = panels.flatMap((panel) => {
    const { name, columns, low, high, rect, packed, values } = panel;
    const { colorscale } = colourTable(panel.role, panel.kind);
    const place = { x0: rect.x + cell / 2, dx: cell, y0: rect.y + cell / 2, dy: cell };
    const common = { type: "heatmap", ...place, showscale: false };
    const z = packed.z ?? linesOf(values, columns);
    const traces = [{ ...common, name, z, zmin: low, zmax: high, colorscale }];
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
