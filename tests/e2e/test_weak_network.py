"""On a weak network the newest picture comes soon, and nothing typed is lost."""

import pytest

from tests.e2e.tabs import Tab
from tests.e2e.visit import Visit
from tests.e2e.weak_network import far_from

# 400 ms there and back, on which two of a hundred pieces are lost; and one that is far
# away and narrow besides.
NETWORKS = {
    "lossy": {"delay": 0.2, "loss": 0.02},
    "narrow": {"delay": 0.4, "speed": 50_000},
}
OPEN = {"delay": 0, "speed": float("inf"), "loss": 0}
SOON = 2000  # ms
# Moves a slider for a second, and tells how long after the last move its numbers stand.
DRAG = """
async ([last, wanted]) => {
  const slider = document.getElementById("example-temperature");
  const move = (value) => {
    slider.value = value;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (let step = 30; step >= 0; step--) {
    move(last + step / 10);
    await new Promise((done) => setTimeout(done, 33));
  }
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  const began = performance.now();
  const shown = () => JSON.stringify(
    document.querySelector("#attention-view [data-figure=weights]").attnviz.z);
  while (shown() !== wanted && performance.now() < began + 30000) {
    await new Promise(requestAnimationFrame);
  }
  return performance.now() - began;
}
"""
WORDS = "many words that someone types without a rest"


@pytest.fixture(params=NETWORKS.values(), ids=NETWORKS)
def far(browser, server, request):
    """Open the app, and then move it to the other end of a weak network."""
    with far_from(server) as network:
        one = Visit(Tab(browser), network.url)
        one.open("?t=once+upon+a+time")
        vars(network).update(request.param)
        yield one
        vars(network).update(OPEN)
        one.page.goto("about:blank")
        one.context.close()


def test_the_newest_picture_comes_soon_after_the_last_move(visit, far):
    wanted = visit("?t=once+upon+a+time&tau=0.5").page.evaluate(
        "JSON.stringify(document.querySelector("
        "'#attention-view [data-figure=weights]').attnviz.z)"
    )
    assert far.page.evaluate(DRAG, [0.5, wanted]) < SOON


def test_what_is_typed_stays_while_answers_are_on_their_way(far):
    field = far.page.locator("#example-text")
    field.select_text()
    field.press_sequentially(WORDS, delay=60)
    far.page.wait_for_url(f"**t={WORDS.replace(' ', '+')}**")
    far.catch_up()
    assert field.input_value() == WORDS
    assert len(far.numbers()["x"]) == len(WORDS.split())
