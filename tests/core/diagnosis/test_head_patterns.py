"""Patterns of heads: the course's fixtures, corrected for what a mask forces."""

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.weights import softmax
from attnviz.core.diagnosis import head_patterns
from attnviz.core.errors import MaskError, ShapeError

FIRST = np.eye(6)[[0] * 6]
PREVIOUS = np.eye(6)[[0, 0, 1, 2, 3, 4]]
UNIFORM = np.full((6, 6), 1 / 6)
RANDOM = softmax(np.random.default_rng(0).standard_normal((6, 6)))
EVENLY = causal_mask(6) / np.arange(1, 7)[:, None]


@pytest.mark.parametrize(
    ("weights", "label", "numbers"),
    [
        (UNIFORM, "uniform", (1, 0.1667, 0.1667)),
        (FIRST, "collapsed", (0, 1, 1)),
        (PREVIOUS, "positional", (0, 1, 0.3333)),
        (RANDOM, "mixed", (0.9013, 0.3298, 0.2083)),
    ],
)
def test_fixtures_of_the_course(weights, label, numbers):
    (head,) = head_patterns(weights)
    assert head.label == label
    assert (head.entropy, head.largest, head.column) == pytest.approx(numbers, abs=5e-5)


def test_the_key_before_is_offset_minus_one():
    (head,) = head_patterns(PREVIOUS)
    assert (head.offset, head.diagonal) == (-1, 1.0)


def test_the_favourite_key_is_named():
    (head,) = head_patterns(np.eye(6)[[4] * 6])
    assert (head.label, head.key) == ("collapsed", 4)


def test_an_even_spread_under_a_causal_mask_is_uniform():
    (head,) = head_patterns(EVENLY, causal_mask(6))
    assert head.label == "uniform"
    assert head.entropy == pytest.approx(1)


def test_without_the_mask_the_same_weights_look_uneven():
    (head,) = head_patterns(EVENLY)
    assert head.entropy == pytest.approx(0.612, abs=5e-4)


def test_the_first_row_of_a_causal_mask_has_no_choice():
    weights = np.eye(6)[[0, 3, 3, 3, 3, 3]]
    seen = causal_mask(6) | (np.arange(6) == 3)
    seen[0] = np.arange(6) == 0
    (head,) = head_patterns(weights, seen)
    assert (head.label, head.column) == ("collapsed", 1.0)


def test_a_diagonal_must_stand_out():
    # Two before and two after: each is the mean of 0.75 over its four rows.
    before, after = np.eye(6, k=-2), np.eye(6, k=2)
    both = before + after
    (head,) = head_patterns(both / both.sum(axis=-1, keepdims=True))
    assert (head.label, head.diagonal) == ("mixed", 0.75)


def test_a_diagonal_may_be_blurred():
    weights = np.eye(6) * 0.75 + np.roll(np.eye(6), 3, axis=1) * 0.25
    (head,) = head_patterns(weights)
    assert (head.label, head.offset) == ("positional", 0)


def test_a_far_diagonal_has_too_few_rows():
    weights = np.full((6, 6), 1 / 6)
    weights[0] = np.eye(6)[5]
    (head,) = head_patterns(weights)
    assert abs(head.offset) < 3


def test_one_label_a_head_in_order():
    heads = np.stack([UNIFORM, PREVIOUS, FIRST, RANDOM]).reshape(2, 2, 6, 6)
    labels = [head.label for head in head_patterns(heads)]
    assert labels == ["uniform", "positional", "collapsed", "mixed"]


def test_rows_of_padding_queries_are_left_out():
    weights = PREVIOUS.copy()
    weights[4:] = 0
    assert head_patterns(weights)[0].label == "positional"


def test_a_head_without_choice_has_no_numbers():
    (head,) = head_patterns(np.ones((3, 1)))
    assert (head.label, head.entropy, head.offset) == ("mixed", None, None)


def test_a_tall_table_has_no_diagonal_through_most_rows():
    (head,) = head_patterns(np.tile([0.9, 0.1], (7, 1)))
    assert (head.diagonal, head.offset) == (None, None)


def test_arguments_that_fit_nothing_are_named():
    with pytest.raises(ShapeError, match="`weights` needs shape"):
        head_patterns([1.0, 0.0])
    with pytest.raises(MaskError, match=r"`visible` needs shape .* that covers"):
        head_patterns(UNIFORM, causal_mask(5))
    with pytest.raises(MaskError, match="`visible` needs booleans"):
        head_patterns(UNIFORM, np.ones((6, 6)))


def test_a_mask_of_a_batch_is_not_taken_for_one_of_heads():
    weights = np.full((2, 2, 3, 3), 1 / 3)
    with pytest.raises(MaskError, match="head axis too"):
        head_patterns(weights, np.ones((2, 3, 3), dtype=bool))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -0.5])
def test_what_is_no_weight_is_refused(bad):
    weights = UNIFORM.copy()
    weights[2, 4] = bad
    with pytest.raises(ValueError, match=r"finite numbers of at least 0; .*\(2, 4\)"):
        head_patterns(weights)


def test_what_a_row_without_a_choice_holds_does_not_matter():
    weights, seen = UNIFORM.copy(), np.ones((6, 6), dtype=bool)
    weights[2], seen[2] = np.nan, False
    assert head_patterns(weights, seen)[0].label == "uniform"
