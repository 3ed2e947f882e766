"""A projector and a phone: the last row reads along, and one hand is enough."""

import pytest

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
# Digits are 38 hundredths of a cell high: see www/cells.js.
DIGITS = 0.38


def project(one):
    one.page.locator("[data-action='projector']").click()
    one.page.wait_for_function("watched.isExact")
    return one


@pytest.mark.parametrize("page", PAGES)
def test_the_projector_draws_digits_of_22_pixels(visit, page):
    one = visit(f"?page={page}")
    assert max(cell for cell, _ in one.page.evaluate(CELL, page)) * DIGITS < 22
    cells = project(one).page.evaluate(CELL, page)
    assert max(cell for cell, _ in cells) * DIGITS >= 22
    assert {least for _, least in cells} == {22}


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
    assert title.evaluate(FONT) > 1.4 * before
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


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768)])
def test_a_projected_walk_keeps_formula_and_counter_in_sight(visit, size):
    one = visit("?projector=1", size=size)
    shown = [
        one.page.locator(f"#attention-view {part}")
        for part in (FORMULA, ".stepper-place", "[data-step-on]")
    ]
    for _ in range(7):
        one.page.keyboard.press("PageDown")
        assert [part.evaluate(IS_SEEN) for part in shown] == [True, True, True]
        assert max(cell for cell, _ in one.page.evaluate(CELL, "attention")) >= 58


def test_a_projected_stage_fits_between_formula_and_inspector(visit):
    one = visit("?projector=1")
    inspector = one.page.locator("#attention-view .inspector").bounding_box()
    for _ in range(7):
        one.page.keyboard.press("PageDown")
        one.page.wait_for_function("!document.getAnimations().length")
        bar = one.page.locator("#attention-view .page-formula").bounding_box()
        figure = one.page.locator("#attention-view .is-current").bounding_box()
        assert figure["y"] >= bar["y"] + bar["height"]
        assert figure["y"] + figure["height"] <= inspector["y"] + 1


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
OPENED = (
    "#attention-view .check:nth-of-type(4) > summary",
    "#attention-view .export > summary",
    "#attention-view .tables > summary",
    "#attention-view .fold:not(.tables) > summary",
    "#attention-freeze",
    "#attention-view [data-cover]",
    ".navbar-toggler",
    ".collapse-toggle",
)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_phone_never_scrolls_sideways_whatever_is_open(visit, language):
    one = visit("?m=causal&cell=output.1.1", size=PHONE, language=language)
    found = {}
    for selector in OPENED:
        one.page.locator(selector).first.click()
        one.catch_up()
        found[selector] = one.page.evaluate(OVERFLOW)
        one.page.keyboard.press("Escape")
    assert found == {selector: [0, 0] for selector in OPENED}


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


def test_on_a_phone_a_figure_fits_and_the_controls_are_behind_a_named_button(visit):
    one = visit(size=PHONE)
    box = one.page.locator("#attention-view [data-graph='query']").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE[0]
    cells = one.page.evaluate(CELL, "attention")
    assert cells[0][0] >= 20
    control = one.page.locator("#example-preset")
    assert not control.is_visible()
    one.page.locator(".collapse-toggle").click()
    control.wait_for(state="visible")


# What the canvas of a figure is given to write, when it is drawn again.
WRITTEN = """
(graph) => {
  const view = attnviz.viewOf(document.querySelector(`[data-graph="${graph}"]`));
  const written = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = (text) => written.push(text);
  attnviz.drawCells(view);
  CanvasRenderingContext2D.prototype.fillText = fillText;
  return [view.geometry.cell, written];
}
"""


@pytest.mark.parametrize(
    ("query", "size"),
    [("?m=causal", PHONE), ("?h=8&n=3", (1920, 1080))],
)
def test_small_cells_keep_their_digits_while_they_fit(visit, query, size):
    one = visit(query, size=size)
    cell, written = one.page.evaluate(WRITTEN, "softmax")
    assert cell < 24
    weights = [weight for row in one.numbers()["weights"] for weight in row if weight]
    assert {f"{weight:.2f}" for weight in weights} <= set(written)


@pytest.mark.parametrize(
    ("query", "size", "figure", "name"),
    [
        ("?n=9", (1366, 768), "query", "q"),
        ("?n=8&d=16", (1366, 768), "query", "q"),
        ("?n=9&d=16&stage=1", (1366, 768), "query", "q"),
        ("?p=its_law", (1920, 1080), "softmax", "weights"),
    ],
)
def test_a_page_scrolls_before_its_digits_go(visit, query, size, figure, name):
    one = visit(query, size=size)
    _, written = one.page.evaluate(WRITTEN, figure)
    assert f"{abs(one.numbers()[name][0][0]):.2f}" in {
        text.removeprefix("\u2212") for text in written
    }


def test_many_tokens_stay_an_overview(visit):
    cells = visit("?n=32").page.evaluate(CELL, "attention")
    assert max(cell for cell, _ in cells) == 12


def test_on_a_phone_a_comparison_breaks_before_its_digits_go(visit):
    one = visit("?n=4", size=(360, 740), reduced_motion="reduce")
    one.press("attention-freeze")
    one.rest()
    for name in ("scores", "weights", "context", "output"):
        _, written = one.page.evaluate(WRITTEN, f"compare_{name}")
        number = abs(one.numbers()[f"a_{name}"][0][0])
        plain = {text.removeprefix("\u2212") for text in written}
        assert plain & {f"{number:.1f}", f"{number:.2f}"}
    before, after = (one.matrix(f"{side}_output").bounding_box() for side in "ab")
    assert before["y"] + before["height"] < after["y"]
    assert one.page.evaluate(OVERFLOW) == [0, 0]


def test_a_line_of_matrices_that_broke_keeps_its_rows_named(visit):
    one = visit("?p=cat_videos", size=(360, 740))
    mask, weights = (one.matrix(name).bounding_box() for name in ("mask", "weights"))
    assert mask["y"] + mask["height"] < weights["y"]
    _, written = one.page.evaluate(WRITTEN, "softmax")
    assert "0.33" in written
    # Both matrices name each query beside them and each key above them.
    assert written.count("People") == 4


def test_a_tap_selects_a_cell(visit):
    one = visit(size=PHONE, has_touch=True)
    matrix = one.matrix("q")
    matrix.scroll_into_view_if_needed()
    matrix.tap(position={"x": 30, "y": 30})
    one.catch_up()
    assert matrix.evaluate("element => element.attnviz.selected") == [1, 1]
    assert "q2,2" in one.page.locator("#attention-view .inspector-value").inner_text()
