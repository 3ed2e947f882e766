"""Heads: splitting, joining, sharing and unfusing them."""

import numpy as np
import pytest

from attnviz.core.attention.heads import (
    merge_heads,
    project_heads,
    share_heads,
    split_fused,
    split_heads,
)
from attnviz.core.errors import ShapeError

# The tens digit is the token and the units digit the feature.
TOKENS = np.array([[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]])


def test_head_h_takes_its_own_features_of_every_token():
    assert split_heads(TOKENS, 2).tolist() == [
        [[0, 1], [10, 11], [20, 21]],
        [[2, 3], [12, 13], [22, 23]],
    ]


def test_a_joined_row_holds_one_token_of_every_head():
    heads = [[[0, 1], [10, 11], [20, 21]], [[100, 101], [110, 111], [120, 121]]]
    assert merge_heads(heads).tolist() == [
        [0, 1, 100, 101],
        [10, 11, 110, 111],
        [20, 21, 120, 121],
    ]


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_merging_undoes_splitting(leading):
    x = np.arange(np.prod(leading, dtype=int) * 5 * 21).reshape(*leading, 5, 21)
    heads = split_heads(x, 7)
    assert heads.shape == (*leading, 7, 5, 3)
    np.testing.assert_array_equal(merge_heads(heads), x)


def test_query_heads_share_key_value_heads_in_order():
    shared = share_heads(np.array([[[10.0]], [[20.0]]]), 4)
    assert shared.ravel().tolist() == [10, 10, 20, 20]


def test_as_many_heads_need_no_sharing():
    heads = np.arange(6.0).reshape(3, 2, 1)
    np.testing.assert_array_equal(share_heads(heads, 3), heads)


def test_fused_blocks_are_all_queries_then_all_keys_then_all_values():
    q, k, v = split_fused(np.arange(12)[None], 2)
    assert (q.ravel().tolist(), k.ravel().tolist()) == ([0, 1, 2, 3], [4, 5, 6, 7])
    assert v.tolist() == [[[8, 9]], [[10, 11]]]


def test_fused_by_head_is_query_key_value_of_one_head_after_another():
    q, k, v = split_fused(np.arange(12)[None], 2, "per_head")
    assert q.tolist() == [[[0, 1]], [[6, 7]]]
    assert k.tolist() == [[[2, 3]], [[8, 9]]]
    assert v.tolist() == [[[4, 5]], [[10, 11]]]


def test_fused_parts_have_a_head_axis():
    parts = split_fused(np.zeros((2, 5, 42)), 7)
    assert [part.shape for part in parts] == [(2, 7, 5, 2)] * 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: split_heads(np.zeros((5, 8)), 3),
            r"split_heads: `x` needs a width that H=3 divides; got \(5, 8\)",
        ),
        (lambda: split_heads(np.zeros(8), 2), r"split_heads: `x` needs shape"),
        (lambda: merge_heads(np.zeros((5, 8))), r"merge_heads: `x` needs shape"),
        (
            lambda: share_heads(np.zeros((2, 5, 8)), 3),
            r"share_heads: `x` needs a number of heads that divides H=3",
        ),
        (lambda: share_heads(np.zeros((0, 5, 8)), 3), r"divides H=3; got \(0, 5, 8\)"),
        (lambda: share_heads(np.zeros((5, 8)), 3), r"share_heads: `x` needs shape"),
        (
            lambda: split_fused(np.zeros((5, 8)), 2),
            r"split_fused: `qkv` needs a width that 3·H=6 divides; got \(5, 8\)",
        ),
        (lambda: split_fused(np.zeros(12), 2), r"split_fused: `qkv` needs shape"),
        (
            lambda: project_heads(np.zeros((5, 7)), np.zeros((7, 5))),
            r"project_heads: `w` needs shape \(H, d, n\); got \(7, 5\)",
        ),
        (
            lambda: project_heads(np.zeros((5, 6)), np.zeros((2, 7, 5))),
            r"project_heads: `x` needs shape .* with d=7 \(from `w`\); got \(5, 6\)",
        ),
    ],
)
def test_what_cannot_be_cut_or_joined_is_refused(call, message):
    with pytest.raises(ShapeError, match=message):
        call()


@pytest.mark.parametrize("n_heads", [0, 1.0])
@pytest.mark.parametrize("split", [split_heads, split_fused])
def test_heads_are_counted_in_whole_numbers(split, n_heads):
    with pytest.raises(
        ValueError, match="`n_heads` needs a whole number of at least 1"
    ):
        split(np.zeros((5, 6)), n_heads)


def test_a_fused_layout_must_be_known():
    with pytest.raises(
        ValueError, match="`layout` needs 'blocks' or 'per_head'; got 'rows'"
    ):
        split_fused(np.zeros((5, 6)), 2, "rows")
