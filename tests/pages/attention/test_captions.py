"""Titles and captions speak of the example that is on screen."""

import numpy as np
import pytest

from attnviz.example.checks import check_example
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.own import choose_own, read_own
from attnviz.example.own.example import own_example
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.pages.attention.captions import attention_heading, attention_shapes
from attnviz.pages.attention.check_notes import check_notes
from attnviz.text.catalog import LANGUAGES, translator
from attnviz.text.checks import check_words
from tests.example.own.own_files import npz
from tests.pages.cases import WEIGHTS_ALONE

EN = translator("en")
SIZES = {"length": 5, "d_model": 7, "d_k": 2, "d_v": 3}


def said(example, name, preset="five", language="en"):
    """Word one check of an example as its page does."""
    trace, tr = compute_shown(example), translator(language)
    checks = check_example(trace)
    notes = check_notes(trace, preset, checks, tr)
    check = next(one for one in checks if one.id == name)
    return check_words(check, tr, note=notes.get(name))


@pytest.mark.parametrize(
    ("example", "heading"),
    [
        (Example(), "Self-attention and Layer Normalization"),
        (Example(key_length=3), "Cross-attention and Layer Normalization"),
        (WEIGHTS_ALONE, "Attention weights"),
    ],
)
def test_the_title_says_what_kind_of_attention_it_is(example, heading):
    assert attention_heading(compute_shown(example), EN) == heading


@pytest.mark.parametrize(
    ("settings", "shape"),
    [
        ({}, "5×2 · 2×5 → 5×5"),
        ({"key_length": 11}, "5×2 · 2×11 → 5×11"),
        ({"positions": "alibi"}, "5×2 · 2×5 + 5×5 → 5×5"),
        ({"scoring": "additive", "key_length": 11}, "5×2, 11×2 → 5×11"),
    ],
)
def test_scores_that_are_no_product_are_not_captioned_as_one(settings, shape):
    trace = compute(Example(**SIZES, **settings))
    assert attention_shapes(trace)["shape.chain"] == shape


def test_own_hidden_units_are_counted_as_they_are():
    own = {"score_w_q": np.ones((3, 2)), "score_w_k": np.ones((3, 2))}
    arrays = {"q": np.ones((5, 2)), "k": np.ones((5, 2)), "v": np.ones((5, 2))}
    content = npz(**arrays, **own, score_v=np.ones(3))
    example = own_example(choose_own(read_own(content)))
    assert attention_shapes(compute(example))["shape.additive"] == "3×2, 3"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"is_scaled": False}, "should be 2, is 1: scaling is off"),
        ({"is_scaled": False, "temperature": 2.0}, "should be 4, is 2: scaling is off"),
        ({"temperature": 3.0}, "6: √dₖ · τ = 2 · 3"),
        ({"scoring": "additive"}, "1: only dot products are divided by √dₖ"),
        ({}, "2"),
    ],
)
def test_the_divisor_says_which_setting_made_it(settings, words):
    assert said(Example(**settings), "divisor").brief == words


def test_the_number_of_scores_names_the_sizes_it_is_made_of():
    words = said(Example(key_length=3), "score_table")
    assert words.brief == "30"
    assert "m·H·T_q·T_k = 1·2·5·3" in words.whole


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_number_of_scores_is_that_of_the_sentence(language):
    example = EXAMPLES["size_calculator"]
    words = said(example, "score_table", "size_calculator", language)
    assert "1\u202f048\u202f576" in words.brief
    assert "2\u202f048" in words.brief
    assert "8·8·128·128" in words.whole


def test_nothing_is_said_of_weights_alone_that_only_others_have():
    words = said(WEIGHTS_ALONE, "divisor")
    assert words.brief == EN("check.divisor.nothing")
