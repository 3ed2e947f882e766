"""Scores, weights and context are what anybody sees first, whole, on any screen."""

import pytest

from attnviz.example.presets import PRESETS
from tests.e2e.drawn import written

SIZES = ((1366, 768), (1920, 1080))
LANGUAGES = ("en", "zh")
PAGES = ("attention", "norms")
HEART = ("scores", "weights", "context")
LONGEST = 16  # positions of an example that must fit the first screen
LEGIBLE = 20  # px of a cell that has room for digits
# The matrices of the heart that do not stand wholly between the bar and the inspector.
CUT_OFF = """
(names) => {
  const page = document.querySelector("#attention-view");
  const foot = page.querySelector(".inspector").getBoundingClientRect().top;
  const head = page.querySelector(".page-head").getBoundingClientRect().bottom;
  const main = page.closest(".main").getBoundingClientRect();
  return names
    .map((name) => page.querySelector(`[data-figure="${name}"]`))
    .filter((element) => {
      if (!element) return false;
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const isWithin = top >= head && bottom <= foot && left >= main.left;
      return !isWithin || right > innerWidth || !element.checkVisibility();
    })
    .map((element) => element.dataset.figure);
}
"""
SCROLLED = """
() => [...document.querySelectorAll(".main, .figure-row")]
  .reduce((sum, one) => sum + one.scrollTop + one.scrollLeft, scrollY + scrollX)
"""
# A window of another size is filled with the next frame.
FRAMES = """
() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
"""
HEIGHT = "(element) => element.getBoundingClientRect().height"


def resize(one, size):
    width, height = size
    one.page.set_viewport_size({"width": width, "height": height})
    one.page.evaluate(FRAMES)


def longest(one):
    """Tell the larger side of the weights on screen."""
    shape = one.matrix("weights").get_attribute("data-shape")
    return max(map(int, shape.split("×")))


def faults(one):
    """Say what of the heart is cut off, and what has room for digits and none."""
    found = one.page.evaluate(CUT_OFF, HEART)
    if one.page.evaluate(SCROLLED):
        found.append("scrolled")
    drawn = written(one, "chain")
    if drawn["cell"] >= LEGIBLE:
        bare = [name for name, cells in drawn["cells"].items() if None in cells]
        found += [f"{name} without digits" for name in bare]
    return found


@pytest.mark.timeout(240)
@pytest.mark.parametrize("projector", ["", "&projector=1"], ids=["desk", "projector"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_preset_shows_its_heart_on_the_first_screen(visit, language, projector):
    one = visit(f"?{projector[1:]}", language=language)
    found, measured = {}, set()
    for preset in PRESETS:
        one.turn_to(f"?p={preset}{projector}")
        if longest(one) > LONGEST:
            continue
        measured.add(preset)
        for size in SIZES:
            resize(one, size)
            found[preset, size] = faults(one)
    assert {key: fault for key, fault in found.items() if fault} == {}
    assert len(measured) > 0.8 * len(PRESETS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_head_and_inspector_leave_the_screen_to_the_figures(look, page, language):
    one = look(f"?page={page}", size=SIZES[0], language=language)
    view = one.page.locator(f"#{page}-view")
    head = view.locator(".page-head").bounding_box()
    assert head["y"] + head["height"] <= 140
    assert 70 <= view.locator(".inspector").evaluate(HEIGHT) <= 82


@pytest.mark.parametrize(
    ("query", "size", "least"),
    [
        ("?n=5", SIZES[0], 36),
        ("?n=8", SIZES[0], 26),
        ("?n=5", SIZES[1], 34),
    ],
)
def test_cells_are_as_large_as_the_screen_allows(look, query, size, least):
    assert written(look(query, size=size), "chain")["cell"] >= least


def test_long_sequences_give_up_decimals_and_then_digits(look):
    one = look(size=SIZES[0])
    decimals = {}
    for n in (5, 16, 32):
        one.turn_to(f"?n={n}")
        cells = written(one, "chain")["cells"]["scores"]
        texts = [cell[0] for cell in cells if cell]
        decimals[n] = {len(text.partition(".")[2]) for text in texts}
        assert one.page.evaluate(CUT_OFF, HEART) == []
    assert decimals == {5: {2}, 16: {1}, 32: set()}


# ---- two forms -------------------------------------------------------------------


def test_what_multiplies_or_masks_stands_above_what_it_makes(look):
    one = look("?n=7")
    for above, below in (("k", "scores"), ("mask", "weights"), ("v", "context")):
        one_box, other = (one.matrix(name).bounding_box() for name in (above, below))
        assert one_box["x"] == other["x"]
        assert one_box["y"] + one_box["height"] < other["y"]
    rows = ("q", "scores", "row_max", "row_sum", "weights", "weight_sum", "context")
    boxes = [one.matrix(name).bounding_box() for name in rows]
    assert len({(each["y"], each["height"]) for each in boxes}) == 1
    edges = [each["x"] for each in boxes]
    assert edges == sorted(edges)


def test_a_long_sequence_is_drawn_wide(look):
    one = look("?n=11&m=causal")
    assert one.matrix("mask").count() == 0
    context, value = (one.matrix(name).bounding_box() for name in ("context", "v"))
    assert value["x"] > context["x"] + context["width"]
    assert value["y"] == context["y"]
    hidden = [[key > query for key in range(11)] for query in range(11)]
    scores = one.numbers()["scores"]
    assert [[cell is None for cell in row] for row in scores] == hidden


def test_more_features_than_positions_stand_beside_and_fold(look):
    one = look("?n=5&dk=16", size=SIZES[0])
    key, query, scores = (
        one.matrix(name).bounding_box() for name in ("k", "q", "scores")
    )
    assert query["x"] < key["x"] < scores["x"]
    assert key["y"] == scores["y"]
    # The first four, a gap, the last three; the numbers are all there.
    assert written(one, "chain")["texts"].count("⋯") == 2 * 5
    assert one.matrix("k").get_attribute("data-shape") == "5×16"
    numbers = one.numbers()
    assert {len(row) for name in "qk" for row in numbers[name]} == {16}
    assert one.page.evaluate(CUT_OFF, HEART) == []


def test_a_click_on_the_gap_unfolds_and_leaves_the_numbers(look):
    one = look("?n=5&dk=16")
    before = one.numbers()
    width = one.matrix("q").bounding_box()["width"]
    cell = written(one, "chain")["cell"]
    one.matrix("q").click(position={"x": 4.5 * cell, "y": 0.5 * cell})
    one.rest()
    drawn = written(one, "chain")
    assert "⋯" not in drawn["texts"]
    assert len(drawn["cells"]["q"]) == 5 * 16
    assert one.numbers() == before
    assert one.matrix("q").bounding_box()["width"] > width


def test_a_folded_cell_that_is_selected_comes_out_of_the_fold(look):
    one = look("?n=5&dk=16&cell=q.2.9")
    selected = one.page.locator("#attention-view .lit-selected").bounding_box()
    place = one.place("q", 2, 9)
    matrix = one.matrix("q").bounding_box()
    assert selected["x"] + selected["width"] / 2 == pytest.approx(
        matrix["x"] + place["x"], abs=1
    )
    assert one.matrix("q").evaluate("one => one.attnviz.selected") == [1, 8]


# ---- links and small cells ---------------------------------------------------------


IN_SIGHT = """
(page) => {
  const view = document.querySelector(`#${page}-view`);
  const foot = view.querySelector(".inspector").getBoundingClientRect().top;
  const cell = view.querySelector(".lit-selected").getBoundingClientRect();
  const { left, right, top, bottom } = cell;
  return top >= 0 && left >= 0 && right <= innerWidth && bottom <= foot + 1;
}
"""


@pytest.mark.parametrize(
    ("query", "size"),
    [
        ("?n=16&cell=output.16.8", SIZES[0]),
        ("?p=model_sizes&cell=w_o.3.5", SIZES[0]),
        ("?page=norms&n=16&cell=batch_change.1.1", SIZES[0]),
        ("?cell=output.5.8", (360, 740)),
        ("?cell=context.5.4", (360, 740)),
    ],
)
def test_a_link_to_a_cell_brings_it_into_view(visit, query, size):
    one = visit(query, size=size, reduced_motion="reduce")
    one.page.evaluate(FRAMES)
    assert one.page.evaluate(IN_SIGHT, "norms" if "norms" in query else "attention")


def lens(one):
    """Read the lines of the row lens, or nothing where there is none."""
    rows = one.page.locator("#attention-view .row-lens:visible tr").all()
    return [row.locator("td, th").all_inner_texts() for row in rows]


def test_a_row_too_small_for_digits_is_told_in_the_inspector(look):
    one = look("?n=32&m=causal&cell=weights.3.2", size=SIZES[0])
    numbers = one.numbers()
    head, *lines = lens(one)
    assert head[0].startswith("query 3")
    told = {line[0]: line[1:33] for line in lines}
    weights = [f"{cell:.2f}" if cell else "0" for cell in numbers["weights"][2]]
    assert told["A"] == weights
    assert told["S"][:3] == [
        f"{cell:.2f}".replace("-", "−") for cell in numbers["scores"][2][:3]
    ]
    assert told["M"] == ["0"] * 3 + ["−∞"] * 29
    inspector = one.page.locator("#attention-view .inspector").bounding_box()
    assert inspector["y"] + inspector["height"] <= 768
    one.turn_to("?n=5")
    assert lens(one) == []


def test_the_inspector_is_one_line_that_unfolds(look):
    one = look("?cell=scores.2.3", size=SIZES[0])
    inspector = one.page.locator("#attention-view .inspector")
    work = inspector.locator(".inspector-work")
    fold = inspector.locator("[data-unfold-inspector]")
    before = inspector.evaluate(HEIGHT)
    terms = inspector.locator(".term")
    assert terms.count() == 0
    assert work.inner_text().split()[-1] == "−0.3105"
    fold.click()
    assert fold.get_attribute("aria-expanded") == "true"
    assert terms.count() == 4
    fold.click()
    assert (terms.count(), inspector.evaluate(HEIGHT)) == (0, before)
    # What is said in one line is said whole.
    one.click_cell("context", 2, 1)
    one.page.wait_for_selector("#attention-view .term >> nth=4")
    assert inspector.evaluate(HEIGHT) == before
