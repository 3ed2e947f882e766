// The numbers of a plot: as they came, and by place, as a table has them.
import { numberText } from "./axes.js";
import { decode } from "./compact.js";

const MOST = 200; // places of which the numbers are told

// The series of a plot, with their numbers.
export const readSeries = ({ series }, numbers) =>
  series.map((told) => {
    const { x, y, spread } = numbers[told.key];
    return {
      kind: "line",
      label: "",
      texts: [],
      ...told,
      x: decode(x),
      y: decode(y),
      spread: spread && decode(spread),
    };
  });

// What is told of a plot: all but what only guides the eye.
export const toldOf = (series) => series.filter((one) => !one.is_guide);

// The numbers of all series by place, as a table's rows and as the pointer is told them.
export function rowsOf({ x: axis }, series) {
  const all = [...new Set(series.flatMap(({ x }) => Array.from(x)))].sort((a, b) => a - b);
  const every = Math.ceil(all.length / MOST);
  const places = all.filter((_, k) => k % every === 0 || k === all.length - 1);
  const named = new Map(axis.ticks.map((value, k) => [value, axis.names[k]]));
  return places.map((x) => {
    const cells = series.map((one) => {
      const k = one.x.indexOf(x);
      if (k < 0) return "";
      const spread = one.spread ? ` ± ${numberText(one.spread[k])}` : "";
      return numberText(one.y[k]) + spread;
    });
    const head = named.get(x) ?? numberText(x);
    const told = cells.flatMap((cell, k) => (cell ? [`${series[k].name}: ${cell}`] : []));
    return { x, head, cells, tip: [`${axis.title} ${head}`.trim(), ...told].join("\n") };
  });
}
