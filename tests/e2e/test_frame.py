"""In a frame of another page the app fits, and leaves the history to that page."""

from urllib.parse import parse_qs, urlsplit

import pytest

from attnviz.components.session.share import AROUND, FRAME_HEIGHT

FRAME = "<iframe src='{}/?lang=en' style='width: 1200px; height: 700px'></iframe>"
SETTLED = """
() => document.documentElement.dataset.attnvizReady && Shiny.shinyapp?.config
  && attnviz.isAtRest()
"""
STANDS = "([search]) => location.search.includes(search) && attnviz.isAtRest()"
MOVE = """
(value) => {
  const slider = document.getElementById("example-length");
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.dispatchEvent(new Event("change", { bubbles: true }));
}
"""


def test_moves_are_undone_in_the_frame_and_one_step_back_leaves_the_page(
    browser, server
):
    context = browser.new_context()
    page = context.new_page()
    page.set_content(FRAME.format(server))
    frame = page.frames[1]
    frame.wait_for_function(SETTLED)
    before = page.evaluate("history.length")
    for value in (3, 7):
        frame.evaluate(MOVE, value)
        frame.wait_for_function(STANDS, arg=[f"n={value}"])
    frame.locator("[data-edit-action=undo]").first.dispatch_event("click")
    frame.wait_for_function(STANDS, arg=["n=3"])
    frame.locator("[data-edit-action=redo]").first.dispatch_event("click")
    frame.wait_for_function(STANDS, arg=["n=7"])
    assert page.evaluate("history.length") == before
    context.close()


# What the chain of a page shows, how large, and whether it can be seen whole.
CHAIN = """
() => {
  const { geometry, element, panels } = attnviz.viewOf(
    document.querySelector("[data-graph=chain]"));
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const names = panels.filter(({ rect }) => rect).map(({ name }) => name);
  return {
    names, cell: geometry.cell,
    isInView: left >= 0 && top >= 0 && right <= clientWidth && bottom <= clientHeight,
  };
}
"""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_code_to_embed_shows_the_chain_on_the_first_screen(
    visit, browser, language
):
    one = visit(f"?lang={language}")
    one.page.locator("[data-action=share]").click()
    dialog = one.page.get_by_role("dialog")
    code = dialog.locator("[data-share=snippet]").input_value()
    context = browser.new_context()
    page = context.new_page()
    page.set_content(f"<div style='width: 640px'>{code}</div>")
    frame = page.frames[1]
    frame.wait_for_function(SETTLED)
    element = page.locator("iframe")
    assert element.evaluate("one => one.offsetHeight") >= FRAME_HEIGHT
    assert parse_qs(urlsplit(frame.url).query)["hide"] == [",".join(AROUND)]
    chain = frame.evaluate(CHAIN)
    assert chain["isInView"]
    assert {"q", "k", "v", "scores", "weights", "context"} <= set(chain["names"])
    assert chain["cell"] >= 20  # what a decimal needs
    assert frame.locator(".warnings").is_visible()
    context.close()


# What the code to embed loads, and how high its frame is.
EMBEDDED = """
() => {
  const code = document.querySelector("[data-share=snippet]").value;
  const page = new DOMParser().parseFromString(code, "text/html");
  const frame = page.querySelector("iframe");
  return [frame.src, frame.height];
}
"""


def test_the_code_to_embed_follows_what_is_chosen(visit):
    one = visit("?n=3&task=a%22%3Cb%3E%26c&hide=mask")
    one.page.locator("[data-action=share]").click()
    dialog = one.page.get_by_role("dialog")
    dialog.get_by_text("Embed into a page").click()
    dialog.get_by_role("checkbox", name="Only the numbers").uncheck()
    dialog.get_by_role("spinbutton", name="Height").fill("600")
    src, height = one.page.evaluate(EMBEDDED)
    assert src == dialog.get_by_role("textbox", name="Link").input_value()
    assert height == "600"
    for unusable in ("", "7"):
        dialog.get_by_role("spinbutton", name="Height").fill(unusable)
        assert one.page.evaluate(EMBEDDED) == [src, str(FRAME_HEIGHT)]


@pytest.mark.parametrize("is_blocked", [False, True])
def test_a_reload_is_promised_only_where_the_browser_keeps_things(
    browser, server, is_blocked
):
    context = browser.new_context()
    page = context.new_page()
    if is_blocked:
        page.add_init_script(
            "Object.defineProperty(window, 'sessionStorage', "
            "{ get() { throw new DOMException('', 'SecurityError'); } })"
        )
    page.goto(f"{server}/?lang=en")
    page.wait_for_function(SETTLED)
    page.locator("[data-part=own] summary").first.click()
    promise = page.get_by_text("a reload finds it again")
    warning = page.get_by_text("after a reload your data must be given again")
    (warning if is_blocked else promise).wait_for()
    assert promise.is_visible() is not is_blocked
    assert warning.is_visible() is is_blocked
    page.get_by_role("button", name="Freeze as the first").click()
    page.locator(".compare[data-state=on]").wait_for()
    lost = page.get_by_text("what is frozen is gone after a reload")
    assert lost.is_visible() is is_blocked
    context.close()
