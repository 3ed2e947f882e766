"""Light and dark, small and large, still and moving: the picture stays right."""

import pytest

from tests.e2e.pixels import compare, covered, hold, let_go, picture

pytestmark = pytest.mark.exact

LAPTOP = (1366, 768)
PAGES = ("attention", "norms")
THEMES = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 31)"}
# The moving and the exact picture may differ by rounding of colours and by how the
# edges of cells are smoothed, nowhere by more than 24 of 255 (see pixels.py).
MEAN_TOLERANCE = 0.5
WIDTH = "document.documentElement.scrollWidth"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


# Pairs of titles that touch each other.
TOUCHING = """
(page) => {
  const titles = [...document.querySelectorAll(`#${page}-view .matrix-title`)].map(
    (title) => [title.textContent, title.getBoundingClientRect()]
  );
  return titles.flatMap(([name, a], k) =>
    titles
      .slice(k + 1)
      .filter(([, b]) => b.width && a.width)
      .filter(([, b]) => a.left < b.right && b.left < a.right)
      .filter(([, b]) => a.top < b.bottom && b.top < a.bottom)
      .map(([other]) => [name, other])
  );
}
"""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("figure", ["query", "scores", "softmax", "heads", "output"])
def test_the_moving_and_the_exact_picture_agree(visit, theme, figure):
    one = visit("?m=causal", theme=theme)
    hold(one)
    one.slide("example-seed", 3)
    moving, covered_while_moving = picture(one, figure), covered(one, figure)
    let_go(one)
    exact, covered_at_rest = picture(one, figure), covered(one, figure)
    assert covered_while_moving > 0.1 + covered_at_rest
    difference = compare(one, moving, exact)
    assert difference.mean < MEAN_TOLERANCE
    assert difference.share_of_far == 0


def test_pictures_of_other_numbers_do_not_agree(visit):
    one = visit("?m=causal")
    before = picture(one, "softmax")
    one.slide("example-seed", 3)
    one.rest()
    difference = compare(one, before, picture(one, "softmax"))
    assert difference.mean > 4 * MEAN_TOLERANCE
    assert difference.share_of_far > 0.01


def test_while_a_slider_is_dragged_the_newest_value_wins(visit):
    one = visit()
    slider = one.page.locator("#example-seed")
    drag = """
    (input) => {
      for (let value = 1; value <= 40; value++) {
        input.value = value;
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }
    """
    one.change("example-seed", lambda: slider.evaluate(drag))
    one.page.wait_for_url("**seed=40**")
    one.catch_up()
    assert one.numbers() == visit("?seed=40").numbers()


@pytest.mark.parametrize("theme", THEMES)
def test_the_page_takes_the_theme_of_the_system(visit, theme):
    assert visit(theme=theme).page.evaluate(BACKGROUND) == THEMES[theme]


def test_the_theme_can_be_switched_and_is_remembered(visit):
    one = visit()
    before = one.numbers()
    one.page.locator("[data-action='theme']").click()
    one.rest()
    assert one.page.evaluate(BACKGROUND) == THEMES["dark"]
    assert one.numbers() == before
    one.open()
    assert one.page.evaluate(BACKGROUND) == THEMES["dark"]


def test_figures_follow_the_theme(visit):
    one = visit()
    light = picture(one, "softmax")
    one.page.locator("[data-action='theme']").click()
    one.page.wait_for_function("watched.isExact")
    one.rest()
    assert compare(one, light, picture(one, "softmax")).mean > 40


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("query", ["", "&n=32", "&n=32&d=64&dk=64&dv=64&h=8"])
def test_titles_of_matrices_never_touch(visit, page, query):
    one = visit(f"?page={page}{query}", size=LAPTOP)
    assert one.page.evaluate(TOUCHING, page) == []


@pytest.mark.parametrize("size", [(1920, 1080), (768, 1024), (360, 740)])
@pytest.mark.parametrize("query", ["?p=cat_videos", "?h=8", "?d=3&dk=1&dv=1&h=2"])
def test_titles_of_narrow_matrices_never_touch_the_next(visit, query, size):
    one = visit(query, size=size)
    assert one.page.evaluate(TOUCHING, "attention") == []


def test_a_title_has_its_shape_and_its_bracket_on_the_line(visit):
    title = visit().matrix("joined").locator(".matrix-title")
    assert title.inner_text() == "[C1…H]5×8"
    assert title.locator("sup").count() == 0


def test_a_table_in_prose_keeps_its_distance_from_what_follows(visit):
    one = visit()
    for fold in one.page.locator("#attention-view .fold:not(.tables) > summary").all():
        fold.click()
    gaps = one.page.evaluate(
        """
        () => [...document.querySelectorAll("#attention-view .prose table")]
          .filter((table) => table.nextElementSibling)
          .map((table) => [table, table.nextElementSibling])
          .map((pair) => pair.map((element) => element.getBoundingClientRect()))
          .map(([table, next]) => next.top - table.bottom)
        """
    )
    assert len(gaps) > 1
    assert min(gaps) >= 8


def test_no_line_runs_through_the_arrow_that_folds_the_sidebar(visit):
    one = visit("?hide=preset", size=LAPTOP)
    arrow = one.page.locator(".collapse-toggle").bounding_box()
    lines = one.page.evaluate(
        """
        () => [...document.querySelectorAll(".controls *")]
          .filter((element) => element.checkVisibility())
          .map((one) => [one.getBoundingClientRect(), getComputedStyle(one)])
          .filter(([{ width }]) => width > 100)
          .flatMap(([box, style]) => [
            parseFloat(style.borderTopWidth) ? [box.top] : [],
            parseFloat(style.borderBottomWidth) ? [box.bottom] : [],
          ].flat())
        """
    )
    assert all(not arrow["y"] < at < arrow["y"] + arrow["height"] for at in lines)


def test_a_page_without_numbers_says_why_and_nothing_else(visit):
    one = visit()
    one.page.locator(".own-data > summary").click()
    one.type("example-own_text", "0.5 0.5\n0.5 0.5")
    one.press("example-own_use")
    one.page.locator("a[data-value='norms']").click()
    view = one.page.locator("#norms-view")
    one.page.locator("#norms-controls-problem:not(:empty)").wait_for()
    said = view.inner_text()
    assert "There is no X here" in said
    assert "Does the batch take part?" not in said
    for part in (".checks", "figure", ".page-tools", ".tables", ".inspector"):
        assert not view.locator(part).first.is_visible()
    one.press("example-own_leave")
    one.page.locator("#norms-view [data-figure='norm_output']").wait_for()
    for part in (".checks", "figure", ".page-tools", ".tables", ".inspector"):
        assert view.locator(part).first.is_visible()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("query", ["", "&n=32&d=64&dk=64&dv=64&h=8"])
def test_a_laptop_never_scrolls_sideways(visit, page, query):
    one = visit(f"?page={page}{query}", size=LAPTOP)
    assert one.page.evaluate(WIDTH) <= LAPTOP[0]


def test_every_stage_is_in_sight_on_a_projector(visit):
    one = visit()
    for name in ("q", "scores", "weights", "context", "output"):
        box = one.matrix(name).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 1080
        assert box["x"] + box["width"] <= 1920


@pytest.mark.parametrize("page", PAGES)
def test_cells_are_square_and_of_one_size(visit, page):
    one = visit(f"?page={page}&n=7")
    sizes = one.page.evaluate(
        """
        (page) => [...document.querySelectorAll(`#${page}-view [data-figure]`)]
          .filter((element) => !element.dataset.figure.startsWith("weights_"))
          .map((element) => {
            const [rows, columns] = element.dataset.shape.split("×").map(Number);
            const { width, height } = element.style;
            return [parseFloat(height) / rows, parseFloat(width) / columns];
          })
        """,
        page,
    )
    assert len({side for size in sizes for side in size}) == 1
