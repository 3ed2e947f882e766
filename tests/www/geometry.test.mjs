import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";
import { areLabelsTurned, place } from "../../www/figure/geometry.js";

const SPACING = 28;
const DESK = { width: 1060, height: 700, windowHeight: 768, spacing: SPACING };
const PHONE = { width: 336, height: 500, windowHeight: 740, spacing: SPACING };

const labels = (count, text = "k") => Array.from({ length: count }, (_, at) => text + at);

function matrix(track, band, rows, columns, { rowLabels = [], columnLabels = [] } = {}) {
  return { track, band, rows, columns, columnLabels, ownRowLabels: rowLabels };
}

function figure(tracks, bands, panels, scale = 1) {
  const caption = { offsetWidth: 90, offsetHeight: 40 };
  return { frame: { tracks, bands, scale }, panels, caption };
}

// left · top = result, as every product of the app is drawn.
function product(rows, inner, columns, text = "k") {
  const [row, column] = [{ rowLabels: labels(rows) }, { columnLabels: labels(columns, text) }];
  return figure(
    [inner, columns],
    [inner, rows],
    [
      matrix(1, 0, inner, columns, column),
      matrix(0, 1, rows, inner, row),
      matrix(1, 1, rows, columns),
    ]
  );
}

// Matrices side by side, as before and after the softmax.
function line(rows, columns, count) {
  const tracks = Array(count).fill(columns);
  const named = { rowLabels: labels(rows) };
  const panels = tracks.map((_, at) => matrix(at, 0, rows, columns, at ? {} : named));
  return figure(tracks, [rows], panels);
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

test("matrices of one band share its floor", () => {
  const view = figure([3, 2], [2, 7], [matrix(0, 0, 2, 3), matrix(0, 1, 7, 3), matrix(1, 1, 1, 2)]);
  place([[view]], [], DESK);
  const [, high, low] = view.panels;
  assert.equal(foot(low), foot(high));
});

test("rows of small figures fit the window together", () => {
  const rows = [[product(3, 2, 3), product(3, 2, 3)], [line(3, 3, 2)]];
  const room = { ...DESK, height: 460 };
  place(rows, [], room);
  const high = rows.map((row) => Math.max(...row.map(({ geometry }) => geometry.height)) + SPACING);
  assert.ok(high[0] + high[1] <= room.height);
  assert.ok(cellOf(rows[0][0]) >= 24);
});

test("a figure that has the page to itself is larger", () => {
  const [together, alone] = [product(5, 4, 5), product(5, 4, 5)];
  place([[together, product(5, 4, 5), product(5, 4, 5)]], [], DESK);
  place([[alone]], [], { ...DESK, isStepping: true });
  assert.ok(cellOf(alone) > cellOf(together));
});

test("a projected figure is read from the last row, whatever its height", () => {
  const view = product(11, 3, 11);
  place([[view]], [], { ...DESK, isProjected: true });
  assert.equal(cellOf(view), 58);
  assert.equal(view.geometry.least, 22);
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
