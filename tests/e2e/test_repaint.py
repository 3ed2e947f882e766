"""The picture follows the hand, and is drawn no more often than it changes."""

import json

import pytest
from playwright.sync_api import expect

from tests.e2e.tabs import Tab
from tests.e2e.visit import Visit

pytestmark = pytest.mark.exact

TAU = "example-temperature"
STATE = "() => [watched.isDrawn, document.documentElement.dataset.attnvizReady]"
# Moves a slider with every frame until five pictures have followed, or for too long.
DRAG = """
async (name) => {
  const input = document.getElementById(name);
  let [pictures, frames, underway, most] = [0, 0, 0, 0];
  const count = ({ detail }) => { if (!detail.exact) pictures += 1; };
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (text) {
    if (text.includes(name)) most = Math.max(most, ++underway);
    return send.call(this, text);
  };
  const answer = ({ target }) => {
    if (target.classList.contains("figures-page")) underway -= 1;
  };
  $(document).on("shiny:value", answer);
  document.addEventListener("attnviz:painted", count);
  while (pictures < 5 && frames < 2000) {
    frames += 1;
    input.value = 1 + (frames % 50) / 10;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
  document.removeEventListener("attnviz:painted", count);
  $(document).off("shiny:value", answer);
  WebSocket.prototype.send = send;
  return { isFollowed: pictures >= 5, most };
}
"""
# Three changes in one line: what leaves when one answer is followed by an empty one.
ANSWER_TWICE = """
() => {
  const sent = [];
  for (const name of "abc") attnviz.gated(name, () => sent.push(name));
  $(document).trigger("shiny:idle");
  for (const values of [{ picture: 1 }, {}])
    $(document).trigger({ type: "shiny:message", message: { values } });
  return new Promise((done) => setTimeout(() => done(sent), 300));
}
"""
# Notes which figures are drawn from now on.
NOTE = """
() => {
  watched.drawn = new Set();
  const { drawCells } = attnviz;
  attnviz.drawCells = (view) => {
    watched.drawn.add(view.element.dataset.graph);
    return drawCells(view);
  };
}
"""
PLACES = """
() => [...document.querySelectorAll("#attention-view .matrix")].map((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x, y, width, height];
})
"""
ELEMENTS = "document.querySelectorAll('*').length"
NOTED = "() => [...watched.drawn].sort()"
INJECT = """
() => {
  return new Promise((done) => {
    let violations = 0;
    document.addEventListener("securitypolicyviolation", () => {
      violations += 1;
      if (violations === 2) done(window.stolen ?? null);
    });
    const script = document.createElement("script");
    script.textContent = "window.stolen = 1";
    document.body.append(script);
    const broken = "<img src='data:,' onerror='stolen = 2'>";
    document.body.insertAdjacentHTML("beforeend", broken);
  });
}
"""


@pytest.fixture
def newcomer(browser, server):
    """Hold a browser that has loaded nothing yet."""
    newcomer = Visit(Tab(browser), server)
    yield newcomer
    newcomer.context.close()


def test_the_picture_follows_a_dragged_slider_one_change_at_a_time(visit):
    reader = visit()
    for name in (TAU, "example-length"):
        assert reader.page.evaluate(DRAG, name) == {"isFollowed": True, "most": 1}, name
        reader.catch_up()


def test_a_chosen_cell_has_few_elements_styled_anew(visit, browser):
    one = visit("?cell=weights.2.3")
    browser.start_tracing(page=one.page, categories=["devtools.timeline"])
    one.click_cell("scores", 3, 2)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    styled = [
        event["args"]["elementCount"]
        for event in events
        if "elementCount" in event.get("args", {})
    ]
    assert 0 < max(styled) < one.page.evaluate(ELEMENTS) / 4


def test_one_answer_lets_one_change_leave(visit):
    assert visit().page.evaluate(ANSWER_TWICE) == ["a", "b"]


def test_the_first_picture_does_not_wait_for_plotly(newcomer):
    held = []
    newcomer.page.route("**/plotly.min.js", lambda route: held.append(route))
    with newcomer.page.expect_request("**/plotly.min.js"):
        newcomer.page.goto(newcomer.url)
    assert newcomer.page.evaluate(STATE) == [True, None]
    assert newcomer.numbers()["weights"]
    held[0].continue_()
    newcomer.page.wait_for_function("document.documentElement.dataset.attnvizReady")


def test_the_first_picture_does_not_wait_for_the_server(newcomer):
    newcomer.page.route_web_socket("**/websocket/**", lambda socket: None)
    newcomer.page.goto(f"{newcomer.url}/?cell=weights.2.1")
    newcomer.page.wait_for_function("watched.isDrawn")
    assert newcomer.numbers()["weights"]
    assert newcomer.page.locator(".lit-selected").count() == 1
    # What the page explains at first is another cell than the one asked for.
    assert newcomer.page.locator("#attention-view .inspector-value").inner_text() == ""


def test_picture_and_tables_follow_where_plotly_never_comes(newcomer):
    newcomer.page.route("**/plotly.min.js", lambda route: route.abort())
    newcomer.page.goto(newcomer.url)
    newcomer.page.wait_for_function("watched.isDrawn")
    newcomer.page.locator("#attention-view .tables > summary").click()
    cell = newcomer.page.locator("#attention-table_weights tbody td").first
    shown, drawn = cell.inner_text(), newcomer.numbers()["weights"]
    newcomer.slide(TAU, 3)
    assert newcomer.numbers()["weights"] != drawn
    expect(cell).not_to_have_text(shown)


def test_plotly_is_asked_for_again_after_a_failure(newcomer):
    failures = iter([True])
    newcomer.page.route(
        "**/plotly.min.js",
        lambda route: route.abort() if next(failures, False) else route.continue_(),
    )
    newcomer.page.goto(newcomer.url)
    newcomer.page.wait_for_function("document.documentElement.dataset.attnvizReady")
    newcomer.slide(TAU, 3)
    newcomer.page.wait_for_function("window.Plotly")


def test_figures_that_did_not_change_keep_their_picture(visit):
    reader = visit()
    reader.page.evaluate(NOTE)
    reader.slide(TAU, 3)
    drawn = reader.page.evaluate(NOTED)
    assert "chain" in drawn
    assert "projections" not in drawn


def test_figures_stand_where_a_fresh_layout_puts_them(visit):
    reader = visit("?m=causal", size=(1280, 720))
    for name in (TAU, "example-length"):
        for value in (2, 3, 4):
            reader.slide(name, value)
        reader.rest()
        places = reader.page.evaluate(PLACES)
        reader.page.evaluate("attnviz.redrawAll()")
        assert reader.page.evaluate(PLACES) == places, name


def test_a_window_that_changed_while_another_page_was_shown_is_filled(visit):
    reader = visit()
    reader.go_to("norms")
    reader.page.set_viewport_size({"width": 900, "height": 700})
    reader.page.locator("a[data-value='attention']").click()
    reader.rest()
    places = reader.page.evaluate(PLACES)
    reader.page.evaluate("attnviz.redrawAll()")
    assert reader.page.evaluate(PLACES) == places
    assert max(x + width for x, _, width, _ in places) < 900


def test_being_busy_draws_nothing_and_another_theme_draws_all(visit):
    reader = visit()
    reader.page.evaluate(NOTE)
    reader.page.evaluate("document.documentElement.classList.toggle('shiny-busy')")
    assert reader.page.evaluate(NOTED) == []
    reader.page.locator("[data-action='theme']").first.click()
    assert {"chain", "projections"} <= {*reader.page.evaluate(NOTED)}


def test_a_script_that_came_into_the_page_does_not_run(visit):
    reader = visit()
    assert reader.page.evaluate(INJECT) is None
    assert "Content Security Policy" in " ".join(reader.complaints)
    reader.complaints.clear()
