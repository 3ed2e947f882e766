"""Attention: one head out of many, and many out of single ones."""

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.scaled_dot_product import attend, slice_head, stack_heads
from attnviz.core.errors import ShapeError
from tests.core.attention.attention_arrays import PRIMES, primes


def test_one_head_of_a_trace_is_the_trace_of_that_head():
    data = {name: array[0] for name, array in primes().items()}
    options = {"bias": np.arange(35.0).reshape(5, 7), "softcap": 2.0}
    head = slice_head(attend(**data, **options), 2)
    alone = attend(*(data[name][2] for name in "qkv"), **options)
    np.testing.assert_allclose(head.context, alone.context, rtol=1e-13)
    np.testing.assert_allclose(head.masked_scores, alone.masked_scores, rtol=1e-12)
    np.testing.assert_array_equal(head.bias, alone.bias)
    assert (head.scale, head.softcap) == (alone.scale, alone.softcap)


def test_a_slice_of_shared_keys_still_has_its_keys():
    data = {name: array[0] for name, array in primes().items()}
    head = slice_head(attend(data["q"], data["k"][0], data["v"][0]), 1)
    np.testing.assert_array_equal(head.k, data["k"][0])


def test_stacked_heads_are_the_trace_of_all_heads():
    data = {name: array[0] for name, array in primes().items()}
    whole = attend(**data, visible=causal_mask(5, 7))
    stacked = stack_heads([slice_head(whole, head) for head in range(3)])
    np.testing.assert_equal(
        {name: getattr(stacked, name) for name in PRIMES | {"weights": 0}},
        {name: getattr(whole, name) for name in PRIMES | {"weights": 0}},
    )
    assert stacked.visible.shape == (3, 5, 7)
    assert not stacked.weights.flags.writeable


def test_a_trace_without_heads_cannot_be_sliced():
    with pytest.raises(
        ShapeError,
        match=r"slice_head: `trace` needs stages \(H, T_q, T_k\); got \(4, 4\)",
    ):
        slice_head(attend(np.eye(4), np.eye(4), np.eye(4)), 0)


def test_a_head_that_is_not_there_cannot_be_sliced():
    whole = attend(**{name: array[0] for name, array in primes().items()})
    with pytest.raises(ValueError, match="`head` needs a number below H=3; got 3"):
        slice_head(whole, 3)
    with pytest.raises(ValueError, match="slice_head: `head` needs a whole number"):
        slice_head(whole, -1)


@pytest.mark.parametrize(
    "traces", [[], [attend([[1]], [[1]], [[1]]), attend([[1], [1]], [[1]], [[1]])]]
)
def test_traces_that_differ_cannot_be_stacked(traces):
    with pytest.raises(
        ShapeError, match="stack_heads: `traces` need stages of one shape; got"
    ):
        stack_heads(traces)
