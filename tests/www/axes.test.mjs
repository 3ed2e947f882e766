import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";
import { numberText, placer, ticksOf } from "../../www/figure/axes.js";
import { rowsOf, toldOf } from "../../www/figure/rows.js";

const axis = (least, most, more = {}) => ({
  least,
  most,
  ticks: [],
  names: [],
  title: "",
  ...more,
});
const texts = (scale, count) => ticksOf(scale, count).map(({ text }) => text);

test("a linear axis is parted by round numbers with as many decimals as they need", () => {
  assert.deepEqual(texts(axis(0, 1), 4), ["0.0", "0.5", "1.0"]);
  assert.deepEqual(texts(axis(-0.023, 0.021), 2), ["−0.02", "0.00", "0.02"]);
  assert.deepEqual(texts(axis(3, 47), 5), ["10", "20", "30", "40"]);
});

test("a logarithmic axis is parted by powers of ten, a short one by round numbers", () => {
  const scale = axis(100, 1e7, { is_log: true });
  assert.deepEqual(texts(scale, 6), ["100", "1000", "10000", "10⁵", "10⁶", "10⁷"]);
  assert.deepEqual(texts(scale, 3), ["100", "10000", "10⁶"]);
  assert.deepEqual(texts(axis(2, 9, { is_log: true }), 4), ["2", "4", "6", "8"]);
});

test("ticks that are told are written as they are named, within the axis", () => {
  const scale = axis(0, 5, { ticks: [1, 2, 7], names: ["cat", "sat", "far"] });
  assert.deepEqual(texts(scale, 1), ["cat", "sat"]);
});

test("equal ratios are equal steps of a logarithmic axis", () => {
  const place = placer(axis(1, 16, { is_log: true }), 100, 300);
  assert.deepEqual([1, 4, 16].map(place), [100, 200, 300]);
  assert.equal(placer(axis(-1, 1), 80, 0)(0.5), 20);
});

test("a number is written with four digits that count", () => {
  const written = [0, -0.123456, 1234.56, 1e5, 2.5e-4, NaN].map(numberText);
  assert.deepEqual(written, ["0", "−0.1235", "1235", "10⁵", "2.5·10⁻⁴", "–"]);
});

test("the table of a plot has a row for each place and a column for each series", () => {
  const measured = { name: "measured", x: [1, 2], y: [0.5, 0.25], spread: [0.01, 0.02] };
  const theory = { name: "theory", x: [2, 4], y: [0.3, 0.1] };
  const rows = rowsOf({ x: axis(1, 4, { title: "d" }) }, [measured, theory]);
  assert.deepEqual(
    rows.map(({ head, cells }) => [head, ...cells]),
    [
      ["1", "0.5 ± 0.01", ""],
      ["2", "0.25 ± 0.02", "0.3"],
      ["4", "", "0.1"],
    ]
  );
  assert.equal(rows[2].tip, "d 4\ntheory: 0.1");
});

test("of many places some are told, with the first and the last", () => {
  const x = Array.from({ length: 1001 }, (_, k) => k);
  const rows = rowsOf({ x: axis(0, 1000) }, [{ name: "loss", x, y: x }]);
  assert.ok(rows.length <= 201);
  assert.deepEqual([rows[0].x, rows.at(-1).x], [0, 1000]);
});

test("what only guides the eye is told nowhere", () => {
  const told = toldOf([{ name: "rim", is_guide: true }, { name: "q at 2" }]);
  assert.deepEqual(
    told.map(({ name }) => name),
    ["q at 2"]
  );
});
