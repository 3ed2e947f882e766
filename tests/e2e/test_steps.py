"""One stage at a time: by buttons and keys, lit formulas, results to be predicted."""

from unicodedata import normalize

import pytest

CURRENT = "#attention-view .is-current"
# What each stage is about.
STAGES = ["q", "k", "v", "scores", "weights", "context", "output"]
LIT = """
(state) => [...document.querySelectorAll(`#attention-view .matrix.${state}`)]
  .map((one) => one.dataset.figure ?? one.dataset.copyOf)
"""
# Everything a reader can see or hear of the page, apart from figures on canvas.
WORDS = """
() => {
  const root = document.querySelector("#attention-view");
  const names = ["aria-label", "title", "value"];
  const said = [...root.querySelectorAll("*"), document.querySelector(".tip")]
    .filter((one) => one?.checkVisibility({ visibilityProperty: true }))
    .flatMap((one) => names.map((name) => one.getAttribute(name) ?? ""));
  const tip = document.querySelector(".tip")?.innerText ?? "";
  return [root.innerText, tip, ...said].join("\\n");
}
"""
# Step on several times at once, and tell what moves then.
STEP = """
(times) => {
  const event = () => new KeyboardEvent("keydown", { key: " ", bubbles: true });
  for (let at = 0; at < times; at++) document.body.dispatchEvent(event());
  return document.getAnimations().length;
}
"""


def results(one):
    """Name the matrices that the stage on screen yields."""
    return {*one.page.evaluate(LIT, "is-result")}


def operands(one):
    """Name the matrices that it takes."""
    return {*one.page.evaluate(LIT, "is-operand")}


def stage(one):
    """Name what the stage on screen is about, or None in the overview."""
    [found] = results(one).intersection(STAGES) or [None]
    return found


def press(one, *keys):
    """Press keys, and name the stages they led to."""
    found = []
    for key in keys:
        one.page.keyboard.press(key)
        found.append(stage(one))
    return found


def lit(one):
    """Read the part of the formula that is lit."""
    shown = one.page.locator("#attention-view .page-formula")
    parts = shown.locator(".is-lit").all_text_contents()
    return "".join(normalize("NFKC", part) for part in parts)


def button(one, name):
    return one.page.locator("#attention-view .stepper").get_by_role("button", name=name)


def written(number):
    """Write a number as the page would, up to the sign."""
    return f"{abs(number):.4f}"


def signed(one, name, row, column):
    """Write a number of a matrix as the page would."""
    return f"{one.numbers()[name][row - 1][column - 1]:.4f}".replace("-", "−")


# ---- forward and back ----------------------------------------------------------------


def test_buttons_lead_through_all_stages_and_back(visit):
    one = visit()
    assert (stage(one), button(one, "Previous stage").is_disabled()) == (None, True)
    found = []
    for _ in range(8):
        button(one, "Next stage").click()
        found.append(stage(one))
    assert found == [*STAGES, "output"]
    button(one, "Previous stage").click()
    assert stage(one) == "context"
    assert one.page.locator(CURRENT).get_attribute("data-graph") == "chain"
    button(one, "Overview").click()
    assert (stage(one), one.page.locator(CURRENT).count()) == (None, 0)


def test_keys_lead_through_the_stages_and_back(visit):
    one = visit()
    for on, back in (("ArrowRight", "ArrowLeft"), ("PageDown", "PageUp")):
        assert press(one, on, on, on) == STAGES[:3]
        assert press(one, back, back, back, back) == ["k", "q", None, None]
    assert press(one, " ", " ") == STAGES[:2]


def test_arrows_lead_on_from_a_button_of_the_walk(visit):
    one = visit()
    button(one, "Next stage").click()
    assert press(one, "ArrowRight", "ArrowRight", "ArrowLeft") == ["k", "v", "k"]
    assert press(one, " ") == ["v"]  # the button is pressed, once


def test_a_presenter_leads_on_wherever_the_focus_is(visit):
    one = visit()
    one.click_cell("x", 1, 1)
    assert press(one, "PageDown") == ["q"]
    one.page.locator("[data-action='theme']").focus()
    assert press(one, "PageDown", "PageUp") == ["k", "q"]


def test_keys_that_mean_something_else_do_not_lead_on(visit):
    one = visit()
    one.page.locator("#example-seed").focus()
    assert press(one, "ArrowRight", "PageDown") == [None, None]
    one.page.locator("#attention-view .checks > summary").focus()
    assert press(one, " ") == [None]
    one.click_cell("x", 1, 1)
    assert press(one, "ArrowRight", "ArrowDown", "+") == [None, None, None]
    one.page.locator("#attention-view .edit-bar input").focus()
    assert press(one, "ArrowRight", " ", "PageDown") == [None, None, None]


CLICKED = {
    "a button": "#attention-view [data-edit-action='clear']",
    "the theme": "[data-action='theme']",
    "a switch": "#example-is_scaled",
    "a cell": "#attention-view .is-current .matrix >> nth=-1",
}


@pytest.mark.parametrize("clicked", CLICKED)
def test_a_click_takes_no_key_away(visit, clicked):
    one = visit("?stage=2&s=0")
    one.page.locator(CLICKED[clicked]).click(position={"x": 5, "y": 5})
    one.catch_up()
    theme = one.page.locator("html").get_attribute("data-bs-theme")
    found = press(one, "ArrowRight", "ArrowLeft", " ", "PageUp")
    assert found == ["v", "k", "v", "k"]
    # The space leads on, and presses nothing once more.
    assert one.page.locator("html").get_attribute("data-bs-theme") == theme


def test_a_list_takes_the_keys_only_while_it_is_open(visit):
    one = visit("?stage=2")
    one.choose("example-mask", "causal")
    one.page.locator("#example-mask").click()
    one.page.keyboard.press("ArrowDown")
    one.page.keyboard.press("Enter")
    one.catch_up()
    assert stage(one) == "k"
    assert one.value("example-mask") == "padding"
    assert press(one, "ArrowRight", "ArrowLeft", " ") == ["v", "k", "v"]
    assert one.value("example-mask") == "padding"


def test_who_comes_by_the_keys_uses_what_has_the_focus(visit):
    one = visit("?stage=2")
    one.page.locator("#attention-view [data-step-on]").focus()
    one.page.keyboard.press("Tab")
    focused = "document.activeElement.matches('[data-step-all]')"
    assert one.page.evaluate(focused)
    assert press(one, " ") == [None]
    one.page.locator("#example-mask").focus()
    one.page.keyboard.press("Shift+Tab")
    one.page.keyboard.press("Tab")
    one.change("example-mask", lambda: one.page.keyboard.press("ArrowDown"))
    assert (stage(one), one.value("example-mask")) == (None, "causal")


def test_escape_gives_the_keys_back(visit):
    one = visit("?stage=2&d=7")
    for name in (
        "#example-seed",
        "#example-d_model",
        "#attention-view .is-current .matrix >> nth=0",
    ):
        one.page.locator(name).focus()
        one.page.keyboard.press("Escape")
        assert press(one, "ArrowRight", "ArrowLeft") == ["v", "k"]
        assert one.page.evaluate("document.activeElement.id") == "attention-view"


def test_ctrl_z_and_ctrl_shift_z_are_undo_and_redo_and_never_leave_the_app(visit):
    one = visit()
    one.pause()
    one.choose("example-mask", "causal")
    one.pause()
    one.change("address", lambda: one.page.keyboard.press("Control+z"))
    assert one.value("example-mask") == "none"
    one.pause()
    one.page.keyboard.press("Control+z")
    one.page.wait_for_timeout(200)
    one.catch_up()
    one.change("address", lambda: one.page.keyboard.press("Control+Shift+z"))
    assert one.value("example-mask") == "causal"


# ---- what is shown -------------------------------------------------------------------


def test_the_part_of_the_formula_lights_with_its_stage(visit):
    one = visit()
    found = []
    for _ in STAGES:
        one.page.keyboard.press("ArrowRight")
        found.append(lit(one))
    weights = "softmax(QK⊤dk+M)"
    assert found == ["Q", "K", "V", "QK⊤dk", weights, f"{weights}V", ""]
    one.page.keyboard.press("PageUp")
    button(one, "Overview").click()
    assert lit(one) == ""


# Which matrices are wholly blank, or wholly covered.
HIDDEN = """
() => [...document.querySelectorAll("#attention-view [data-graph]")]
  .filter((figure) => figure.offsetParent)
  .flatMap((figure) => [...(attnviz.viewOf(figure).covered ?? [])])
  .filter(([, flags]) => flags.every(Boolean))
  .map(([name]) => name)
"""


def test_what_was_computed_stays_and_what_comes_later_is_blank(visit):
    one = visit()
    later = ["row_max", "exp_scores", "row_sum", "weight_sum", "weights_1", "weights_2"]
    blank = [
        {*STAGES[1:], *later, "joined"},
        {*STAGES[2:], *later, "joined"},
        {*STAGES[3:], *later, "joined"},
        {*STAGES[4:], *later, "joined"},
        {"context", "output", "joined"},
        {"output"},
        set(),
    ]
    for expected in blank:
        one.page.keyboard.press("ArrowRight")
        drawn = one.numbers().keys()
        assert {*one.page.evaluate(HIDDEN)} == expected & drawn, stage(one)
    button(one, "Overview").click()
    assert one.page.evaluate(HIDDEN) == []


@pytest.mark.exact
def test_what_is_blank_is_as_empty_as_the_page(visit):
    one = visit("?stage=4", reduced_motion="reduce")
    pictures = []
    for query in (
        "?stage=4&cell=scores.2.3",
        "?stage=4&cell=scores.2.3&seed=1",
        "?stage=3&cell=scores.2.3",
    ):
        one.open(query)
        one.page.mouse.move(5, 5)
        pictures.append(one.matrix("context").screenshot())
    assert pictures[0] == pictures[1] == pictures[2]
    one.open("?stage=6")
    assert one.matrix("context").screenshot() != pictures[0]


def test_the_result_is_lit_and_its_operands_are_framed(visit):
    one = visit()
    expected = [
        ({"q"}, {"x", "w_q"}),
        ({"k"}, {"x", "w_k"}),
        ({"v"}, {"x", "w_v"}),
        ({"scores"}, {"q", "k"}),
        (
            {"weights", "row_max", "exp_scores", "row_sum", "weight_sum"},
            {"scores", "mask"},
        ),
        ({"context"}, {"weights", "v"}),
        ({"output"}, {"joined", "w_o"}),
    ]
    figures = []
    for names in expected:
        one.page.keyboard.press("ArrowRight")
        assert (results(one), operands(one)) == names
        figures.append(one.page.locator(CURRENT).get_attribute("data-graph"))
    assert figures == [*["projections"] * 3, *["chain"] * 3, "output"]


def test_the_inspector_follows_the_walk_in_the_row_that_was_looked_at(visit):
    one = visit("?cell=scores.4.2")
    selected = []
    for name in STAGES:
        one.page.keyboard.press("ArrowRight")
        selected.append(
            (name, one.matrix(name).evaluate("one => one.attnviz.selected"))
        )
    assert selected == [(name, [3, 1]) for name in STAGES]
    value = one.page.locator("#attention-view .inspector-value")
    one.page.keyboard.press("ArrowLeft")
    one.catch_up()
    assert value.inner_text().split() == ["C4,2", "=", signed(one, "context", 4, 2)]


def test_steps_fill_the_same_picture(visit):
    one = visit(size=(1366, 768))
    shown = ("q", "k", "scores", "weights", "v", "context")

    def places():
        return [one.matrix(name).evaluate("one => one.style.cssText") for name in shown]

    overview = places()
    for name in STAGES:
        one.page.keyboard.press("ArrowRight")
        # The exponentials stand between S and A while the softmax is looked at.
        assert (one.matrix("exp_scores").count() == 1) == (name == "weights")
        assert (places() == overview) == (name != "weights"), name


def test_a_link_to_a_stage_begins_with_its_result_unless_it_names_a_cell(visit):
    one = visit("?stage=6")
    assert one.matrix("context").evaluate("one => one.attnviz.selected") == [1, 2]
    one.open("?stage=6&cell=q.3.4")
    assert one.matrix("q").evaluate("one => one.attnviz.selected") == [2, 3]


def test_steps_in_a_hurry_are_complete_at_once(visit):
    one = visit()
    assert press(one, "ArrowRight", "ArrowRight", "ArrowRight")[-1] == "v"
    slow = one.matrix("v").bounding_box()
    button(one, "Overview").click()
    # All in the same task, and nothing is on its way afterwards.
    assert one.page.evaluate(STEP, 3) == 0
    assert stage(one) == "v"
    assert one.page.locator(CURRENT).count() == 1
    assert one.matrix("v").bounding_box() == slow


# ---- predict first -------------------------------------------------------------------


def test_a_row_is_uncovered_at_each_step_and_then_the_next_stage_comes(visit):
    one = visit("?cover=1&stage=4&cell=scores.2.3&n=3")
    value = one.page.locator("#attention-view .inspector-value")
    assert value.inner_text().endswith("= ?")
    assert press(one, " ") == ["scores"]
    assert value.inner_text().endswith("= ?")
    assert press(one, " ") == ["scores"]
    assert value.inner_text().endswith(written(one.numbers()["scores"][1][2]))
    assert press(one, " ", " ") == ["scores", "weights"]


def test_the_rest_of_a_stage_is_uncovered_at_once(visit):
    one = visit("?cover=1&stage=4&cell=scores.5.3")
    value = one.page.locator("#attention-view .inspector-value")
    assert value.inner_text().endswith("= ?")
    assert "scores" in one.page.evaluate(HIDDEN)
    assert press(one, " ", "Shift+ArrowRight") == ["scores", "scores"]
    assert "scores" not in one.page.evaluate(HIDDEN)
    assert value.inner_text().endswith(written(one.numbers()["scores"][4][2]))
    assert press(one, "ArrowRight") == ["weights"]
    assert "weights" in one.page.evaluate(HIDDEN)


def test_the_keys_are_uncovered_one_by_one_although_they_stand_upright(visit):
    one = visit("?cover=1&stage=2&n=5&dk=3")
    left = """() => [
      ...attnviz.viewOf(document.querySelector("[data-graph=chain]")).covered.get("k")
    ]"""
    assert one.page.evaluate(left) == [1] * 15
    assert press(one, " ", " ") == ["k", "k"]
    assert one.page.evaluate(left) == [0, 0, 1, 1, 1] * 3
    assert press(one, " ", " ", " ", " ") == ["k", "k", "k", "v"]


COVERED_CELLS = [
    ("scores.2.3", 4),
    ("weights.2.3", 4),  # a stage that is still to come
    ("weights.2.3", 5),
    ("weights_1.2.3", 5),
    ("exp.2.3", 5),
    ("joined.2.3", 6),  # the same number as the covered context
]


def test_what_is_covered_is_told_nowhere(visit):
    one = visit("?cover=1&stage=4")
    value = one.page.locator("#attention-view .inspector-value")
    for cell, number in COVERED_CELLS:
        one.turn_to(f"?cover=1&stage={number}&cell={cell}")
        assert stage(one) == STAGES[number - 1]
        one.page.wait_for_function(
            "document.querySelector('.inspector-value').textContent.endsWith('= ?')"
        )
        one.matrix(stage(one)).hover(position={"x": 12, "y": 12})
        said = one.page.evaluate(WORDS)
        numbers = one.numbers()
        covered = {
            written(cell)
            for name in results(one)
            for row in numbers[name]
            for cell in row
        }
        assert {number for number in covered if number in said} == set(), cell
        assert value.get_attribute("title") == ""
        for form in ("Text", "LaTeX", "NumPy"):
            copy = one.page.get_by_role("button", name=form, exact=True)
            assert copy.is_disabled()


def test_the_largest_weight_is_told_only_when_its_row_is_uncovered(visit):
    one = visit("?cover=1&stage=5&cell=weights.2.1")
    weights = one.matrix("weights")
    assert "Largest" not in weights.get_attribute("aria-label")
    press(one, " ")
    assert "Largest" not in weights.get_attribute("aria-label")
    press(one, " ")
    row = one.numbers()["weights"][1]
    told = f"Largest weight of query 2 (x₂): {max(row):.3f}"
    assert told in weights.get_attribute("aria-label")


@pytest.mark.exact
def test_covered_cells_are_drawn_without_their_numbers(visit):
    one = visit()
    scores, pictures = [], []
    for query in ("?cover=1&stage=4", "?cover=1&stage=4&seed=1", "?stage=4"):
        one.open(query)
        one.page.mouse.move(5, 5)
        scores.append(one.numbers()["scores"])
        pictures.append(one.matrix("scores").screenshot())
    assert scores[0] != scores[1]
    assert pictures[0] == pictures[1]
    assert pictures[0] != pictures[2]


def test_the_overview_covers_all_results_while_predicting(visit):
    one = visit("?cover=1&stage=5&cell=output.2.3")
    button(one, "Overview").click()
    assert_all_covered(one)
    one.open("?cover=1&stage=0&cell=output.2.3")
    assert_all_covered(one)
    button(one, "Predict first").click()
    one.page.keyboard.press("PageUp")
    assert stage(one) is None
    assert one.page.locator("#attention-view details.tables").is_visible()


def assert_all_covered(one):
    covered = set(one.page.evaluate(HIDDEN))
    assert {*STAGES, "weights_1", "weights_2", "joined"} <= covered
    assert not {"x", "w_q", "mask"} & covered
    assert one.page.locator("#attention-view details.tables").is_hidden()
    value = one.page.locator("#attention-view .inspector-value")
    assert value.inner_text().endswith("= ?")
    one.matrix("output").hover(position={"x": 12, "y": 12})
    assert one.page.locator(".tip").inner_text().splitlines()[0].endswith("= ?")


def test_the_tables_are_closed_while_results_are_covered(visit):
    one = visit("?stage=4")
    tables = one.page.locator("#attention-view details.tables")
    assert tables.is_visible()
    button(one, "Predict first").click()
    assert tables.is_hidden()
    button(one, "Predict first").click()
    assert tables.is_visible()
