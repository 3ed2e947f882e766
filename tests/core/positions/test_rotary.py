"""Rotary positions: a rotation, seen by scores as a distance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.errors import ShapeError
from attnviz.core.positions.rotary import rotate, rotate_by
from attnviz.core.positions.sinusoidal import positions_from_valid

PAIRINGS = pytest.mark.parametrize("pairing", ["interleaved", "half"])
X = np.sin(np.arange(2 * 3 * 5 * 8.0)).reshape(2, 3, 5, 8)


def test_a_quarter_turn_exchanges_the_features_of_a_pair():
    turned = rotate_by([[1.0, 2.0, 3.0, 4.0]], [[0, 0]], [[1, 1]])
    assert turned.tolist() == [[-2, 1, -4, 3]]


def test_a_quarter_turn_of_halves_exchanges_the_halves():
    turned = rotate_by([[1.0, 2.0, 3.0, 4.0]], [[0, 0]], [[1, 1]], pairing="half")
    assert turned.tolist() == [[-3, -4, 1, 2]]


@PAIRINGS
def test_position_zero_stays(pairing):
    np.testing.assert_array_equal(rotate(X, np.zeros(5, int), pairing=pairing), X)


@PAIRINGS
def test_fewer_angles_leave_the_last_features_alone(pairing):
    cos, sin = np.cos(np.arange(10.0)).reshape(5, 2), np.sin(np.arange(10.0))
    sin = sin.reshape(5, 2)
    turned = rotate_by(X, cos, sin, pairing=pairing)
    np.testing.assert_array_equal(turned[..., 4:], X[..., 4:])
    np.testing.assert_array_equal(
        turned[..., :4], rotate_by(X[..., :4], cos, sin, pairing=pairing)
    )


@PAIRINGS
@settings(derandomize=True, deadline=None, max_examples=30)
@given(
    here=st.integers(-500, 500), there=st.integers(-500, 500), by=st.integers(0, 500)
)
def test_a_score_depends_on_the_distance_alone(pairing, here, there, by):
    # Course chapter, R80.
    q, k = np.sin(np.arange(10.0))[None], np.cos(np.arange(10.0))[None]
    score = rotate(q, [here], pairing=pairing) @ rotate(k, [there], pairing=pairing).T
    shifted = (
        rotate(q, [here + by], pairing=pairing)
        @ rotate(k, [there + by], pairing=pairing).T
    )
    np.testing.assert_allclose(shifted, score, atol=1e-11)


@PAIRINGS
def test_the_length_of_a_row_stays(pairing):
    turned = rotate(X, [0, 1, 17, 1000, 31], pairing=pairing)
    np.testing.assert_allclose(
        np.linalg.norm(turned, axis=-1), np.linalg.norm(X, axis=-1)
    )


def test_the_pairings_differ_by_an_exchange_of_features():
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    np.testing.assert_array_equal(
        rotate(X, np.arange(5))[..., order],
        rotate(X[..., order], np.arange(5), pairing="half"),
    )


def test_time_is_the_axis_before_the_last():
    turned = rotate(X, np.arange(5))
    np.testing.assert_array_equal(turned[..., 2:3, :], rotate(X[..., 2:3, :], [2]))


def test_the_base_sets_the_slower_rates():
    turned = rotate([[0.0, 0.0, 1.0, 0.0]], [1], base=16.0)
    np.testing.assert_allclose(turned, [[0, 0, np.cos(0.25), np.sin(0.25)]])


def test_a_padded_batch_has_positions_of_its_own():
    valid = np.array([[False, False, True, True, True], [True] * 5])
    turned = rotate(X, positions_from_valid(valid)[:, None, :])
    np.testing.assert_array_equal(turned[0, :, 2:], rotate(X[0, :, 2:], np.arange(3)))
    np.testing.assert_array_equal(turned[1], rotate(X[1], np.arange(5)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_type_stays_and_is_rounded_once(dtype):
    rows = X.astype(dtype)
    turned = rotate(rows, np.arange(5) + 4000)
    assert turned.dtype == dtype
    np.testing.assert_array_equal(
        turned, rotate(rows.astype(float), np.arange(5) + 4000).astype(dtype)
    )


def test_the_input_is_left_alone():
    rows = X.copy()
    rotate(rows, np.arange(5))
    np.testing.assert_array_equal(rows, X)


def test_positions_of_a_batch_need_the_head_axis():
    # (2, 5) could be taken for heads where there are as many heads as samples.
    rows = X[:, :2]
    with pytest.raises(
        ShapeError, match=r"`positions` needs one entry a row.*\(2, 5\)"
    ):
        rotate(rows, np.zeros((2, 5), int))


@pytest.mark.parametrize("positions", [[3], np.arange(7), np.zeros((3, 5), int), 3])
def test_positions_must_cover_the_rows(positions):
    with pytest.raises(ShapeError, match="rotate: `positions` needs"):
        rotate(X, positions)


def test_positions_are_whole():
    with pytest.raises(ShapeError, match="`positions` needs whole numbers"):
        rotate(X, np.arange(5.0))


@pytest.mark.parametrize("width", [0, 7])
def test_a_width_without_pairs_is_refused(width):
    with pytest.raises(ShapeError, match=r"rotate: `x` needs an even width d; got"):
        rotate(X[..., :width], np.arange(5))


def test_an_unknown_pairing_is_refused():
    with pytest.raises(ValueError, match="`pairing` needs 'interleaved' or 'half'"):
        rotate(X, np.arange(5), pairing="neox")


def test_more_angles_than_pairs_are_refused():
    angles = np.zeros((5, 5))
    with pytest.raises(ShapeError, match=r"at most d/2 angles for d=8; got \(5, 5\)"):
        rotate_by(X, angles, angles)


def test_cosines_and_sines_have_one_shape():
    with pytest.raises(ShapeError, match=r"`sin` needs .*n=4 \(from `cos`\)"):
        rotate_by(X, np.ones((5, 4)), np.zeros((5, 3)))


def test_cosines_must_cover_the_rows():
    with pytest.raises(ShapeError, match="rotate_by: `cos` needs one entry a row"):
        rotate_by(X, np.ones((3, 5, 4)), np.zeros((3, 5, 4)))
    with pytest.raises(ShapeError, match="rotate_by: `sin` needs one entry a row"):
        rotate_by(X, np.ones((5, 4)), np.zeros((3, 5, 4)))
