"""One stage at a time: by buttons and keys, lit formulas, results to be predicted."""

from unicodedata import normalize

import pytest

CURRENT = "#attention-view .is-current"
STAGES = ["query", "key", "value", "scores", "softmax", "context", "output"]
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
STILL = "!document.getAnimations().length"


def stage(one):
    """Name the stage on screen, or None in the overview."""
    current = one.page.locator(CURRENT)
    return current.get_attribute("data-graph") if current.count() else None


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
    assert one.page.locator("#attention-view [data-graph]:visible").count() == 1
    button(one, "Overview").click()
    assert stage(one) is None
    assert one.page.locator("#attention-view [data-step]:visible").count() == 7


def test_keys_lead_through_the_stages_and_back(visit):
    one = visit()
    for on, back in (("ArrowRight", "ArrowLeft"), ("PageDown", "PageUp")):
        assert press(one, on, on, on) == STAGES[:3]
        assert press(one, back, back, back, back) == ["key", "query", None, None]
    assert press(one, " ", " ") == STAGES[:2]


def test_arrows_lead_on_from_a_button_of_the_walk(visit):
    one = visit()
    button(one, "Next stage").click()
    assert press(one, "ArrowRight", "ArrowRight", "ArrowLeft") == [
        "key",
        "value",
        "key",
    ]
    assert press(one, " ") == ["value"]  # the button is pressed, once


def test_a_presenter_leads_on_wherever_the_focus_is(visit):
    one = visit()
    one.click_cell("x", 1, 1)
    assert press(one, "PageDown") == ["query"]
    one.page.locator("[data-action='theme']").focus()
    assert press(one, "PageDown", "PageUp") == ["key", "query"]


def test_keys_that_mean_something_else_do_not_lead_on(visit):
    one = visit()
    one.page.locator("#example-seed").focus()
    assert press(one, "ArrowRight", "PageDown") == [None, None]
    one.page.locator("#attention-view .check > summary").first.focus()
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
    assert found == ["value", "key", "value", "key"]
    # The space leads on, and presses nothing once more.
    assert one.page.locator("html").get_attribute("data-bs-theme") == theme


def test_a_list_takes_the_keys_only_while_it_is_open(visit):
    one = visit("?stage=2")
    one.choose("example-mask", "causal")
    one.page.locator("#example-mask").click()
    one.page.keyboard.press("ArrowDown")
    one.page.keyboard.press("Enter")
    one.catch_up()
    assert stage(one) == "key"
    assert one.value("example-mask") == "padding"
    assert press(one, "ArrowRight", "ArrowLeft", " ") == ["value", "key", "value"]
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
        assert press(one, "ArrowRight", "ArrowLeft") == ["value", "key"]
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


def test_shift_and_right_uncover_the_whole_stage(visit):
    one = visit("?cover=1&stage=4&cell=scores.5.3")
    value = one.page.locator("#attention-view .inspector-value")
    assert value.inner_text().endswith("= ?")
    assert press(one, "Shift+ArrowRight") == ["scores"]
    assert value.inner_text().endswith(written(one.numbers()["scores"][4][2]))
    assert press(one, "ArrowRight") == ["softmax"]


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


def test_a_stage_is_larger_than_in_the_overview_and_fits_the_window(visit):
    one = visit()
    small = one.matrix("scores").bounding_box()
    press(one, *["ArrowRight"] * 4)
    large = one.matrix("scores").bounding_box()
    assert large["width"] > 1.5 * small["width"]
    inspector = one.page.locator("#attention-view .inspector").bounding_box()
    assert large["y"] + large["height"] <= inspector["y"]


def test_an_interrupted_step_is_complete_at_once(visit):
    one = visit()
    assert press(one, "ArrowRight", "ArrowRight", "ArrowRight")[-1] == "value"
    one.page.wait_for_function(STILL)
    slow = one.matrix("v").bounding_box()
    button(one, "Overview").click()
    # The next key comes in the same task, long before any motion ends.
    assert one.page.evaluate(STEP, 3) > 0
    assert stage(one) == "value"
    assert one.page.locator("#attention-view [data-graph]:visible").count() == 1
    one.page.wait_for_function(STILL)
    assert one.matrix("v").bounding_box() == slow


def test_nothing_moves_where_motion_is_reduced(visit):
    one = visit(reduced_motion="reduce")
    assert one.page.evaluate(STEP, 1) == 0
    assert stage(one) == "query"


# ---- predict first -------------------------------------------------------------------


def test_a_row_is_uncovered_at_each_step_and_then_the_next_stage_comes(visit):
    one = visit("?cover=1&stage=4&cell=scores.2.3&n=3")
    value = one.page.locator("#attention-view .inspector-value")
    assert value.inner_text().endswith("= ?")
    assert press(one, " ") == ["scores"]
    assert value.inner_text().endswith("= ?")
    assert press(one, " ") == ["scores"]
    assert value.inner_text().endswith(written(one.numbers()["scores"][1][2]))
    assert press(one, " ", " ") == ["scores", "softmax"]


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
        results = one.page.locator(CURRENT).get_attribute("data-results").split()
        one.matrix(results[0]).hover(position={"x": 12, "y": 12})
        said = one.page.evaluate(WORDS)
        numbers = one.numbers()
        covered = {
            written(cell) for name in results for row in numbers[name] for cell in row
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
    assert f"Largest weight {max(row):.3f}: query 2" in weights.get_attribute(
        "aria-label"
    )


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


RESULTS = ("q", "k", "v", "scores", "weights", "context", "output")
# The names of the matrices of which every cell is covered.
COVERED = """
() => [...document.querySelectorAll("#attention-view [data-graph]")]
  .filter((figure) => figure.offsetParent)
  .flatMap((figure) => [...attnviz.viewOf(figure).covered])
  .filter(([, flags]) => flags.every(Boolean))
  .map(([name]) => name)
"""


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
    covered = set(one.page.evaluate(COVERED))
    assert {*RESULTS, "weights_1", "weights_2", "joined"} <= covered
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
