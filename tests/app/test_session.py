"""Whole sessions without a browser: controls in, figures and sentences out."""

import numpy as np
import pytest

from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.settings import Example
from attnviz.text.catalog import translator
from tests.figures.decoding import received


def shown(conversation, page="attention"):
    return received(conversation.values[f"{page}-view"])


@pytest.mark.parametrize("page", ["attention", "norms"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_output_of_a_page_answers(converse, page, language):
    conversation = converse(f"?lang={language}", page=page)
    assert set(conversation.outputs) <= set(conversation.values)
    assert f"{page}-view" in conversation.values


@pytest.mark.parametrize(("query", "language"), [("", "en"), ("?lang=zh", "zh")])
def test_sentences_of_a_session_are_in_its_language(converse, query, language):
    conversation = converse(query)
    point = translator(language)("preset.five.point")
    assert conversation.values["example-point"] == point


def test_a_session_without_lang_speaks_as_the_browser_prefers(converse):
    conversation = converse(**{"accept-language": "zh-CN,zh;q=0.9"})
    point = translator("zh")("preset.five.point")
    assert conversation.values["example-point"] == point


def test_the_figures_are_those_of_the_core(converse):
    trace = compute(Example())
    numbers = shown(converse())
    np.testing.assert_array_equal(numbers["x"], trace.x.astype("f4"))
    weights = trace.attention.weights[0].astype("f4")
    np.testing.assert_array_equal(numbers["weights"], weights)
    np.testing.assert_array_equal(numbers["output"], trace.heads.output.astype("f4"))


def test_a_control_reaches_the_figures_in_one_answer(converse):
    conversation = converse()
    answer = conversation.send({"example-length": 7})
    assert "attention-view" in answer
    assert shown(conversation)["weights"].shape == (7, 7)


def test_the_head_picker_shows_another_head(converse):
    conversation = converse()
    conversation.send({"attention-head": "1"})
    second = compute(Example()).attention.weights[1].astype("f4")
    np.testing.assert_array_equal(shown(conversation)["weights"], second)


def test_a_head_that_is_gone_gives_way_to_the_last(converse):
    conversation = converse()
    conversation.send({"attention-head": "1"})
    conversation.send({"example-n_heads": 1})
    only = compute(Example(n_heads=1)).attention.weights[0].astype("f4")
    np.testing.assert_array_equal(shown(conversation)["weights"], only)


@pytest.mark.parametrize("preset", [name for name in EXAMPLES if name != "five"])
def test_a_preset_shows_its_example_and_stays_when_the_controls_follow(
    converse, preset
):
    conversation = converse("?n=3&m=window&tau=2")
    conversation.send({"example-preset": preset})
    conversation.echo()
    expected = compute(EXAMPLES[preset]).attention
    numbers = shown(conversation)
    # What single precision has no number for stays different from 0.
    weights = expected.weights[0]
    sent = weights.astype("f4")
    sent[(sent == 0) & (weights > 0)] = np.finfo("f4").tiny
    np.testing.assert_array_equal(numbers["weights"], sent)
    np.testing.assert_array_equal(numbers["context"], expected.context[0].astype("f4"))
    assert conversation.values["example-problem_text"] == ""


def test_reset_leads_back_to_the_preset(converse):
    conversation = converse("?p=cat_videos")
    before = shown(conversation)
    conversation.send({"example-mask": "none", "example-temperature": 3.0})
    assert (shown(conversation)["mask"] == before["mask"]).all()
    conversation.press("example-reset")
    conversation.echo()
    after = shown(conversation)
    assert {name: z.tolist() for name, z in after.items()} == {
        name: z.tolist() for name, z in before.items()
    }


def test_new_matrices_take_the_next_seed(converse):
    conversation = converse("?seed=9999")
    conversation.press("example-draw")
    conversation.echo()
    expected = compute(Example(seed=0)).x.astype("f4")
    np.testing.assert_array_equal(shown(conversation)["x"], expected)


def test_tables_come_when_they_are_opened_and_with_the_decimals_chosen(converse):
    conversation = converse("?p=identity")
    assert conversation.values["attention-tables"] is None
    conversation.send({"attention-settled": 1})
    assert "<td>0.6698</td>" in conversation.values["attention-tables"]["html"]
    conversation.send({"attention-decimals": "6"})
    assert "<td>0.669762</td>" in conversation.values["attention-tables"]["html"]


def test_tables_of_the_norms_page_open_too(converse):
    conversation = converse("?p=norm_rows", page="norms")
    conversation.send({"norms-settled": 1, "norms-controls-source": "rows"})
    assert "<td>−1.3416</td>" in conversation.values["norms-tables"]["html"]


def test_the_norms_page_follows_the_example_of_the_sidebar(converse):
    conversation = converse(page="norms")
    conversation.send({"example-length": 3, "example-d_model": 7})
    expected = compute(Example(length=3, d_model=7)).x.astype("f4")
    np.testing.assert_array_equal(shown(conversation, "norms")["norm_input"], expected)


def test_two_sessions_do_not_influence_each_other(converse):
    first = converse()
    second = converse("?lang=zh&n=3&seed=5")
    before = shown(second)["weights"]
    first.send({"example-length": 11, "example-seed": 6})
    second.send({"example-mask": "causal"})
    first.send({"example-mask": "window"})
    assert shown(first)["weights"].shape == (11, 11)
    assert shown(second)["weights"].shape == (3, 3)
    assert (shown(second)["weights"] != before).any()
    expected = compute(Example(length=3, seed=5, mask="causal"))
    np.testing.assert_array_equal(
        shown(second)["weights"], expected.attention.weights[0].astype("f4")
    )
    point = translator("zh")("preset.five.point")
    assert second.values["example-point"] == point


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("?n=7&m=causal&tau=0.5", {"v": "2", "n": "7", "m": "causal", "tau": "0.5"}),
        ("?p=identity&s=0", {"v": "2", "p": "identity", "s": "0"}),
        ("?p=chinese&t=a+%F0%9F%99%82+b", {"v": "2", "p": "chinese", "t": "a 🙂 b"}),
        ("?n=5&p=five&seed=0", {}),
        ("?n=99&dk=x&h=3&zzz=1", {"v": "2", "h": "3"}),
    ],
)
def test_the_address_restores_the_example_and_is_written_back(converse, query, address):
    assert converse(query).address == address


def test_the_address_names_the_page_that_is_not_the_first(converse):
    assert converse(page="norms").address == {"v": "2", "page": "norms"}


def test_the_controls_start_where_the_address_says(converse):
    inputs = converse("?n=7&m=window&wl=3&s=0&p=chinese&tau=0.7").inputs
    assert inputs["example-preset"] == "chinese"
    assert inputs["example-length"] == 7
    assert inputs["example-mask"] == "window"
    assert inputs["example-window_left"] == 3
    assert inputs["example-is_scaled"] is False
    assert inputs["example-temperature"] == 0.7
    assert inputs["example-positions"] == "words"


def test_a_refusal_goes_with_what_was_refused(converse):
    def problem(conversation):
        view = conversation.values["positions-view"]
        return view["live"]["positions.problem"]["text"]

    conversation = converse("?lang=en&dk=3", page="positions")
    conversation.send({"positions-try": "rotary none"})
    assert "even" in problem(conversation)
    conversation.send({"example-d_k": 5})
    assert problem(conversation) == ""
    conversation.send({"positions-order": "1-1"})
    assert problem(conversation) == translator("en")("problem.no_order")
