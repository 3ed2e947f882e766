"""Relative positions: biases that are constant along each diagonal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.errors import ShapeError
from attnviz.core.positions.relative import (
    alibi_bias,
    alibi_slopes,
    relative_bias,
    relative_buckets,
)


@pytest.mark.parametrize(
    ("n_heads", "slopes"),
    [(1, [2**-8]), (2, [2**-4, 2**-8]), (4, [2**-2, 2**-4, 2**-6, 2**-8])],
)
def test_slopes_of_a_power_of_two_are_a_geometric_series(n_heads, slopes):
    assert alibi_slopes(n_heads).tolist() == slopes


@settings(derandomize=True, deadline=None, max_examples=40)
@given(n_heads=st.integers(1, 128))
def test_slopes_are_distinct_and_between_zero_and_one(n_heads):
    slopes = alibi_slopes(n_heads)
    assert slopes.shape == (n_heads,)
    assert np.unique(slopes).size == n_heads
    assert 2**-8 <= slopes.min() <= slopes.max() < 1


def test_alibi_falls_with_the_distance_on_both_sides():
    assert alibi_bias(1, 3)[0].tolist() == [
        [0, -(2**-8), -(2**-7)],
        [-(2**-8), 0, -(2**-8)],
        [-(2**-7), -(2**-8), 0],
    ]


def test_alibi_has_one_table_a_head():
    bias = alibi_bias(3, 5, 7)
    assert bias.shape == (3, 5, 7)
    np.testing.assert_allclose(bias[:, 0, 0], -2 * alibi_slopes(3))


def test_the_last_query_stands_at_the_last_key():
    np.testing.assert_array_equal(alibi_bias(3, 2, 7), alibi_bias(3, 7)[:, 5:])
    np.testing.assert_array_equal(
        alibi_bias(3, 2, 7, offset=1), alibi_bias(3, 7)[:, 1:3]
    )


def test_alibi_fits_attention():
    # Four equal scores at distances 3 to 0; slope 1/8 of head 5 of 6.
    trace = attend(
        np.zeros((6, 4, 2)),
        np.zeros((6, 4, 2)),
        np.ones((6, 4, 2)),
        bias=alibi_bias(6, 4),
    )
    powers = np.exp(-np.arange(3, -1, -1) / 8)
    np.testing.assert_allclose(trace.weights[5, 3], powers / powers.sum())


def test_each_distance_has_its_value():
    # Course chapter, R80: b at i − j.
    bias = relative_bias([-2, -1, 0, 1, 2], 3)
    assert bias.tolist() == [[0, -1, -2], [1, 0, -1], [2, 1, 0]]


def test_a_relative_bias_is_constant_along_each_diagonal():
    values = np.sin(np.arange(3 * 13.0)).reshape(3, 13)
    bias = relative_bias(values, 5, 7)
    assert bias.shape == (3, 5, 7)
    np.testing.assert_array_equal(bias[:, 1:, 1:], bias[:, :-1, :-1])


def test_far_keys_take_the_outermost_value():
    assert relative_bias([10, 20, 30], 1, 7, offset=3).tolist() == [
        [30, 30, 30, 20, 10, 10, 10]
    ]


def test_a_relative_bias_can_carry_on_from_a_cache():
    values = np.arange(13.0)
    np.testing.assert_array_equal(
        relative_bias(values, 2, 7), relative_bias(values, 7)[5:]
    )


def test_a_relative_bias_needs_a_middle():
    with pytest.raises(ShapeError, match=r"`values` needs an odd number.*\(4,\)"):
        relative_bias([1, 2, 3, 4], 3)


def test_near_distances_have_buckets_of_their_own():
    assert relative_buckets(1, 5, n_buckets=16, both_sides=False).tolist() == [
        [4, 3, 2, 1, 0]
    ]


def test_later_keys_take_the_second_half_of_the_buckets():
    assert relative_buckets(1, 5, n_buckets=16, offset=2).tolist() == [[2, 1, 0, 9, 10]]


def test_later_keys_share_bucket_zero_under_a_causal_mask():
    assert relative_buckets(1, 5, offset=0, both_sides=False).tolist() == [[0] * 5]


def test_the_last_bucket_is_never_passed():
    buckets = relative_buckets(1, 5000, max_distance=50, n_buckets=10)
    assert buckets.max() == 4


def test_buckets_are_constant_along_each_diagonal():
    buckets = relative_buckets(29, 31)
    np.testing.assert_array_equal(buckets[1:, 1:], buckets[:-1, :-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_buckets": 3}, "`n_buckets` needs a whole number of at least 4"),
        ({"n_buckets": 1, "both_sides": False}, "`n_buckets` .*of at least 2"),
        ({"max_distance": 8}, "`max_distance` needs a whole number of at least 9"),
        ({"offset": 0.5}, "`offset` needs a whole number"),
    ],
)
def test_bucket_settings_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=f"relative_buckets: {message}"):
        relative_buckets(3, **options)


def test_slopes_need_a_head():
    with pytest.raises(
        ValueError, match="`n_heads` needs a whole number of at least 1"
    ):
        alibi_slopes(0)


def test_lengths_are_whole_numbers():
    with pytest.raises(ValueError, match="alibi_bias: `len_q` needs a whole number"):
        alibi_bias(2, -1)
    with pytest.raises(ValueError, match="relative_bias: `len_k` needs a whole number"):
        relative_bias([0], 1, 2.0)
