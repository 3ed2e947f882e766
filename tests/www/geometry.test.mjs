import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";
import { areLabelsTurned } from "../../www/figure/extent.js";
import { place as placeRows } from "../../www/figure/geometry.js";

const SPACING = 28;
const DESK = { width: 1060, height: 700, windowHeight: 768, spacing: SPACING };
const PHONE = { width: 336, height: 500, windowHeight: 740, spacing: SPACING };

const labels = (count, text = "k") => Array.from({ length: count }, (_, at) => text + at);

function matrix(track, band, rows, columns, { rowLabels = [], columnLabels = [] } = {}) {
  return { track, band, rows, columns, columnLabels, ownRowLabels: rowLabels };
}

function figure(panels, scale = 1) {
  const caption = { offsetWidth: 90, offsetHeight: 40 };
  return { frame: { scale }, panels, caption };
}

const place = (rows, extras, room) =>
  placeRows(
    rows.map((views) => ({ views })),
    extras,
    room
  );

// The heart of a page, what stands beside or below it, and rows further down.
function placeHeart([heart, ...others], room) {
  return placeRows([{ views: [heart, ...others], isHeart: true }], [], room);
}

// left · top = result, as every product of the app is drawn.
function product(rows, inner, columns, text = "k") {
  const [row, column] = [{ rowLabels: labels(rows) }, { columnLabels: labels(columns, text) }];
  return figure([
    matrix(1, 0, inner, columns, column),
    matrix(0, 1, rows, inner, row),
    matrix(1, 1, rows, columns),
  ]);
}

// Matrices side by side, as before and after the softmax.
function line(rows, columns, count) {
  const named = { rowLabels: labels(rows) };
  const one = (_, at) => matrix(at, 0, rows, columns, at ? {} : named);
  return figure(Array.from({ length: count }, one));
}

const cellOf = (view) => view.geometry.cell;
const right = ({ rect }) => rect.x + rect.width;
const foot = ({ rect }) => rect.y + rect.height;

test("a result stands under its top operand, beside its left one, and apart from both", () => {
  const view = product(7, 3, 5);
  place([[view]], [], DESK);
  const [top, left, result] = view.panels;
  assert.equal(result.rect.x, top.rect.x);
  assert.equal(result.rect.width, top.rect.width);
  assert.equal(result.rect.y, left.rect.y);
  assert.equal(result.rect.height, left.rect.height);
  assert.ok(foot(top) < result.rect.y);
  assert.ok(right(left) < result.rect.x);
});

test("cells are square, and equally large in every figure of a page", () => {
  const views = [product(7, 3, 5), product(5, 2, 11), line(5, 5, 3)];
  place([views.slice(0, 2), views.slice(2)], [], DESK);
  const sides = views.flatMap(({ panels }) =>
    panels.flatMap(({ rect, rows, columns }) => [rect.width / columns, rect.height / rows])
  );
  assert.deepEqual([...new Set(sides)], [cellOf(views[0])]);
});

for (const room of [DESK, PHONE, { ...DESK, width: 1600, isProjected: true }]) {
  test(`no matrix leaves its figure, and no figure a page of ${room.width} px`, () => {
    for (const size of [2, 3, 5, 7, 11]) {
      const views = [product(size, 3, size), line(size, size, 3)];
      place([views], [], room);
      for (const { panels, geometry } of views) {
        assert.ok(geometry.width <= room.width, `${size}: ${geometry.width}`);
        for (const panel of panels) {
          assert.ok(panel.rect.x >= 0 && right(panel) <= geometry.width);
          assert.ok(panel.rect.y >= 0 && foot(panel) <= geometry.height);
        }
      }
    }
  });
}

test("matrices above the last band share a floor, those of the last begin at one row", () => {
  const view = figure([
    matrix(0, 0, 2, 3),
    matrix(1, 0, 7, 3),
    matrix(0, 1, 5, 3),
    matrix(1, 1, 3, 3),
  ]);
  place([[view]], [], DESK);
  const [low, high, first, second] = view.panels;
  assert.equal(foot(low), foot(high));
  assert.equal(first.rect.y, second.rect.y);
});

test("a caption longer than the matrices below it pushes none of them aside", () => {
  const flat = () => figure([matrix(0, 1, 3, 3, { rowLabels: labels(3) }), matrix(1, 1, 3, 1)]);
  const [short, long] = [flat(), flat()];
  long.caption.offsetWidth = 500;
  placeHeart([short], DESK);
  placeHeart([long], DESK);
  assert.deepEqual(
    long.panels.map(({ rect }) => rect),
    short.panels.map(({ rect }) => rect)
  );
  assert.ok(long.geometry.width >= 500);
});

test("a statistic stands closer to its matrix than another matrix does", () => {
  const statistic = { ...matrix(1, 0, 5, 1), isNarrow: true };
  const view = figure([matrix(0, 0, 5, 5), statistic, matrix(2, 0, 5, 5)]);
  place([[view]], [], DESK);
  const [one, near, far] = view.panels;
  assert.ok(near.rect.x - right(one) < far.rect.x - right(near));
});

test("rows of small figures fit the window together", () => {
  const rows = [[product(3, 2, 3), product(3, 2, 3)], [line(3, 3, 2)]];
  const room = { ...DESK, height: 460 };
  place(rows, [], room);
  const high = rows.map((row) => Math.max(...row.map(({ geometry }) => geometry.height)) + SPACING);
  assert.ok(high[0] + high[1] <= room.height);
  assert.ok(cellOf(rows[0][0]) >= 24);
});

// Q, Kᵀ over S, M over A, V over C.
function chain(length, features = 3) {
  const names = { rowLabels: labels(length) };
  return figure([
    matrix(0, 1, length, features, names),
    matrix(1, 0, features, length, { columnLabels: labels(length) }),
    matrix(1, 1, length, length),
    matrix(2, 0, length, length, { columnLabels: labels(length) }),
    matrix(2, 1, length, length),
    matrix(3, 0, length, features),
    matrix(3, 1, length, features),
  ]);
}

for (const length of [2, 3, 5, 7, 11, 23]) {
  test(`a heart of ${length} positions is whole on its first screen`, () => {
    const view = chain(length);
    placeHeart([view, product(length, 13, 7)], DESK);
    assert.ok(view.geometry.width <= DESK.width);
    assert.ok(view.geometry.height <= DESK.height);
    assert.ok(cellOf(view) >= 9);
  });
}

test("what leads to the heart stands where cells become larger: beside it, or below", () => {
  const parts = () => [chain(5), product(5, 7, 7)];
  const [wide, high] = [parts(), parts()];
  assert.equal(placeHeart(wide, { ...DESK, width: 2600 }), true);
  assert.equal(placeHeart(high, { ...DESK, height: 1900 }), false);
  for (const views of [wide, high]) assert.ok(cellOf(views[0]) >= 30);
});

test("cells of the heart below 30 px are shared with nothing", () => {
  const [alone, together] = [chain(11), chain(11)];
  placeHeart([alone], DESK);
  assert.ok(!placeHeart([together, product(11, 7, 7)], DESK));
  assert.ok(cellOf(alone) < 30);
  assert.equal(cellOf(together), cellOf(alone));
});

test("a phone scrolls the heart sideways before its cells go below 20 px", () => {
  const view = chain(11);
  placeHeart([view], PHONE);
  assert.ok(cellOf(view) >= 20);
  assert.ok(view.geometry.width > PHONE.width);
});

test("presented, a figure has the screen to itself and digits of 3 % of its height", () => {
  const [shown, presented] = [chain(5), chain(5)];
  placeHeart([shown], DESK);
  const room = { ...DESK, width: 1366, height: 768, isPresenting: true };
  placeHeart([presented], room);
  assert.ok(cellOf(presented) > cellOf(shown));
  assert.ok(presented.geometry.width <= room.width);
  assert.ok(presented.geometry.height <= room.height);
  assert.equal(presented.geometry.least, 0.03 * room.windowHeight);
});

test("a projected page without a heart is read from the last row, whatever its height", () => {
  const view = product(11, 3, 11);
  place([[view]], [], { ...DESK, isProjected: true });
  assert.equal(cellOf(view), 58);
});

test("digits come before height, and width before digits", () => {
  const [tall, wide] = [product(23, 5, 23), product(5, 17, 17)];
  place([[tall]], [], { ...DESK, height: 360 });
  place([[wide]], [], { ...DESK, width: 600 });
  assert.ok(cellOf(tall) >= 20 && tall.geometry.height > 360);
  assert.ok(cellOf(wide) < 20 && wide.geometry.width <= 600);
});

test("on a phone each figure has its own size, and a line breaks before its digits go", () => {
  const [small, large] = [product(2, 2, 2), line(9, 9, 3)];
  place([[small, large]], [], PHONE);
  assert.ok(cellOf(small) > cellOf(large));
  assert.ok(cellOf(large) >= 20);
  const tops = large.panels.map(({ rect }) => rect.y);
  assert.ok(tops[0] < tops[1] && tops[1] < tops[2]);
  assert.deepEqual(large.panels[2].rowLabels, labels(9));
});

test("what is added takes the size of the others, and leaves theirs as it is", () => {
  const alone = product(5, 3, 5);
  const [stage, extra] = [product(5, 3, 5), line(5, 5, 2)];
  place([[alone]], [], DESK);
  place([[stage]], [extra], DESK);
  assert.equal(cellOf(stage), cellOf(alone));
  assert.equal(cellOf(extra), cellOf(stage));
});

test("small multiples have cells of their share", () => {
  const [whole, half] = [product(5, 4, 5), { ...line(5, 5, 2) }];
  half.frame.scale = 0.5;
  place([[whole, half]], [], DESK);
  assert.equal(cellOf(half), Math.round(cellOf(whole) / 2));
});

test("labels that are wider than a cell stand upright, in room that was kept free", () => {
  const [short, long] = [product(5, 3, 5, "k"), product(5, 3, 5, "a long token ")];
  place([[short]], [], DESK);
  place([[long]], [], DESK);
  const [top] = long.panels;
  assert.ok(!areLabelsTurned(short.panels[0], cellOf(short)));
  assert.ok(areLabelsTurned(top, cellOf(long)));
  assert.ok(top.rect.y >= top.labelWidth);
});
