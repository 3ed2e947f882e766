import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";
import { digitsThatFit, fitText, format, plain, textWidth } from "../../www/figure/text.js";

const FONT = "10px sans";
const SMALLEST = 8.5; // px of a digit that can be read, 4.25 px wide on this page

// How the numbers of a matrix are written in cells of a size; null without room.
function written(cell, values, panel = {}) {
  const geometry = { cell, zoom: 1, least: SMALLEST };
  const digits = digitsThatFit(geometry, { kind: "weights", values, ...panel });
  return digits && values.map((_, at) => digits.text(at));
}

test("a negative number has a minus sign, unless nothing of it is left", () => {
  assert.equal(format(-1.5, 2), "−1.50");
  assert.equal(format(-0.004, 2), "0.00");
});

test("an exact zero is told from a small number", () => {
  assert.equal(plain(0, 2), "0");
  assert.equal(plain(0.001, 2), "0.00");
});

// "0.00" takes 17 px in the smallest digits and "0.0" 12.75, and 3 px stay free.
for (const [cell, text] of [
  [40, "0.12"],
  [20, "0.12"],
  [19, "0.1"],
  [16, "0.1"],
]) {
  test(`a weight is written as ${text} in a cell of ${cell} px`, () => {
    assert.deepEqual(written(cell, [0.123]), [text]);
  });
}

test("digits go where not even one decimal fits", () => {
  assert.equal(written(15, [0.123]), null);
});

test("digits go before a number below 10 loses its decimals", () => {
  assert.equal(written(15, [9.4]), null);
  assert.deepEqual(written(15, [12.3]), ["12"]);
});

test("digits are up to 0.38 of a cell high", () => {
  const { font } = digitsThatFit({ cell: 50, least: SMALLEST }, { kind: "weights", values: [0.5] });
  assert.equal(parseFloat(font), 19);
});

test("a sign takes room, whether there is one or not", () => {
  assert.deepEqual(written(21, [0.5]), ["0.50"]);
  assert.deepEqual(written(21, [0.5], { kind: "signed" }), ["0.5"]);
  assert.deepEqual(written(26, [0.5], { kind: "signed" }), ["0.50"]);
});

test("all numbers of a matrix are written in the form that fits the largest", () => {
  assert.deepEqual(written(21, [0.5, 10.5]), ["0.5", "10.5"]);
});

test("large numbers and whole numbers do without decimals", () => {
  assert.deepEqual(written(24, [123.4, 0.5]), ["123", "1"]);
  assert.deepEqual(written(40, [3, 12], { isInteger: true }), ["3", "12"]);
});

test("what the server has written stands where it fits", () => {
  assert.deepEqual(written(40, [0.5], { texts: ["1/2"] }), ["1/2"]);
  assert.deepEqual(written(19, [0.5], { texts: ["3/8 + 1/8"] }), ["0.5"]);
});

test("a text that is too wide ends in dots, within its room", () => {
  assert.equal(fitText(FONT, "attention", 45), "attention");
  const short = fitText(FONT, "attention", 44);
  assert.equal(short, "attenti…");
  assert.ok(textWidth(FONT, short) <= 44);
});
