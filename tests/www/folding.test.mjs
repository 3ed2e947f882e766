import assert from "node:assert/strict";
import { test } from "node:test";
import { GAP, pick, shownPlaces, unfold } from "../../www/figure/folding.js";

test("up to eight features are all shown, and of more the first four and the last three", () => {
  assert.equal(shownPlaces({}, "d_k", 8), null);
  assert.deepEqual(shownPlaces({}, "d_k", 11), [0, 1, 2, 3, GAP, 8, 9, 10]);
});

test("positions are never left out", () => {
  for (const axis of ["query", "key"]) assert.equal(shownPlaces({}, axis, 31), null);
});

test("asked for, an axis shows all its features; others and other pages stay folded", () => {
  const [page, other] = [{}, {}];
  unfold(page, "d_k");
  assert.equal(shownPlaces(page, "d_k", 11), null);
  assert.ok(shownPlaces(page, "d_v", 11));
  assert.ok(shownPlaces(other, "d_k", 11));
});

test("what is shown has the numbers of its places, and a gap has none", () => {
  const values = Float32Array.from({ length: 2 * 11 }, (_, at) => at + 1);
  const columns = shownPlaces({}, "d_k", 11);
  const picked = pick(values, 11, [1, 0], columns);
  assert.ok(picked instanceof Float32Array);
  assert.deepEqual([...picked], [12, 13, 14, 15, 0, 20, 21, 22, 1, 2, 3, 4, 0, 9, 10, 11]);
});
