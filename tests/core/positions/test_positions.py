"""Absolute positions: the chapter's table, its geometry, and padded batches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.errors import MaskError, ShapeError
from attnviz.core.positions.sinusoidal import (
    learned_positions,
    positions_from_valid,
    sinusoidal_positions,
)
from tests.core import golden

GOLDEN = golden.GOLDEN["pos_enc"]
ORDER = np.array([3, 0, 5, 1, 4, 2])


def test_positions_from_zero_are_the_chapters():
    np.testing.assert_allclose(
        sinusoidal_positions(4, 8), GOLDEN["T4_d8_start0"], atol=1e-15
    )


def test_positions_from_one_are_the_chapters():
    np.testing.assert_allclose(
        sinusoidal_positions(3, 4, start=1), GOLDEN["T3_d4_start1"], atol=1e-15
    )


def test_given_positions_are_taken_as_they_are():
    table = sinusoidal_positions(13, 6)
    np.testing.assert_array_equal(
        sinusoidal_positions([[7, 3], [0, 12]], 6), table[[[7, 3], [0, 12]]]
    )


def test_a_negative_position_turns_the_other_way():
    np.testing.assert_allclose(
        sinusoidal_positions([-3], 4),
        sinusoidal_positions([3], 4) * [-1, 1, -1, 1],
    )


def test_an_odd_width_drops_the_last_cosine():
    np.testing.assert_array_equal(
        sinusoidal_positions(7, 5).shape,
        (7, 5),
    )
    np.testing.assert_allclose(
        sinusoidal_positions([1], 5)[0, -1], np.sin(10_000 ** (-4 / 5))
    )


def test_an_odd_width_concatenated_has_one_sine_more():
    np.testing.assert_array_equal(
        sinusoidal_positions(7, 5, order="concatenated"),
        sinusoidal_positions(7, 5)[:, [0, 2, 4, 1, 3]],
    )


def test_the_orders_differ_by_a_fixed_exchange_of_columns():
    np.testing.assert_array_equal(
        sinusoidal_positions(7, 6, order="concatenated"),
        sinusoidal_positions(7, 6)[:, [0, 2, 4, 1, 3, 5]],
    )


def test_batches_of_positions_have_their_features_last_in_both_orders():
    table = sinusoidal_positions(13, 6, order="concatenated")
    np.testing.assert_array_equal(
        sinusoidal_positions([[7, 3], [0, 12]], 6, order="concatenated"),
        table[[[7, 3], [0, 12]]],
    )


def test_the_base_sets_the_slowest_rate():
    np.testing.assert_allclose(
        sinusoidal_positions([1], 4, base=16.0)[0, 2], np.sin(1 / 4)
    )


@settings(derandomize=True, deadline=None, max_examples=50)
@given(
    position=st.integers(-1000, 1000),
    pairs=st.integers(1, 20),
    shift=st.integers(0, 99),
)
def test_each_pair_is_a_point_on_a_circle_that_a_shift_turns(position, pairs, shift):
    # Course chapter, R76 and R78: p at position + k is a rotation of p.
    now, then = sinusoidal_positions([position, position + shift], 2 * pairs)
    angles = shift * 10_000.0 ** (-np.arange(pairs) / pairs)
    sines, cosines = now[0::2], now[1::2]
    np.testing.assert_allclose(now @ now, pairs)
    np.testing.assert_allclose(
        then[0::2], sines * np.cos(angles) + cosines * np.sin(angles), atol=1e-12
    )
    np.testing.assert_allclose(
        then[1::2], cosines * np.cos(angles) - sines * np.sin(angles), atol=1e-12
    )


def test_inner_products_depend_on_the_distance_alone():
    # Course chapter, R78: P Pᵀ is constant along each diagonal.
    table = sinusoidal_positions(11, 8, start=5)
    products = table @ table.T
    np.testing.assert_allclose(products[1:, 1:], products[:-1, :-1], atol=1e-13)


def _order_matters(positions, visible):
    """How far attention is from commuting with a change of order (R72)."""
    x, reordered = np.sin(np.arange(48.0)).reshape(6, 8), ORDER
    first = attend(*[x + positions] * 3, visible=visible).context[reordered]
    second = attend(*[x[reordered] + positions] * 3, visible=visible).context
    return np.abs(first - second).max()


def test_attention_without_positions_does_not_see_the_order():
    # Course chapter, R72.
    assert _order_matters(np.zeros((6, 8)), None) < 1e-14


def test_attention_with_positions_sees_the_order():
    # Course chapter, R73.
    assert _order_matters(sinusoidal_positions(6, 8), None) > 1e-3


def test_a_causal_mask_alone_sees_the_order():
    # Course chapter, R74.
    assert _order_matters(np.zeros((6, 8)), causal_mask(6)) > 1e-3


def test_a_left_padded_row_counts_from_its_first_token():
    valid = np.array([[False, False, True, True, True], [True] * 5])
    assert positions_from_valid(valid).tolist() == [[0, 0, 0, 1, 2], [0, 1, 2, 3, 4]]


def test_padding_at_the_right_takes_position_zero():
    assert positions_from_valid([True, True, False]).tolist() == [0, 1, 0]


def test_a_row_of_padding_has_no_other_position():
    assert positions_from_valid([[False] * 3]).tolist() == [[0, 0, 0]]


def test_validity_must_be_boolean():
    with pytest.raises(MaskError, match="positions_from_valid: `key_valid` needs bool"):
        positions_from_valid([0, 1])


def test_validity_needs_an_axis():
    with pytest.raises(MaskError, match=r"`key_valid` needs shape \(\.\.\., T\)"):
        positions_from_valid(np.True_)


def test_learned_rows_are_looked_up():
    table = np.arange(21.0).reshape(7, 3)
    np.testing.assert_array_equal(learned_positions(5, table), table[:5])
    np.testing.assert_array_equal(learned_positions(5, table, start=2), table[2:])
    np.testing.assert_array_equal(
        learned_positions([[6, 0]], table), [[[18, 19, 20], [0, 1, 2]]]
    )


def test_the_last_learned_row_can_be_reached_and_no_further():
    # Course chapter, R79.
    table = np.ones((7, 3))
    assert learned_positions(7, table).shape == (7, 3)
    message = "learned_positions: `positions` needs positions from 0 to 6.*; got 7"
    with pytest.raises(ShapeError, match=message):
        learned_positions(8, table)


def test_a_negative_position_is_not_counted_from_the_end():
    with pytest.raises(ShapeError, match="got -1"):
        learned_positions([0, -1], np.ones((7, 3)))


def test_a_learned_table_is_a_matrix():
    with pytest.raises(ShapeError, match=r"`table` needs shape \(T_max, d\)"):
        learned_positions(2, np.ones((2, 7, 3)))


@pytest.mark.parametrize("wrong", [[0.5], 1.5, [True], [[1], [1, 2]]])
def test_positions_must_be_whole_numbers(wrong):
    with pytest.raises(ValueError, match="sinusoidal_positions: `positions` needs"):
        sinusoidal_positions(wrong, 4)


def test_a_start_belongs_to_a_number_of_positions():
    with pytest.raises(ValueError, match="`start` needs `positions` to be a number"):
        sinusoidal_positions([0, 1], 4, start=1)


@pytest.mark.parametrize(
    ("positions", "start", "name"), [(-1, 0, "positions"), (2, 0.5, "start")]
)
def test_a_number_of_positions_and_its_start_are_whole(positions, start, name):
    with pytest.raises(ValueError, match=f"`{name}` needs a whole number"):
        sinusoidal_positions(positions, 4, start=start)


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match="`order` needs 'interleaved' or 'concat"):
        sinusoidal_positions(2, 4, order="sin-cos")


@pytest.mark.parametrize("base", [0, -1.0, np.inf])
def test_the_base_must_be_positive(base):
    with pytest.raises(
        ValueError, match=r"sinusoidal_positions: `base` needs a .*number"
    ):
        sinusoidal_positions(2, 4, base=base)


def test_the_width_must_be_positive():
    with pytest.raises(
        ValueError, match="`d_model` needs a whole number of at least 1"
    ):
        sinusoidal_positions(2, 0)
