"""Where a row and a column meet: marks, selection by mouse, keys and touch."""

import pytest

# What is lit: "figure: panel row,column", 0 for a whole line; labels by their text.
LIT = """
(page) => {
  const lit = { cells: [], labels: [] };
  for (const figure of document.querySelectorAll(`#${page}-view [data-graph]`)) {
    const view = attnviz.viewOf(figure);
    if (!view.frame || !view.marks) continue;
    const { cell } = view.geometry;
    for (const mark of view.marks.querySelectorAll(".lit:not(.lit-selected)")) {
      const [x, y, width, height] = ["left", "top", "width", "height"].map((name) =>
        parseFloat(mark.style[name])
      );
      if (mark.classList.contains("lit-label")) {
        const side = view.panels.flatMap(({ rect, rowLabels, columnLabels }) => [
          ...rowLabels.map((text, i) => [text, rect.x - 2, rect.y + (i + 0.5) * cell]),
          ...columnLabels.map((text, j) => [
            text, rect.x + (j + 0.5) * cell, rect.y - 2,
          ]),
        ]);
        const [text] = side.find(
          ([, a, b]) => a >= x && a <= x + width && b >= y && b <= y + height
        );
        lit.labels.push(`${figure.dataset.graph} ${text}`);
        continue;
      }
      const panel = view.panels.find(({ rect }) => {
        const [right, bottom] = [rect.x + rect.width, rect.y + rect.height];
        return x >= rect.x && y >= rect.y && x < right && y < bottom;
      });
      const row = width >= panel.rect.width && panel.columns > 1 ? [0] : [];
      const i = height > cell ? 0 : Math.round((y - panel.rect.y) / cell) + 1;
      const j = row.length ? 0 : Math.round((x - panel.rect.x) / cell) + 1;
      lit.cells.push(`${figure.dataset.graph}: ${panel.name} ${i},${j}`);
    }
  }
  return [lit.cells.sort(), lit.labels.sort()];
}
"""
MARKED = "(one) => one.attnviz.selected"
FOCUSED = "document.activeElement.dataset.figure"
# Query 2 and key 3 of two heads, wherever they appear.
QUERY_2_KEY_3 = {
    "chain: q 2,0",
    "chain: k 0,3",
    "chain: scores 2,3",
    "chain: row_max 2,1",
    "chain: row_sum 2,1",
    "chain: mask 2,3",
    "chain: weights 2,3",
    "chain: weight_sum 2,1",
    "chain: v 3,0",
    "chain: context 2,0",
    "projections: x 2,0",
    "projections: q 2,0",
    "projections: k 2,0",
    "projections: v 2,0",
    "heads: weights_1 2,3",
    "heads: weights_2 2,3",
    "output: joined 2,0",
    "output: output 2,0",
}


def hover(one, name, row, column):
    """Point at a cell without choosing it."""
    one.matrix(name).evaluate("one => one.scrollIntoView({ block: 'center' })")
    box = one.matrix(name).bounding_box()
    place = one.place(name, row, column)
    one.page.mouse.move(box["x"] + place["x"], box["y"] + place["y"])


def lit(one, page="attention"):
    cells, labels = one.page.evaluate(LIT, page)
    return set(cells), set(labels)


def messages(one):
    return one.page.evaluate("watched.messages")


# ---- hover ---------------------------------------------------------------------------


def test_hovering_lights_row_and_column_from_the_input_to_the_output(look):
    one = look("?t=the+cat+sat+down+here")
    before = messages(one)
    hover(one, "weights", 2, 3)
    cells, labels = lit(one)
    assert cells == QUERY_2_KEY_3
    assert labels == {"chain cat", "chain sat", "projections cat", "output cat"}
    assert messages(one) == before


def test_hovering_a_weight_matrix_lights_its_feature_in_the_input(look):
    one = look()
    before = messages(one)
    hover(one, "w_k", 3, 2)
    cells, _ = lit(one)
    assert cells == {
        "projections: x 0,3",
        "projections: w_q 3,2",
        "projections: q 0,2",
        "projections: w_k 3,2",
        "projections: k 0,2",
        "projections: w_v 3,0",
        "chain: q 0,2",
        "chain: k 2,0",
        "output: w_o 0,3",
        "output: output 0,3",
    }
    assert messages(one) == before


def test_the_tip_names_the_cell_and_its_tokens(look):
    one = look("?t=the+cat+sat")
    hover(one, "scores", 2, 3)
    tip = one.page.locator(".tip")
    name, where = tip.inner_text().split("\n")
    assert name.startswith("S₂,₃ = ")
    assert where == "query 2 (cat) · key 3 (sat)"
    one.page.mouse.move(5, 5)
    assert tip.is_hidden()


@pytest.mark.parametrize(
    ("matrix", "row", "column", "name"),
    [
        ("q", 2, 3, "q₂,₃"),
        ("k", 2, 3, "k₂,₃"),
        ("w_q", 2, 3, "W_Q₂,₃"),
        ("row_sum", 2, 1, "Σe₂"),
        ("weights_1", 2, 3, "A₂,₃"),
        ("weights_2", 2, 3, "A^(2)₂,₃"),
    ],
)
def test_the_tip_writes_a_symbol_as_the_inspector_does(look, matrix, row, column, name):
    one = look()
    hover(one, matrix, row, column)
    assert one.page.locator(".tip").inner_text().startswith(f"{name} = ")
    one.click_cell(matrix, row, column)
    explained = one.page.locator("#attention-view .inspector-value").inner_text()
    plain = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789", "_^\n ")
    assert explained.translate(plain).startswith(name.translate(plain) + "=")


def test_the_tip_of_a_score_under_the_mask_tells_both(look):
    one = look("?n=11&m=causal")
    hover(one, "scores", 2, 3)
    head = one.page.locator(".tip").inner_text().split("\n")[0]
    assert head.startswith("S₂,₃ = ")
    assert head.endswith(" · M = −∞")


def test_a_feature_that_is_folded_lights_no_other_one(visit):
    one = visit("?d=11")
    one.press("attention-freeze")
    one.slide("example-d_model", 8)
    # Of eleven features the first four and the last three stand in eight places.
    hover(one, "a_output", 2, 11)
    assert {
        "compare_output: a_output 2,8",
        "compare_output: b_output 2,0",
        "output: output 2,0",
    } <= lit(one)[0]
    hover(one, "b_output", 2, 8)
    assert {
        "compare_output: a_output 2,0",
        "compare_output: b_output 2,8",
        "output: output 2,8",
    } <= lit(one)[0]


def test_a_cell_of_a_matrix_whose_sides_mean_the_same_lights_itself(look):
    one = look("?sc=bilinear")
    hover(one, "score_w", 2, 3)
    assert "bilinear: score_w 2,3" in lit(one)[0]


def test_what_is_lit_goes_back_to_the_selected_cell(look):
    one = look("?cell=scores.2.3")
    hover(one, "output", 5, 1)
    assert "output: output 5,1" in lit(one)[0]
    one.page.mouse.move(5, 5)
    assert lit(one)[0] == QUERY_2_KEY_3
    selected = one.page.locator("#attention-view .lit-selected")
    assert selected.count() == 1
    assert selected.is_visible()


def test_a_column_label_is_lit_where_it_stands_upright(look):
    one = look("?t=the+extraordinarily+long+word+here")
    hover(one, "mask", 1, 2)
    assert "chain extraordinarily" in lit(one)[1]


def test_layer_norm_lights_position_and_feature(look):
    one = look("?page=norms&cell=norm_normalized.2.3")
    cells, _ = lit(one, "norms")
    assert {
        "norm: norm_input 2,3",
        "norm: norm_mean 2,1",
        "norm: norm_normalized 2,3",
        "norm_output: gamma 1,3",
        "norm_output: norm_output 2,3",
    } <= cells


# ---- keys ----------------------------------------------------------------------------


def tab_to(one, name):
    """Press Tab until a matrix has the focus."""
    one.matrix(name).evaluate(
        """(one) => {
          const all = [...document.querySelectorAll(".matrix, .figures-page button")];
          all[all.indexOf(one) - 1].focus();
        }"""
    )
    one.page.keyboard.press("Tab")
    assert one.page.evaluate(FOCUSED) == name


def test_tab_and_arrows_choose_a_cell_and_it_is_explained(look):
    one = look()
    tab_to(one, "w_v")
    outline = one.matrix("w_v").evaluate("(one) => getComputedStyle(one).outline")
    assert outline.endswith("solid 2px")
    keys = one.page.keyboard
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
        keys.press(key)
    assert one.matrix("w_v").evaluate(MARKED) == [0, 1]
    one.page.wait_for_function(
        "document.querySelector('.inspector-value').textContent.startsWith('WV 1,2 ')"
    )
    for _ in range(9):
        keys.press("ArrowDown")
    assert one.matrix("w_v").evaluate(MARKED) == [7, 1]
    assert one.page.evaluate(FOCUSED) == "w_v"


def test_plus_and_minus_change_the_selected_number(look):
    one = look()
    start = one.numbers()["x"][0][0]
    one.click_cell("x", 1, 1)
    for key in ("+", "+", "-"):
        one.page.keyboard.press(key)
        one.catch_up()
    assert one.numbers()["x"][0][0] == pytest.approx(start + 0.1, abs=2e-6)


def test_a_number_is_typed_and_the_focus_comes_back(look):
    one = look()
    one.click_cell("x", 2, 3)
    for opened_by, rest, typed in (
        ("Enter", ".5", 0.5),
        ("7", ".5", 7.5),
        ("8", "", 8),
    ):
        one.page.keyboard.press(opened_by)
        one.page.keyboard.type(rest)
        one.change("attention-edit", lambda: one.page.keyboard.press("Enter"))
        assert one.numbers()["x"][1][2] == typed
        assert one.page.evaluate(FOCUSED) == "x"


def test_escape_leaves_the_number_as_it_was(look):
    one = look()
    before = one.numbers()
    one.click_cell("x", 2, 3)
    one.page.keyboard.type("99")
    one.page.keyboard.press("Escape")
    one.catch_up()
    assert one.page.evaluate(FOCUSED) == "x"
    assert one.numbers() == before
    shown = f"{before['x'][1][2]:.4f}".replace("-", "−")
    assert one.page.locator("#attention-view .edit-bar input").input_value() == shown


def test_enter_toggles_a_cell_of_the_mask(look):
    one = look()
    one.matrix("mask").focus()
    one.page.keyboard.press("ArrowRight")
    one.page.keyboard.press("ArrowRight")
    one.change("attention-edit", lambda: one.page.keyboard.press("Enter"))
    assert one.numbers()["mask"][0] == [0, None, 0, 0, 0]


# ---- touch ---------------------------------------------------------------------------


CORNER = {"x": 3, "y": 3}


def test_a_tap_selects_explains_and_toggles_the_mask_and_a_button_nudges(visit):
    one = visit(has_touch=True, size=(900, 1100))
    one.matrix("scores").scroll_into_view_if_needed()
    one.matrix("scores").tap(position={"x": 3, "y": 3})
    one.page.wait_for_function(
        "document.querySelector('.inspector-value').textContent.startsWith('S1,1 ')"
    )
    assert one.matrix("scores").evaluate(MARKED) == [0, 0]
    cells, _ = lit(one)
    assert "output: output 1,0" in cells
    one.matrix("mask").scroll_into_view_if_needed()
    one.matrix("mask").tap(position=CORNER)
    one.catch_up()
    bar = one.page.locator("#attention-view .edit-bar")
    one.change("attention-edit", bar.get_by_role("button", name="Hide / show").tap)
    assert one.numbers()["mask"][0][0] is None
    one.change("attention-edit", lambda: one.matrix("mask").tap(position=CORNER))
    assert one.numbers()["mask"][0][0] == 0
    one.matrix("x").scroll_into_view_if_needed()
    before = one.numbers()["x"][0][0]
    one.matrix("x").tap(position={"x": 3, "y": 3})
    one.change("attention-edit", bar.get_by_role("button", name="more").tap)
    assert one.numbers()["x"][0][0] == pytest.approx(before + 0.1, abs=2e-6)
