"""In a frame the app leaves the history to the page around it."""

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
