"""A tab that is taken back is as good as a new one, and warm."""

from tests.e2e.tabs import Tabs
from tests.e2e.visit import Visit

# What a visit could find of those before it.
FOUND = """
async () => ({
  entries: history.length,
  stored: [localStorage.length, sessionStorage.length],
  clipboard: (await navigator.permissions.query({ name: "clipboard-read" })).state,
  hovered: document.querySelectorAll(":hover").length,
  focused: document.activeElement.tagName,
  lit: document.querySelectorAll(".lit-selected").length,
  theme: document.documentElement.dataset.bsTheme,
  window: [innerWidth, innerHeight, matchMedia("(prefers-reduced-motion)").matches],
})
"""
LOADED = """
() => performance.getEntriesByType("resource")
  .filter(({ name }) => /\\.(js|css)$/.test(name))
  .reduce((sum, { transferSize }) => sum + transferSize, 0)
"""


def test_nothing_of_a_visit_is_left_for_the_next(browser, server):
    tabs = Tabs(browser)
    tab = tabs.lend()
    first = Visit(tab, server).open()
    found, loaded = first.page.evaluate(FOUND), first.page.evaluate(LOADED)
    first.context.grant_permissions(["clipboard-read"])
    first.page.locator("[data-action='theme']").click()
    first.press("attention-freeze")
    first.pause()
    first.slide("example-temperature", 2)
    first.click_cell("x", 1, 1)
    first.context.new_page()
    first.page.route("**/*", lambda route: route.abort())
    assert first.close() == []
    tabs.take_back(tab)

    assert tabs.lend() is tab
    second = Visit(tab, server).open()
    assert second.page.evaluate(FOUND) == found
    assert second.context.pages == [second.page]
    assert second.page.evaluate(LOADED) < loaded / 10
    assert second.close() == []
    tab.context.close()


def test_a_tab_is_lent_to_one_visit_at_a_time_and_in_its_own_language(browser):
    tabs = Tabs(browser)
    one, other, chinese = tabs.lend(), tabs.lend(), tabs.lend(language="zh")
    assert one is not other
    for tab in (one, other, chinese):
        tabs.take_back(tab)
    assert tabs.lend(language="zh") is chinese
    assert tabs.lend(has_touch=True) not in (one, other, chinese)
    assert {tabs.lend(language="en"), tabs.lend()} == {one, other}
    for context in {tab.context for tab in (one, other, chinese)}:
        context.close()


# What another address takes back, and what only a new page is without.
PASSING = (
    lambda one: one.turn_to("?sc=bilinear&n=7"),
    lambda one: one.click_cell("scores", 2, 3),
    lambda one: one.slide("example-temperature", 2),
)
LASTING = {
    "a menu": lambda one: one.page.locator(".checks > summary").first.click(),
    "the theme": lambda one: one.page.locator("[data-action='theme']").click(),
    "a comparison": lambda one: one.press("attention-freeze"),
    "a painter": lambda one: one.page.evaluate("attnviz.drawCells = () => {}"),
}


def test_a_page_knows_what_no_other_address_takes_back(visit):
    one = visit()
    fresh = one.left()
    for act in PASSING:
        act(one)
    assert one.left() == fresh
    for name, act in LASTING.items():
        before = one.left()
        act(one)
        one.catch_up()
        assert one.left() != before, name
