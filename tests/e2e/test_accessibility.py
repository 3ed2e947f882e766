"""axe-core finds nothing serious on any page, in either theme or language."""

import pytest
from axe_playwright_python.sync_playwright import Axe

AXE = Axe()
PAGES = ("attention", "norms", "positions")
THEMES = ("light", "dark")
GRAVE = {"serious", "critical"}
# Without preloading: axe would ask for style sheets a second time.
OPTIONS = {"preload": False, "resultTypes": ["violations"]}


def grave(one):
    """Name the grave violations, and where they are."""
    found = AXE.run(one.page, options=OPTIONS).response["violations"]
    return {
        f"{rule['id']}: {node['target']} {node['html'][:120]}"
        for rule in found
        if rule["impact"] in GRAVE
        for node in rule["nodes"]
    }


def seen_in(one, theme):
    """Show a page in a theme of the system, and wait until no colour moves."""
    one.page.emulate_media(color_scheme=theme)
    one.page.wait_for_function(
        "theme => document.documentElement.dataset.bsTheme === theme", arg=theme
    )
    one.rest()
    one.page.wait_for_function("!document.getAnimations().length")


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("page", [*PAGES, "mistakes"])
def test_no_page_has_a_grave_fault(visit, page, language):
    one = visit(f"?page={page}", language=language)
    for theme in THEMES:
        seen_in(one, theme)
        assert (theme, grave(one)) == (theme, set())


@pytest.mark.parametrize("page", PAGES)
def test_nothing_that_opens_has_a_grave_fault(visit, page):
    one = visit(f"?page={page}")
    view = one.page.locator(f"#{page}-view")
    view.locator(".checks > summary").click()
    view.locator(".check > summary").first.click()
    assert grave(one) == set()
    one.page.keyboard.press("Escape")
    view.locator("[data-unfold-inspector]").click()
    assert grave(one) == set()
    view.locator(".stepper [data-step-on]").click()
    assert grave(one) == set()


def test_the_probe_sees_a_fault(visit):
    one = visit()
    one.page.evaluate("document.documentElement.removeAttribute('lang')")
    assert any(fault.startswith("html-has-lang") for fault in grave(one))


def test_every_matrix_says_its_shape_and_the_weights_their_largest(visit):
    one = visit("?p=identity")
    labels = one.page.evaluate(
        """() => [...document.querySelectorAll("#attention-view .matrix")]
        .map((one) => [one.getAttribute("role"), one.getAttribute("aria-label")])"""
    )
    assert {role for role, _ in labels} == {"img"}
    assert all("rows by" in label for _, label in labels)
    label = one.matrix("weights").get_attribute("aria-label")
    assert "Largest weight of query 2 (x₂): 0.670, at key 2 (x₂)." in label


# ---- what else can be on screen ----------------------------------------------------

# The menu comes last: it closes when another place is clicked.
OPENED = (".tables > summary", "[id$=freeze]", ".export > summary")


def test_tables_comparison_and_covered_results_have_no_grave_fault(visit):
    # Small matrices have all the parts that large ones have.
    one = visit("?p=identity&m=causal", reduced_motion="reduce")
    for selector in OPENED:
        one.page.locator(f"#attention-view {selector}").first.click()
        one.catch_up()
        one.rest()
    assert one.page.locator("#attention-view details[open]").count() == 2
    for theme in THEMES:
        seen_in(one, theme)
        assert (theme, grave(one)) == (theme, set())
    one.page.locator("#attention-view [data-cover]").click()
    for theme in THEMES:
        seen_in(one, theme)
        assert (theme, grave(one)) == (theme, set())


def test_the_share_dialog_and_a_wrong_number_have_no_grave_fault(visit):
    one = visit(reduced_motion="reduce")
    one.page.locator("[data-action='share']").click()
    assert grave(one) == set()
    one.page.keyboard.press("Escape")
    one.click_cell("x", 1, 1)
    one.page.locator("#attention-view .edit-bar input").fill("abc")
    one.page.keyboard.press("Enter")
    assert grave(one) == set()


def test_a_link_that_locks_and_drops_has_no_grave_fault(visit):
    one = visit("?sc=additive&pos=rotary&lock=mask&hide=random&task=Look&n=99")
    assert grave(one) == set()


# ---- text for figures --------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "largest"),
    [
        ("en", "Largest weight of query 3 ({2}): {0:.3f}, at key {1} ({3})."),
        ("zh", "查询 3 ({2})的最大权重：{0:.3f}，键 {1} ({3})。"),
    ],
)
def test_the_weights_tell_the_largest_of_the_selected_row(visit, language, largest):
    tokens = ["the", "cat", "sat", "down", "here"]
    one = visit(f"?t={'+'.join(tokens)}", language=language)
    one.click_cell("scores", 3, 5)
    row = one.numbers()["weights"][2]
    key = row.index(max(row))
    sentence = largest.format(row[key], key + 1, tokens[2], tokens[key])
    labels = one.page.locator("#attention-view .matrix[aria-label*='0.']")
    assert sentence in one.matrix("weights").get_attribute("aria-label")
    assert labels.count() >= 3  # A, its copy, and those of the heads
    one.matrix("scores").press("ArrowUp")
    other = one.numbers()["weights"][1]
    assert f"{max(other):.3f}" in one.matrix("weights").get_attribute("aria-label")


# ---- enlarged, right to left -------------------------------------------------------

# Boxes that overlap, among those that stand side by side.
OVERLAPS = """
(selector) => {
  const boxes = [...document.querySelectorAll(selector)]
    .filter((one) => one.checkVisibility())
    .map((one) => [one, one.getBoundingClientRect()]);
  return boxes.flatMap(([one, a], at) => boxes.slice(at + 1)
    .filter(([other, b]) => !one.contains(other) && a.left < b.right - 1
      && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
    .map(([other]) => [one.className, other.className]));
}
"""
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"


@pytest.mark.parametrize("page", PAGES)
def test_at_twice_the_size_nothing_overlaps_or_is_lost(visit, page):
    # A window of half the size at twice the pixels is a page at 200 %.
    one = visit(f"?page={page}", size=(960, 540), device_scale_factor=2)
    assert one.page.evaluate(OVERFLOW) <= 0
    parts = (".page-tools > *", "[data-graph]", ".page-title > *", ".controls > *")
    for part in parts:
        assert one.page.evaluate(OVERLAPS, part) == []
    view = one.page.locator(f"#{page}-view")
    inspector = view.locator(".inspector").bounding_box()
    assert inspector["height"] < 0.3 * 540
    view.locator(".stepper [data-step-on]").click()
    current = view.locator(".is-current").bounding_box()
    assert current["y"] < inspector["y"] - 60


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("שלום עולם the קט", ["שלום", "עולם", "the", "קט"]),
        ("قط جلس على", ["قط", "جلس", "على"]),
    ],
)
def test_words_from_right_to_left_keep_their_order(visit, text, tokens):
    one = visit(f"?t={text.replace(' ', '+')}")
    one.page.mouse.move(5, 5)
    labels = one.page.evaluate(
        """() => ["x", "scores", "mask"].map((name) => {
          const page = document.querySelector("#attention-view");
          return attnviz.panelNamed(page, name).names;
        })"""
    )
    assert labels[0][0] == labels[1][0] == labels[2][1] == tokens
    box = one.matrix("mask").bounding_box()
    area = {"x": box["x"], "y": box["y"] - 60, "width": box["width"], "height": 45}
    drawn = one.page.screenshot(clip=area)
    one.click_cell("scores", 1, 2)
    label = one.matrix("weights").get_attribute("aria-label")
    assert tokens[0] in label
    one.open(f"?n={len(tokens)}")
    one.page.mouse.move(5, 5)
    assert drawn != one.page.screenshot(clip=area)
