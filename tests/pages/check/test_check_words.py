"""One sentence says what a result is; mistakes are named only where they explain it."""

import re

import numpy as np
import pytest

from attnviz.example.check.brought import read_brought
from attnviz.example.compute import EXAMPLES
from attnviz.pages.check.verdict import verdict_panel
from attnviz.pages.check.words import read_words, verdict_sentence
from attnviz.text.catalog import LANGUAGES, translator
from tests.example.check.results import (
    CAUSAL,
    TRACE,
    VISIBLE,
    attended,
    judged,
    written,
)

RIGHT = TRACE.attention.weights
CASES = {
    "right": written(RIGHT),
    "a mistake": written(attended(scale=1.0).weights),
    "none known": written(RIGHT + 0.1),
    "a convention": written(attended().weights * 0 + np.eye(5)),
    "another shape": written(RIGHT.mean(axis=0)),
}


def panel(text, example=CAUSAL, language="en", **options):
    judgement = judged(text, example)
    options = {"is_stale": False, **options}
    made = verdict_panel(
        judgement, translator(language), language, {"p": "x"}, **options
    )
    return str(made)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", CASES)
def test_every_verdict_is_one_sentence_in_every_language(case, language):
    sentence = verdict_sentence(judged(CASES[case]), translator(language), language)
    assert sentence.endswith((".", "。"))
    assert "{" not in sentence


def test_a_right_result_says_how_far_the_digits_go():
    text = "0.6698 0.3302\n0.3302 0.6698"
    sentence = verdict_sentence(
        judged(text, EXAMPLES["identity"]), translator("en"), "en"
    )
    assert "0.000038" in sentence
    assert "0.000053" in sentence


def test_a_mistake_that_fits_carries_a_mark_and_one_that_is_near_does_not():
    html = panel(written(attended(visible=None).weights * VISIBLE))
    assert 'data-verdict="wrong"' in html
    found = re.findall(r'data-candidate="(P\d+)"[^>]*', html)
    fitting = re.findall(r'data-candidate="(P\d+)"[^>]*data-fits="true"', html)
    assert fitting == ["P03"]
    assert set(found) - set(fitting)
    assert "nearest, but does not explain" in html


def test_each_mistake_stands_once_and_leads_to_the_lab():
    html = panel(written(attended(visible=None).weights * VISIBLE))
    found = re.findall(r'data-candidate="(P\d+)"', html)
    assert len(set(found)) == len(found)
    assert "?p=x&amp;page=mistakes&amp;mistake=P03" in html


def test_a_judgement_of_an_earlier_result_is_no_verdict():
    html = panel(written(RIGHT), is_stale=True)
    assert "data-verdict" not in html
    assert "is-stale" in html


def test_a_right_result_names_no_mistake():
    assert "data-candidate" not in panel(written(RIGHT))


def test_what_was_understood_is_told_with_all_that_was_left_out():
    text = f"{written(RIGHT[0], name='A')}\nscores\n1 2\n3 4"
    brought = read_brought([(text, "")])
    told = " ".join(read_words(brought, judged(text), translator("en")))
    assert "Read as A, 5×5, with 4 decimals." in told
    assert "head 1" in told
    assert "Left out: scores." in told


def test_what_gradients_start_from_is_told_or_named_as_left_out():
    def told(text):
        return " ".join(
            read_words(read_brought([(text, "")]), judged(text), translator("en"))
        )

    ones = written(np.ones((2, 5, 2)), name="dC")
    gradient = written(TRACE.q, name="dQ")
    assert "C.sum().backward()" in told(gradient)
    assert "dC 2×5×2" in told(f"{ones}\n{gradient}")
    assert "Left out: dC" in told(f"{ones}\n{written(RIGHT, name='A')}")
