"""Light and dark, small and large, still and moving: the picture stays right."""

import pytest

from tests.e2e.pixels import compare, covered, hold, let_go, picture

pytestmark = pytest.mark.exact

LAPTOP = (1366, 768)
PAGES = ("attention", "norms")
FIGURES = ("chain", "projections", "heads", "output")
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


# Both sides of the cells of each matrix, by figure.
SIDES = """
(page) => {
  const figures = document.querySelectorAll(`#${page}-view [data-graph]`);
  const sides = (figure) => attnviz.viewOf(figure).panels.flatMap((panel) => {
    const { width, height } = attnviz.viewOf(figure).elements.get(panel.name).style;
    return [parseFloat(height) / panel.rows, parseFloat(width) / panel.columns];
  });
  return Object.fromEntries([...figures]
    .filter((figure) => figure.offsetParent)
    .map((figure) => [figure.dataset.graph, sides(figure)]));
}
"""
FIGURE_NAMES = {"attention": {*FIGURES}, "norms": {"norm", "norm_output"}}


@pytest.mark.parametrize("theme", THEMES)
def test_the_moving_and_the_exact_picture_agree(visit, theme):
    one = visit("?m=causal", theme=theme)

    def pictures():
        return {name: (picture(one, name), covered(one, name)) for name in FIGURES}

    others = pictures()
    hold(one)
    one.slide("example-seed", 3)
    moving = pictures()
    let_go(one)
    for figure, (exact, covered_at_rest) in pictures().items():
        picture_in_motion, covered_in_motion = moving[figure]
        assert covered_in_motion > 0.1 + covered_at_rest, figure
        difference = compare(one, picture_in_motion, exact)
        assert difference.mean < MEAN_TOLERANCE, figure
        assert difference.share_of_far == 0, figure
        # Pictures of other numbers do not agree.
        difference = compare(one, others[figure][0], exact)
        assert difference.mean > 4 * MEAN_TOLERANCE, figure
        assert difference.share_of_far > 0.01, figure


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
    newest = one.numbers()
    one.open("?seed=40")
    assert one.numbers() == newest


def test_the_theme_is_the_systems_until_it_is_switched_and_then_remembered(visit):
    one = visit(theme="dark")
    assert one.page.evaluate(BACKGROUND) == THEMES["dark"]
    one.page.emulate_media(color_scheme="light")
    one.open()
    assert one.page.evaluate(BACKGROUND) == THEMES["light"]
    before, light = one.numbers(), picture(one, "chain")
    one.page.locator("[data-action='theme']").click()
    one.page.wait_for_function("watched.isExact")
    one.rest()
    assert one.page.evaluate(BACKGROUND) == THEMES["dark"]
    assert one.numbers() == before
    assert compare(one, light, picture(one, "chain")).mean > 40
    one.open()
    assert one.page.evaluate(BACKGROUND) == THEMES["dark"]


@pytest.mark.parametrize("page", PAGES)
def test_on_a_laptop_titles_never_touch_and_nothing_scrolls_sideways(visit, page):
    one = visit(f"?page={page}", size=LAPTOP)
    for query in ("", "&n=32", "&n=32&d=64&dk=64&dv=64&h=8"):
        one.open(f"?page={page}{query}")
        assert one.page.evaluate(TOUCHING, page) == [], query
        assert one.page.evaluate(WIDTH) <= LAPTOP[0], query


@pytest.mark.parametrize("size", [(1920, 1080), (768, 1024), (360, 740)])
def test_titles_of_narrow_matrices_never_touch_the_next(visit, size):
    one = visit("?p=cat_videos", size=size)
    for query in ("?p=cat_videos", "?h=8", "?d=3&dk=1&dv=2&h=2"):
        one.turn_to(query)
        one.rest()
        assert one.page.evaluate(TOUCHING, "attention") == [], query


def test_a_table_in_prose_keeps_its_distance_from_what_follows(visit):
    one = visit()
    for fold in one.page.locator("#attention-view .fold:not(.tables) > summary").all():
        fold.click()
    one.page.wait_for_function(
        "document.querySelectorAll('#attention-view .fold .prose').length === 3"
    )
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
    for part in ("figure", ".tables", ".inspector"):
        assert not view.locator(part).first.is_visible()
    one.press("example-own_leave")
    one.page.locator("#norms-view [data-figure='norm_output']").wait_for()
    for part in ("figure", ".tables", ".inspector"):
        assert view.locator(part).first.is_visible()


def test_the_title_of_the_joined_heads_stands_on_one_line(visit):
    title = visit().matrix("joined").locator(".matrix-title")
    assert title.inner_text() == "[C]5×8"
    assert title.locator("sup").count() == 0


@pytest.mark.parametrize("page", PAGES)
def test_the_cells_of_a_figure_are_square_and_of_one_size(visit, page):
    one = visit(f"?page={page}&n=7")
    sizes = one.page.evaluate(SIDES, page)
    assert sizes.keys() >= FIGURE_NAMES[page]
    assert [name for name, sides in sizes.items() if len({*sides}) != 1] == []
