"""A table that sees distances alone is the same along every diagonal."""

import numpy as np
import pytest

from attnviz.core import diagonal_spread, relative_bias, rotate, sinusoidal_positions
from attnviz.core.errors import ShapeError


def test_each_diagonal_is_measured_by_itself():
    table = [[1.0, 2.0, 5.0], [4.0, 3.0, 2.5]]
    np.testing.assert_array_equal(diagonal_spread(table), [0.0, 2.0, 0.5, 0.0])


def test_leading_axes_are_kept():
    assert diagonal_spread(np.zeros((2, 5, 3, 7))).shape == (2, 5, 9)


def test_a_relative_bias_is_exactly_constant_along_diagonals():
    values = np.random.default_rng(0).normal(size=(3, 11))
    assert diagonal_spread(relative_bias(values, 5, 7)).max() == 0


@pytest.mark.parametrize("order", ["interleaved", "concatenated"])
def test_products_of_sinusoids_see_the_distance_alone(order):
    # Course chapter, R78: 4.4e-15.
    table = sinusoidal_positions(64, 8, order=order)
    assert diagonal_spread(table @ table.T).max() < 1e-13


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_rotary_scores_see_the_distance_alone_unless_pairings_are_mixed(pairing):
    # Pitfall P23.
    q, k = np.random.default_rng(1).normal(size=(2, 1, 8))
    rows, places = np.ones((13, 1)), np.arange(13)
    turned_q = rotate(rows * q, places, pairing=pairing)
    turned_k = rotate(rows * k, places, pairing=pairing)
    assert diagonal_spread(turned_q @ turned_k.T).max() < 1e-13
    other = "half" if pairing == "interleaved" else "interleaved"
    mixed = turned_q @ rotate(rows * k, places, pairing=other).T
    assert diagonal_spread(mixed).max() > 0.1


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3,)])
def test_what_has_no_diagonal_is_refused(shape):
    with pytest.raises(ShapeError, match="table"):
        diagonal_spread(np.zeros(shape))
