"""The Layer page in a browser: its first screen, its stations, and ways back."""

import pytest
from playwright.sync_api import expect

from attnviz.example.layer.settings import LayerExample
from attnviz.example.layer.view import look_at
from attnviz.example.settings import Example

HEART = """
() => {
  const foot = document.querySelector("#layer-view .inspector").getBoundingClientRect();
  const ends = [...document.querySelectorAll("#layer-view [data-figure]")].map(
    (matrix) => matrix.getBoundingClientRect().bottom
  );
  const { right } = document.querySelector("#layer-view").getBoundingClientRect();
  const figures = document.querySelectorAll("#layer-view [data-graph]:not(.is-absent)");
  const sides = [...figures].map((figure) => figure.getBoundingClientRect().right);
  return [Math.max(...ends) <= foot.top, Math.max(...sides) <= right + 1];
}
"""
NAMES = """
() => [...document.querySelectorAll("#layer-view [data-figure]")]
  .map((matrix) => matrix.dataset.figure)
"""


def layer(visit, query="", **tab):
    return visit(f"?page=layer&lang=en{query}", **tab)


@pytest.mark.parametrize("place", ["post", "pre"])
def test_the_line_the_way_and_the_heads_stand_on_the_first_screen(visit, place):
    one = layer(visit, f"&lp={place}", size=(1366, 768))
    assert one.page.evaluate(HEART) == [True, True]
    expect(one.page.locator("#layer-view .stations")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("station", ["attention", "network", "vocabulary"])
def test_a_cell_of_every_matrix_is_explained(visit, station):
    one = layer(visit, f"&lv=1&ls={station}")
    value = one.page.locator("#layer-view .inspector-value")
    for name in one.page.evaluate(NAMES):
        one.click_cell(name, 1, 1, "layer")
        expect(value).to_contain_text("=")
        selected = one.matrix(name, "layer").evaluate("one => one.attnviz.selected")
        assert selected is not None, name


def test_a_station_opens_into_its_figure_alone(visit):
    one = layer(visit)
    one.pick("layer-station", "network")
    names = set(one.numbers("layer"))
    assert {"way", "ffn_hidden", "ffn_active", "ffn_output"} <= names
    assert "weights_1" not in names
    assert "ls=network" in one.page.url


def test_norms_move_with_a_click_and_no_number_of_the_input_changes(visit):
    one = layer(visit)
    before = one.numbers("layer")["way"][0]
    one.pick("layer-controls-place", "pre")
    after = one.numbers("layer")["way"]
    assert after[0] == before
    view = look_at(Example(), LayerExample(place="pre"))
    shown = [[float(f"{n:.3f}") for n in row] for row in after]
    exact = [[float(f"{n:.3f}") for n in row] for row in view.sheet().matrix("way")]
    assert shown == exact
    expect(one.page.locator("[data-live='line.attention_before']")).to_be_visible()
    expect(one.page.locator("[data-live='line.attention_after']")).to_be_hidden()


def test_a_number_leads_on_into_the_layer_before(visit):
    one = layer(visit, "&ln=2&ll=2&ls=input")
    one.click_cell("stream_2", 2, 1, "layer")
    one.page.locator("#layer-view [data-unfold-inspector]").click()
    lead = one.page.locator("#layer-view .inspector-work button.operand")
    lead.first.click()
    one.catch_up()
    # γ and x̂ of the last norm of layer 1 stand under the first station of layer 2.
    expect(
        one.page.locator("#layer-view input[name='layer-head'][value='0']")
    ).to_be_checked()


def test_back_brings_station_token_and_norms(visit):
    one = layer(visit)
    one.pause()
    one.pick("layer-station", "network")
    one.pause()
    one.pick("layer-controls-place", "pre")
    one.pause()
    one.page.go_back()
    one.page.wait_for_function(
        "document.querySelector('#layer-controls-place input[value=post]').checked"
    )
    one.catch_up()
    assert "ffn_hidden" in one.numbers("layer")


def test_a_phone_scrolls_the_line_and_not_the_page(visit):
    one = layer(visit, size=(360, 740))
    width = (
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert one.page.evaluate(width)
    assert one.matrix("way", "layer").is_visible()
