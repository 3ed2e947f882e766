"""What a reader does with the app, step by step, and what must come of it."""

from urllib.parse import quote

READY = "document.documentElement.dataset.attnvizReady"
# The server has answered, and all of it is drawn.
STILL = "window.attnviz?.isQuiet() && attnviz.isAtRest()"
VIEW = "#attention-view"
NUMBERS = """
Object.fromEntries([...document.querySelectorAll("{view} [data-figure]")].map(
  (one) => [one.dataset.figure, one.attnviz.z]))
"""
PLACE = """
(() => {{
  const one = document.querySelector("{view} [data-figure='{name}']");
  one.scrollIntoView({{ block: "center" }});
  const {{ page, geometry }} = attnviz.viewOf(one.closest("[data-graph]"));
  const panel = attnviz.panelNamed(page, "{name}");
  const cell = panel.isTurned ? [{column}, {row}] : [{row}, {column}];
  const [i, j] = cell.map((at, axis) => panel.places[axis]?.indexOf(at) ?? at);
  const {{ left, top }} = one.getBoundingClientRect();
  return [left + (j + 0.5) * geometry.cell, top + (i + 0.5) * geometry.cell];
}})()
"""
MIDDLE = """
(() => {{
  const {{ left, top, width, height }} =
    document.querySelector(`{selector}`).getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}})()
"""
SIGNS = """
[...document.fonts].some(
  ({ family, status }) => family.includes("attnviz-signs") && status === "loaded")
"""
OWN = "A\n0.25 0.75\n1 0\n"
LANGUAGES = {"zh": "看见注意力中的每一个数", "en": "see every number in attention"}


def walk(browser, url):
    """Walk through the app; give the steps, each of which has gone well.

    Parameters
    ----------
    browser : Driven
        A tab.
    url : str
        Where the app answers, with a slash at its end.
    """
    for language, title in LANGUAGES.items():
        _open(browser, f"{url}?lang={language}")
        assert title in browser.ask("document.title")
        assert browser.ask(SIGNS), "no font of our own for middle dot and root"
        yield f"open {language}"
    _move(browser)
    yield "move a slider"
    _select(browser, "scores", 1, 0)
    browser.until(f"document.querySelector('{VIEW} .inspector-value')?.offsetHeight")
    assert "cell=scores.2.1" in browser.ask("location.search")
    yield "click a cell"
    _edit(browser)
    yield "edit"
    browser.back()
    browser.until("!location.search.includes('e=')")
    _settle(browser)
    yield "back"
    _step(browser)
    yield "step"
    _share(browser, url)
    yield "share"
    _bring(browser)
    yield "own data"
    _open(browser, f"{url}?lang=en&hide=mask&task={quote('Which row?')}")
    assert browser.ask("document.querySelector('.task').textContent.includes('Which')")
    assert browser.ask("document.querySelector('[data-part=mask]').offsetHeight === 0")
    yield "hide and task"


def _open(browser, address):
    browser.go(address)
    browser.until(f"{READY} && {STILL}")


def _settle(browser):
    browser.until(STILL)


def _numbers(browser):
    return browser.ask(NUMBERS.format(view=VIEW))


def _select(browser, name, row, column):
    place = PLACE.format(view=VIEW, name=name, row=row, column=column)
    browser.click(*browser.ask(place))
    browser.until(f"location.search.includes('cell={name}.{row + 1}.{column + 1}')")
    _settle(browser)


def _click(browser, selector):
    browser.evaluate(f"document.querySelector(`{selector}`).scrollIntoView()")
    browser.click(*browser.ask(MIDDLE.format(selector=selector)))


def _move(browser):
    before = _numbers(browser)
    browser.evaluate("document.getElementById('example-length').focus()")
    browser.press("ArrowRight")
    browser.until("location.search.includes('n=6')")
    _settle(browser)
    after = _numbers(browser)
    assert len(after["x"]) == 6
    assert after["x"][:5] == before["x"]


def _edit(browser):
    _select(browser, "x", 0, 1)
    _click(browser, f"{VIEW} .edit-bar input")
    browser.evaluate(f"document.querySelector('{VIEW} .edit-bar input').select()")
    browser.press(*"2.5", "Enter")
    browser.until("location.search.includes('e=x.1.2:2.5')")
    _settle(browser)
    assert _numbers(browser)["x"][0][1] == 2.5


def _step(browser):
    _select(browser, "scores", 0, 0)
    browser.press("Escape")
    browser.evaluate("document.activeElement.blur()")
    browser.press("ArrowRight")
    browser.until("location.search.includes('stage=')")
    _settle(browser)


def _share(browser, url):
    _click(browser, "[data-action=share]")
    browser.until("document.querySelector('dialog.share')?.open")
    link = browser.ask("document.querySelector('[data-share=link]').value")
    assert browser.ask("document.querySelector('[data-share=qr] path').getBBox().width")
    assert link.startswith(url)
    before = _numbers(browser)
    _open(browser, link)
    assert _numbers(browser) == before


def _bring(browser):
    browser.evaluate(
        "document.querySelector('[data-part=own] summary').click();"
        "const field = document.getElementById('example-own_text');"
        f"field.value = {OWN!r};"
        "field.dispatchEvent(new Event('change', { bubbles: true }));"
    )
    browser.until("document.querySelector('.own-preview')")
    browser.evaluate("document.getElementById('example-own_use').click()")
    browser.until("location.search.includes('own=')")
    _settle(browser)
    assert _numbers(browser)["weights"] == [[0.25, 0.75], [1, 0]]
