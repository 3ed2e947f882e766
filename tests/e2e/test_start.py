"""The app starts, in both languages, and what watches over it can see."""

import re

import pytest

from attnviz.text.catalog import translator
from tests.e2e.tabs import Tab
from tests.e2e.visit import Visit

pytestmark = pytest.mark.exact

NAMES = {
    "x",
    "w_q",
    "w_k",
    "w_v",
    "q",
    "k",
    "v",
    "scores",
    "mask",
    "weights",
    "context",
    "joined",
    "w_o",
    "output",
}
NORM_NAMES = {"norm_input", "norm_normalized", "norm_output"}
HAN = re.compile(r"[\u4e00-\u9fff]")


def test_every_matrix_is_shown_with_the_shape_it_has(visit):
    one = visit("?n=3&d=7&dk=5&dv=2&h=2")
    numbers = one.numbers()
    assert numbers.keys() >= NAMES
    shapes = {
        name: one.matrix(name).get_attribute("data-shape")
        for name in ("x", "w_q", "q", "w_v", "v", "scores", "context", "joined", "w_o")
    }
    assert shapes == {
        "x": "3×7",
        "w_q": "7×5",
        "q": "3×5",
        "w_v": "7×2",
        "v": "3×2",
        "scores": "3×3",
        "context": "3×2",
        "joined": "3×4",
        "w_o": "4×7",
    }
    assert {
        name: f"{len(numbers[name])}×{len(numbers[name][0])}" for name in shapes
    } == shapes


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("page", ["attention", "norms"])
def test_title_and_warnings_are_in_sight_and_in_one_language(visit, language, page):
    one = visit(f"?page={page}", language=language)
    tr = translator(language)
    second = {"attention": "warning.causes", "norms": "norms.warning"}[page]
    for text in (tr(f"{page}.heading"), tr("warning.random"), tr(second)):
        place = one.page.get_by_text(text, exact=True).locator("visible=true").first
        box = place.bounding_box()
        assert 0 < box["y"] < 1080
    words = one.page.inner_text(f"#{page}-view")
    assert bool(HAN.search(words)) == (language == "zh")


def test_the_language_switch_keeps_page_and_example(visit):
    one = visit("?page=norms")
    assert one.numbers("norms").keys() >= NORM_NAMES
    one.slide("example-length", 7)
    before = one.numbers("norms")
    one.page.locator("[data-language='zh']").click()
    one.page.wait_for_url("**lang=zh**")
    one.page.wait_for_function("window.watched?.isExact")
    one.catch_up()
    assert one.numbers("norms") == before
    assert one.page.locator("html").get_attribute("lang") == "zh"
    assert one.page.locator("#example-length").input_value() == "7"


def test_two_readers_at_once_do_not_disturb_each_other(visit):
    one, other = visit(), visit("?n=3&lang=zh")
    before = other.numbers()
    one.slide("example-length", 11)
    one.choose("example-mask", "causal")
    other.catch_up()
    assert other.numbers() == before
    assert len(one.numbers()["x"]) == 11


def test_a_far_request_and_an_error_are_seen(browser, server):
    one = Visit(Tab(browser), server).open()
    one.page.evaluate("console.error('a fault')")
    one.page.evaluate("setTimeout(() => { throw new Error('another') })")
    one.page.evaluate("new Image().src = 'https://far.example/a.png'")
    one.page.evaluate("document.body.append(document.createElement('p'))")
    one.page.evaluate(
        "document.body.lastChild.outerHTML ="
        " '<p class=shiny-output-error>a broken output</p>'"
    )
    complaints = " ".join(one.close())
    one.context.close()
    assert "a fault" in complaints
    assert "another" in complaints
    assert "far.example" in complaints
    assert "a broken output" in complaints
