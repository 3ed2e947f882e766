"""With keys, a finger or an enlarged page: everything is reached and nothing lost."""

import pytest

from tests.e2e.derivation import read_derivation

FOCUSED = "document.activeElement.outerHTML.slice(0, 80)"
LOST = "document.activeElement === document.body"
# What a finger has to hit: a control, or the label that works it.
SMALL = """
(least) => {
  const isLarge = (one) => {
    const { width, height } = one.getBoundingClientRect();
    return width >= least && height >= least;
  };
  return [...document.querySelectorAll("button, summary, input, select")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .filter((one) => !one.closest(".skip-links"))
    .filter((one) => ![one, ...(one.labels ?? [])].some(isLarge))
    .map((one) => one.outerHTML.slice(0, 80));
}
"""


def test_the_first_two_stops_lead_past_the_navigation(visit):
    one = visit()
    one.page.keyboard.press("Tab")
    skip = one.page.get_by_role("button", name="To the picture")
    assert skip.is_visible()
    one.page.keyboard.press("Enter")
    assert one.page.evaluate("document.activeElement.matches('.matrix')")
    one.open("?m=causal")
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Enter")
    assert one.page.evaluate("document.activeElement.id") == "example-preset"


def test_the_way_to_the_controls_unfolds_them(visit):
    one = visit(size=(360, 740))
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Enter")
    one.page.locator("#example-preset").wait_for()
    assert one.page.evaluate("document.activeElement.id") == "example-preset"


def test_the_focus_stays_where_its_button_goes(visit):
    one = visit("?cell=scores.2.3&stage=1")
    view = one.page.locator("#attention-view")
    for button in ("[data-step-back]", "[data-cover]", "[data-step-all]"):
        view.locator(button).focus()
        one.page.keyboard.press("Enter")
        one.page.wait_for_timeout(50)
        assert not one.page.evaluate(LOST), button
        assert one.page.evaluate("document.activeElement.closest('.stepper') !== null")
    view.locator("[id$=freeze]").focus()
    one.page.keyboard.press("Enter")
    one.page.wait_for_function(
        "document.activeElement.closest('.compare-buttons') !== null"
    )


def test_who_follows_a_chain_by_the_keys_stays_in_it(visit):
    one = visit("?cell=scores.2.3")
    read_derivation(one, "S2,3")
    one.page.locator("#attention-view button.operand").first.focus()
    one.page.keyboard.press("Enter")
    read_derivation(one, "q2,1")
    one.page.wait_for_function("document.activeElement.matches('.operand, .crumb')")
    one.page.locator("#attention-view button.crumb").first.focus()
    one.page.keyboard.press("Enter")
    read_derivation(one, "S2,3")
    one.page.wait_for_function(
        "document.activeElement.closest('.inspector-head') !== null"
    )


def test_a_click_beside_everything_leaves_the_focus(visit):
    one = visit()
    one.page.locator("#attention-view [data-step-on]").focus()
    one.page.locator("#attention-view h1").click()
    one.catch_up()
    assert not one.page.evaluate("document.activeElement.matches('button')")


def test_the_whole_derivation_is_in_the_live_region(visit):
    one = visit("?m=causal&cell=mask.2.4")
    region = one.page.locator("#attention-view .inspector [aria-live='polite']")
    one.page.wait_for_function("document.querySelector('.inspector-note') !== null")
    assert "M2,4 = −∞" in region.inner_text().replace("\n", "")
    assert "(j > i: 4 > 2)" in region.inner_text()


def test_a_switch_is_named_with_its_symbol(visit):
    one = visit()
    switch = one.page.get_by_role("switch", name="divide by √d_k", exact=True)
    assert switch.get_attribute("id") == "example-is_scaled"


@pytest.mark.parametrize("query", ["?m=causal&pos=sinusoidal", "?page=norms"])
def test_a_finger_hits_everything_on_a_phone(visit, query):
    one = visit(query, size=(360, 740), has_touch=True)
    assert one.page.evaluate(SMALL, 24) == []
    one.page.locator(".collapse-toggle").first.click()
    one.page.locator("#example-preset").wait_for()
    assert one.page.evaluate(SMALL, 24) == []
    assert one.page.evaluate(SMALL, 34) != []


@pytest.mark.parametrize("size", [(683, 384), (341, 192)], ids=["200 %", "400 %"])
def test_an_enlarged_page_leaves_the_picture_its_room(visit, size):
    one = visit("?m=causal", size=size)
    weights = one.matrix("weights")
    weights.evaluate(
        "one => one.scrollIntoView({ block: 'start', behavior: 'instant' })"
    )
    box = weights.bounding_box()
    room = one.page.evaluate(
        """({ x, y, width }) => {
          const seen = (at) => document.elementFromPoint(x + width / 2, at);
          let last = Math.max(0, Math.ceil(y));
          while (last < innerHeight && seen(last)?.closest("figure")) last += 1;
          return last - Math.max(0, y);
        }""",
        box,
    )
    assert room >= min(box["height"] - 2, size[1] * 0.45)
    one.click_cell("weights", 1, 1)
    read_derivation(one, "A1,1")
