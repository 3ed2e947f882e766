"""A projector and a phone: the last row reads along, and one hand is enough."""

import pytest

from tests.e2e.drawn import numbers_in, written

pytestmark = pytest.mark.exact

FORMULA = ".page-formula math"
PHONE = (360, 780)
PAGES = ("attention", "norms")
CELL = """
(page) => [...document.querySelectorAll(`#${page}-view [data-graph]`)]
  .filter((figure) => figure.offsetParent)
  .map((figure) => attnviz.viewOf(figure).geometry)
  .map(({ cell, least }) => [cell, least])
"""
FONT = "element => parseFloat(getComputedStyle(element).fontSize)"
OVERFLOW = """
() => [document.documentElement, document.querySelector(".main")]
  .map((element) => element.scrollWidth - element.clientWidth)
"""
OVERFLOW_DOWN = """
document.documentElement.scrollHeight - document.documentElement.clientHeight
"""
LAPTOP, SCREEN = (1366, 768), (1920, 1080)
DIGITS = 0.38  # of a cell: how high its digits are where they have room


def project(one):
    one.page.locator("[data-action='projector']").click()
    one.page.wait_for_function("watched.isExact")
    return one


def test_the_projector_draws_digits_of_22_pixels(visit):
    one = visit("?page=norms")
    assert max(cell for cell, _ in one.page.evaluate(CELL, "norms")) * DIGITS < 22
    cells = project(one).page.evaluate(CELL, "norms")
    assert max(cell for cell, _ in cells) * DIGITS >= 22


@pytest.mark.parametrize("size", [LAPTOP, SCREEN])
def test_the_last_row_reads_every_digit_of_a_presented_stage(visit, size):
    one = visit("?projector=1&stage=4", size=size)
    for name in ("scores", "weights", "context"):
        digits = written(one, "chain")["cells"][name]
        assert None not in digits, name
        assert min(px for _, px in digits) >= 0.03 * size[1], name
        one.page.keyboard.press("PageDown")


def test_where_such_digits_find_no_room_a_presented_stage_has_smaller_ones(visit):
    one = visit("?projector=1&n=8&stage=4", size=LAPTOP)
    for name in ("scores", "weights", "context"):
        digits = written(one, "chain")["cells"][name]
        assert None not in digits, name
        one.page.keyboard.press("PageDown")


def test_the_projector_enlarges_the_key_value_the_text_and_the_icons(visit):
    one = visit()
    value = one.page.locator("#attention-view .inspector-value")
    title = one.page.locator("#attention-view h1")
    icon = "(tool, of) => parseFloat(getComputedStyle(tool, '::before')[of])"
    icons = {"projector": "width", "theme": "fontSize"}

    def sizes():
        return [
            one.page.locator(f"[data-action='{name}']").evaluate(icon, of)
            for name, of in icons.items()
        ]

    before, small = title.evaluate(FONT), sizes()
    project(one)
    assert value.evaluate(FONT) >= 28
    assert title.evaluate(FONT) > 1.2 * before
    assert sizes() == [pytest.approx(1.6 * size, abs=0.1) for size in small]


def test_the_projector_folds_the_sidebar_and_gives_it_back(visit):
    one = visit()
    control = one.page.locator("#example-preset")
    assert control.is_visible()
    project(one)
    control.wait_for(state="hidden")
    one.page.locator("[data-action='projector']").click()
    control.wait_for(state="visible")


def test_a_presenter_walks_with_page_keys(visit):
    one = project(visit())
    place = one.page.locator("#attention-view .stepper-place")
    one.page.keyboard.press("PageDown")
    one.page.keyboard.press("PageDown")
    assert place.inner_text() == "stage 2 of 7"
    one.page.keyboard.press("PageUp")
    assert place.inner_text() == "stage 1 of 7"


# Whether a reader sees the middle of an element.
IS_SEEN = """
(element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return element.contains(seen);
}
"""


@pytest.mark.parametrize("size", [SCREEN, LAPTOP])
def test_a_projected_walk_keeps_formula_and_counter_in_sight(visit, size):
    one = visit("?projector=1", size=size)
    shown = [
        one.page.locator(f"#attention-view {part}")
        for part in (FORMULA, ".stepper-place", "[data-step-on]")
    ]
    for _ in range(7):
        one.page.keyboard.press("PageDown")
        assert [part.evaluate(IS_SEEN) for part in shown] == [True, True, True]


# What a class need not see while a stage is presented.
ASIDE = (".navbar", ".sidebar", "h1", ".checks", ".export", ".edit-bar", ".tables")


def test_a_presented_stage_has_the_screen_to_itself_until_the_overview(visit):
    one = visit("?projector=1", size=LAPTOP)
    figures = one.page.locator("#attention-view [data-graph]:visible")
    before = figures.count()
    one.page.keyboard.press("PageDown")
    assert figures.count() == 1
    for part in ASIDE:
        assert not one.page.locator(f"{part}:visible").count(), part
    one.page.keyboard.press("PageUp")
    assert figures.count() == before
    assert one.page.locator(".navbar, h1:visible").first.is_visible()


# Matrices that the formula of the page covers, be it in a bar or in a free corner.
UNDER_THE_FORMULA = """() => {
  const bar = document.querySelector("#attention-view .page-formula");
  const one = bar.getBoundingClientRect();
  const meets = (other) =>
    other.left < one.right && other.right > one.left &&
    other.top < one.bottom && other.bottom > one.top;
  const all = [...document.querySelectorAll("#attention-view .is-current .matrix")];
  return all.filter((matrix) => meets(matrix.getBoundingClientRect()))
    .map((matrix) => matrix.attnviz.name);
}"""


@pytest.mark.parametrize("size", [SCREEN, LAPTOP])
def test_a_projected_stage_fits_between_formula_and_inspector(visit, size):
    one = visit("?projector=1", size=size)
    for _ in range(7):
        one.page.keyboard.press("PageDown")
        one.page.wait_for_function("!document.getAnimations().length")
        figure = one.page.locator("#attention-view .is-current").bounding_box()
        inspector = one.page.locator("#attention-view .inspector").bounding_box()
        assert figure["y"] + figure["height"] <= inspector["y"] + 1
        assert one.page.evaluate(UNDER_THE_FORMULA) == []


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("page", PAGES)
def test_a_phone_never_scrolls_sideways(visit, page, language):
    one = visit(f"?page={page}&n=9", size=PHONE, language=language)
    assert one.page.evaluate(OVERFLOW) == [0, 0]
    one.page.locator(f"#{page}-view .stepper [data-step-on]").click()
    assert one.page.evaluate(OVERFLOW) == [0, 0]


@pytest.mark.parametrize("size", [PHONE, (768, 1024), (1366, 768)])
def test_the_window_never_scrolls_beside_the_page_in_it(visit, size):
    one = visit("?n=32", size=size)
    for page in PAGES:
        one.turn_to(f"?page={page}&n=32")
        one.rest()
        assert one.page.evaluate(OVERFLOW_DOWN) == 0, page


@pytest.mark.parametrize(
    ("query", "size", "page"),
    [
        ("?d=64&n=5", PHONE, "attention"),
        ("?p=model_sizes", PHONE, "attention"),
        ("?page=norms&n=32&d=64", (1366, 768), "norms"),
    ],
)
def test_a_wide_figure_scrolls_by_itself_never_the_page(visit, query, size, page):
    one = visit(query, size=size)
    assert one.page.evaluate(OVERFLOW) == [0, 0]
    row = one.page.locator(f"#{page}-view .figure-row").first
    assert row.evaluate("row => row.scrollWidth > row.clientWidth")


def test_arrow_keys_reach_every_column_of_a_wide_figure(visit):
    one = visit("?d=64&n=5", size=PHONE)
    one.click_cell("x", 2, 2)
    one.matrix("x").focus()
    for _ in range(62):
        one.page.keyboard.press("ArrowRight")
    selected = one.page.locator("#attention-view .lit-selected").bounding_box()
    assert one.matrix("x").evaluate("element => element.attnviz.selected") == [1, 63]
    assert 0 <= selected["x"] <= PHONE[0] - selected["width"]


# What a reader can open on the Attention page, one after the other.
CHECKS = "#attention-view .checks > summary"
OPENED = (
    (CHECKS, "#attention-view .check:nth-of-type(4) > summary"),
    ("#attention-view .export > summary",),
    ("#attention-view .tables > summary",),
    ("#attention-view .fold:not(.tables) > summary",),
    ("#attention-view [data-unfold-inspector]",),
    ("#attention-freeze",),
    ("#attention-view [data-cover]",),
    (".navbar-toggler",),
    (".collapse-toggle",),
)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_phone_never_scrolls_sideways_whatever_is_open(visit, language):
    one = visit("?m=causal&cell=output.1.1", size=PHONE, language=language)
    found = {}
    for path in OPENED:
        for selector in path:
            one.page.locator(selector).first.click()
            one.catch_up()
            found[selector] = one.page.evaluate(OVERFLOW)
        one.page.keyboard.press("Escape")
    assert found == {selector: [0, 0] for path in OPENED for selector in path}


def test_on_a_phone_a_stage_is_brought_into_sight(visit):
    one = visit(size=PHONE)
    one.page.locator("#attention-view .stepper [data-step-on]").click()
    for _ in range(4):
        one.page.keyboard.press("ArrowRight")
    box = one.matrix("weights").bounding_box()
    inspector = one.page.locator("#attention-view .inspector").bounding_box()
    assert box["y"] > 0
    assert box["y"] + box["height"] <= inspector["y"]


def test_on_a_phone_a_problem_is_said_in_sight(visit):
    one = visit("?page=norms", size=(360, 700))
    one.type("norms-controls-gamma", "one")
    sentence = one.page.locator("#norms-controls-problem")
    sentence.wait_for()
    one.page.wait_for_timeout(100)
    box = sentence.bounding_box()
    inspector = one.page.locator("#norms-view .inspector").bounding_box()
    assert box["y"] > 0
    assert box["y"] + box["height"] <= inspector["y"]


# What of a matrix stands in its frame, and not below the names of the rows.
SHOWN = """
(element) => {
  const box = element.getBoundingClientRect();
  const frame = element.closest(".figure-row").getBoundingClientRect();
  const rail = element.closest("figure").querySelector(".row-rail");
  const left = rail.getBoundingClientRect().right;
  const width = Math.min(box.right, frame.right) - Math.max(box.left, left);
  return Math.max(0, width) / box.width;
}
"""


def test_on_a_phone_the_chain_scrolls_in_its_frame_and_begins_at_the_scores(visit):
    one = visit("?t=the+cat+sat+down+here", size=(360, 740))
    assert one.matrix("scores").evaluate(SHOWN) == 1
    assert one.matrix("q").evaluate(SHOWN) == 0
    assert written(one, "chain")["cell"] >= 20
    rail = one.page.locator("#attention-view [data-graph='chain'] .row-rail")
    names = ["the", "cat", "sat", "down", "here"]
    assert rail.locator("span").all_inner_texts() == names
    row = one.page.locator("#attention-view .is-heart")
    row.evaluate("row => row.scrollTo({ left: row.scrollWidth, behavior: 'instant' })")
    assert one.matrix("context").evaluate(SHOWN) == 1
    # Each name is still there, beside its row.
    assert rail.bounding_box()["x"] >= 0
    context = one.matrix("context").bounding_box()
    tops = [name.bounding_box()["y"] for name in rail.locator("span").all()]
    assert tops[0] == pytest.approx(context["y"], abs=1)
    assert tops[-1] == pytest.approx(context["y"] + context["height"] * 4 / 5, abs=1)
    assert one.page.evaluate(OVERFLOW) == [0, 0]


def test_on_a_phone_the_controls_are_behind_a_named_button(visit):
    one = visit(size=PHONE)
    control = one.page.locator("#example-preset")
    assert not control.is_visible()
    one.page.locator(".collapse-toggle").click()
    control.wait_for(state="visible")


@pytest.mark.parametrize("size", [PHONE, LAPTOP, SCREEN])
def test_every_weight_is_written_where_the_screen_allows(visit, size):
    one = visit("?m=causal", size=size)
    weights = [weight for row in one.numbers()["weights"] for weight in row]
    expected = [
        "0" if weight == 0 else f"{weight:.2f}"
        for weight in weights
        if weight is not None
    ]
    drawn = written(one, "chain")["cells"]["weights"]
    assert [text for text, _ in drawn] == expected


def test_on_a_phone_a_comparison_breaks_before_its_digits_go(visit):
    one = visit("?n=4", size=(360, 740), reduced_motion="reduce")
    one.press("attention-freeze")
    one.rest()
    for name in ("scores", "weights", "context", "output"):
        number = abs(one.numbers()[f"a_{name}"][0][0])
        plain = numbers_in(written(one, f"compare_{name}")["texts"])
        assert plain & {f"{number:.1f}", f"{number:.2f}"}
    before, after = (one.matrix(f"{side}_output").bounding_box() for side in "ab")
    assert before["y"] + before["height"] < after["y"]
    assert one.page.evaluate(OVERFLOW) == [0, 0]


def test_a_line_of_matrices_that_broke_keeps_its_rows_named(visit):
    one = visit("?p=cat_videos", size=(360, 740), reduced_motion="reduce")
    one.press("attention-freeze")
    one.rest()
    before, after = (one.matrix(f"{side}_weights").bounding_box() for side in "ab")
    assert before["y"] + before["height"] < after["y"]
    texts = written(one, "compare_weights")["texts"]
    assert "0.33" in texts
    # Each of the three lines names every query beside it.
    assert texts.count("People") == 3


def test_a_tap_selects_a_cell(visit):
    one = visit(size=PHONE, has_touch=True)
    matrix = one.matrix("q")
    matrix.scroll_into_view_if_needed()
    matrix.tap(position={"x": 30, "y": 30})
    one.catch_up()
    assert matrix.evaluate("element => element.attnviz.selected") == [1, 1]
    assert "q2,2" in one.page.locator("#attention-view .inspector-value").inner_text()
