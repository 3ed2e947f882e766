"""A reader puts a result down, and is told what it is."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attnviz.example.compute import EXAMPLES, compute
from tests.example.own.own_files import npy

TEXT, FILE, PROBLEM = "check-text", "#check-file", "#check-problem"
RIGHT = "[[0.6698 0.3302]\n [0.3302 0.6698]]"
UNSCALED = "tensor([[0.7311, 0.2689],\n        [0.2689, 0.7311]], grad_fn=<Softmax>)"
# What of the figure does not stand between the desk and the inspector.
CUT_OFF = """
() => {
  const page = document.querySelector("#check-view");
  const foot = page.querySelector(".inspector").getBoundingClientRect().top;
  return [...page.querySelectorAll("[data-figure]")]
    .filter((element) => {
      const { right, bottom } = element.getBoundingClientRect();
      return bottom > foot || right > innerWidth;
    })
    .map((element) => element.dataset.figure);
}
"""


def told(one, verdict):
    """Wait for a verdict, and for the picture of it."""
    expect(one.page.locator("[data-verdict]")).to_have_attribute(
        "data-verdict", verdict
    )
    one.catch_up()
    one.rest()


def named(one):
    """Give the mistakes that fit."""
    found = one.page.locator("[data-candidate][data-fits]").all()
    return [each.get_attribute("data-candidate") for each in found]


def test_the_right_answer_of_exercise_1_is_right_in_one_press(visit):
    one = visit("?page=check&p=identity")
    assert set(one.numbers("check")) == {"q", "k", "v"}
    one.page.locator(f"#{TEXT}").fill(RIGHT)
    one.page.locator("#check-use").click()
    told(one, "right")
    assert named(one) == []
    numbers = one.numbers("check")
    np.testing.assert_allclose(numbers["given"], [[0.6698, 0.3302], [0.3302, 0.6698]])
    np.testing.assert_allclose(numbers["difference"], np.zeros((2, 2)), atol=5e-5)
    # Own numbers are in no address.
    assert "0.66" not in one.page.url


def test_a_mistake_is_named_and_every_matrix_answers(visit):
    one = visit("?page=check&p=identity")
    one.type(TEXT, UNSCALED)
    told(one, "wrong")
    assert named(one) == ["P02"]
    right = compute(EXAMPLES["identity"]).attention.weights[0]
    np.testing.assert_allclose(one.numbers("check")["expected"], right, rtol=1e-6)
    for name, value in (
        ("given", "0.2689"),
        ("expected", "0.3302"),
        ("difference", "−0.0613"),
    ):
        one.click_cell(name, 1, 2, "check")
        expect(one.page.locator("#check-view .inspector-told")).to_contain_text(value)
    lab = one.page.locator("[data-candidate='P02'] a").get_attribute("href")
    assert "page=mistakes" in lab
    assert "mistake=P02" in lab


def test_what_cannot_be_read_gets_a_sentence_and_the_last_verdict_stays_pale(visit):
    one = visit("?page=check&p=identity")
    one.page.locator("#check-use").click()
    expect(one.page.locator(PROBLEM)).not_to_be_empty()
    one.type(TEXT, RIGHT)
    told(one, "right")
    expect(one.page.locator(PROBLEM)).to_be_empty()
    one.type(TEXT, "no 1 matrix 2 at all")
    expect(one.page.locator(PROBLEM)).not_to_be_empty()
    assert one.page.locator("[data-verdict]").count() == 0
    assert one.page.locator(".verdict.is-stale").count() == 1
    one.type(TEXT, "")
    expect(one.page.locator(".verdict-empty")).to_be_visible()


def test_a_file_is_checked_as_soon_as_it_is_there(visit):
    one = visit("?page=check&m=causal")
    weights = compute(EXAMPLES["five"]).attention.weights
    content = npy(np.tril(weights))
    one.page.locator(FILE).set_input_files(
        [{"name": "a.npy", "mimeType": "application/octet-stream", "buffer": content}]
    )
    told(one, "wrong")
    assert named(one) == ["P03"]


def test_own_inputs_with_their_weights_are_judged_at_once(visit):
    one = visit("?page=check")
    one.page.locator(".own-data > summary").click()
    own = "Q\n1 0\n0 1\nK\n1 0\n0 1\nV\n2 0\n0 4\nA\n0.7311 0.2689\n0.2689 0.7311"
    one.type("example-own_text", own)
    one.press("example-own_use")
    told(one, "wrong")
    assert named(one) == ["P02"]
    # Weights alone are a result of the inputs that were there before.
    one.type("example-own_text", RIGHT)
    one.press("example-own_use")
    told(one, "right")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_verdict_and_the_figure_stand_on_the_first_screen(visit, language):
    query = f"?page=check&m=causal&cm=P04.multiplied&lang={language}"
    one = visit(query, size=(1366, 768))
    told(one, "wrong")
    assert set(named(one)) == {"P04", "P05"}
    assert set(one.numbers("check")) == {"expected", "given", "difference"}
    one.page.wait_for_function(f"({CUT_OFF})().length === 0")


def test_on_a_phone_the_verdict_stands_before_the_field(visit):
    one = visit("?page=check&m=causal&ck=grad_q&cm=right", size=(360, 740))
    told(one, "right")
    tops = [
        one.page.locator(f"#check-view {each}").bounding_box()["y"]
        for each in (".verdict", ".desk")
    ]
    assert tops == sorted(tops)


def test_a_link_fixes_the_task_and_its_inputs_can_be_taken_along(visit):
    one = visit("?page=check&cm=P26.one_less&ck=norm_output&ce=1e-12")
    told(one, "wrong")
    assert named(one) == ["P26"]
    one.page.locator(".inputs-menu > summary").click()
    link = one.page.locator("[data-inputs='numpy']")
    address = link.evaluate("(element) => element.href")
    lines = one.page.request.get(address).text()
    assert "def layer_norm(x, gamma, beta, eps):" in lines
    assert "eps = 1e-12" in lines
