"""Softmax: the numbers, the invariances, and what must not happen."""

import dataclasses

import numpy as np
import pytest

from attnviz.core.attention.weights import softmax, softmax_stages
from attnviz.core.errors import EmptyRowError, MaskError, ShapeError


def test_logarithms_of_counts_give_their_shares():
    np.testing.assert_allclose(softmax(np.log([1, 2, 3, 4])), [0.1, 0.2, 0.3, 0.4])


def test_large_scores_do_not_overflow():
    # Course chapter, R28.
    np.testing.assert_allclose(
        softmax([1000.0, 999.0, 998.0]),
        [0.66524096, 0.24472847, 0.09003057],
        atol=5e-9,
    )


@pytest.mark.parametrize("size", [1e4, 1e30, 1e300, 1.7e308])
def test_scores_of_any_size_stay_finite(size):
    assert softmax([size, -size, size / 2]).tolist() == [1, 0, 0]


def test_stages_of_a_row():
    stages = softmax_stages(np.array([[0.0, np.log(3), -np.inf]]))
    np.testing.assert_allclose(stages.row_max, [[np.log(3)]])
    np.testing.assert_allclose(stages.exp_scores, [[1 / 3, 1, 0]])
    np.testing.assert_allclose(stages.row_sum, [[4 / 3]])
    np.testing.assert_allclose(stages.weights, [[0.25, 0.75, 0]])


def test_stages_of_a_row_where_nothing_is_visible():
    stages = softmax_stages(np.full((1, 3), -np.inf))
    assert stages.row_max.tolist() == [[-np.inf]]
    assert stages.exp_scores.tolist() == [[0, 0, 0]]
    assert stages.row_sum.tolist() == [[0]]
    assert stages.weights.tolist() == [[0, 0, 0]]


def test_a_hidden_entry_gets_exactly_nothing():
    weights = softmax([3.0, 1.0, 3.0], visible=np.array([True, False, True]))
    assert weights.tolist() == [0.5, 0, 0.5]


@pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf, 1e308])
def test_a_hidden_entry_may_hold_anything(junk):
    weights = softmax([0.0, 0.0, junk], visible=np.array([True, True, False]))
    assert weights.tolist() == [0.5, 0.5, 0]


def test_minus_infinity_hides_an_entry():
    assert softmax([0.0, -np.inf, 0.0]).tolist() == [0.5, 0, 0.5]


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_weights_sum_to_one_along_the_axis(axis):
    scores = np.sin(np.arange(30)).reshape(2, 3, 5)
    np.testing.assert_allclose(softmax(scores, axis=axis).sum(axis=axis), 1)


def test_the_other_axis_gives_other_weights():
    # Course chapter, R58.
    scores = [[2.0, 1.0], [0.0, 1.0]]
    np.testing.assert_allclose(
        softmax(scores), [[0.731059, 0.268941], [0.268941, 0.731059]], atol=5e-7
    )
    np.testing.assert_allclose(
        softmax(scores, axis=0), [[0.880797, 0.5], [0.119203, 0.5]], atol=5e-7
    )


def test_a_mask_follows_the_axis():
    visible = np.array([[True, False, True], [True, True, False]])
    weights = softmax(np.zeros((2, 3)), axis=0, visible=visible)
    assert weights.tolist() == [[0.5, 0, 1], [0.5, 1, 0]]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_type_of_the_scores_is_kept(dtype):
    assert softmax(np.array([1, 2], dtype)).dtype == dtype


def test_half_precision_is_rounded_once():
    scores = np.linspace(-8, 8, 97, dtype=np.float16)
    exact = softmax(scores.astype(np.float64)).astype(np.float16)
    np.testing.assert_array_equal(softmax(scores), exact)


def test_whole_numbers_become_float64():
    assert softmax([0, 0]).dtype == np.float64


def test_scores_stay_as_they_were():
    scores = np.array([1.0, 2.0, 3.0])
    scores.flags.writeable = False
    softmax(scores, visible=np.array([True, False, True]))
    assert scores.tolist() == [1, 2, 3]


def test_no_rows_give_no_weights():
    assert softmax(np.zeros((0, 3))).shape == (0, 3)


def test_a_visible_nan_spoils_its_own_row_alone():
    weights = softmax([[np.nan, 1.0], [2.0, 2.0]])
    assert np.isnan(weights[0]).all()
    assert weights[1].tolist() == [0.5, 0.5]


def test_a_visible_infinity_spoils_its_own_row_alone():
    weights = softmax([[np.inf, 1.0], [2.0, 2.0]])
    assert np.isnan(weights[0, 0])
    assert weights[1].tolist() == [0.5, 0.5]


def test_stages_cannot_be_replaced():
    stages = softmax_stages(np.zeros((1, 2)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        stages.weights = np.ones((1, 2))


def test_a_row_without_entries_is_refused():
    with pytest.raises(EmptyRowError, match=r"nothing is visible at \[\(0,\), \(1,\)"):
        softmax(np.zeros((2, 0)))


@pytest.mark.parametrize(
    ("x", "visible"),
    [
        ([[0.0, 1.0], [2.0, 3.0]], [[True, True], [False, False]]),
        ([[0.0, 1.0], [-np.inf, -np.inf]], [[True, True], [True, True]]),
        ([[0.0, 1.0], [-np.inf, 1.0]], [[True, True], [True, False]]),
    ],
)
def test_a_row_where_nothing_is_visible_is_refused_by_place(x, visible):
    with pytest.raises(
        EmptyRowError,
        match=r"softmax: `visible` needs at least one True along the axis; nothing is "
        r"visible at \[\(1,\)\]",
    ):
        softmax(x, visible=np.array(visible))


def test_only_the_first_five_empty_rows_are_named():
    with pytest.raises(EmptyRowError) as caught:
        softmax(np.zeros((7, 2)), visible=np.zeros((7, 2), bool))
    assert str(caught.value).endswith("at [(0,), (1,), (2,), (3,), (4,)]")


def test_a_mask_that_does_not_fit_is_refused():
    with pytest.raises(
        MaskError,
        match=r"softmax: `visible` needs a shape that broadcasts to \(3,\); got \(2,\)",
    ):
        softmax([1.0, 2.0, 3.0], visible=np.array([True, False]))


def test_a_mask_whose_axes_must_be_guessed_is_refused():
    with pytest.raises(
        MaskError,
        match=r"softmax: `visible` needs every axis of \(2, 2, 3, 5\), or no more than "
        r"its last two; got \(2, 3, 5\)",
    ):
        softmax(np.ones((2, 2, 3, 5)), visible=np.ones((2, 3, 5), bool))


def test_a_single_number_is_refused():
    with pytest.raises(ShapeError, match="softmax: `x` needs at least one axis"):
        softmax(1.0)


@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_that_is_not_there_is_refused(axis):
    with pytest.raises(
        ShapeError, match=rf"softmax: `axis` .*; got {axis} for shape \(2, 3\)"
    ):
        softmax(np.zeros((2, 3)), axis=axis)
