"""LayerNorm and its relatives: closed forms, independence, precision."""

import dataclasses

import numpy as np
import pytest

from attnviz.core.checks import check_layer_norm
from attnviz.core.errors import ShapeError
from attnviz.core.layers.norms import batch_norm, layer_norm, standardize
from attnviz.core.layers.rms import rms_norm

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 5))
GAMMA = RNG.standard_normal(5)
BETA = RNG.standard_normal(5)


def test_statistics_of_one_two_three_four():
    # Course chapter, R97 and R98: the variance divides by d.
    trace = layer_norm([[1.0, 2.0, 3.0, 4.0], [-1.0, 0.0, 0.0, 5.0]])
    assert trace.mean.tolist() == [2.5, 1]
    assert trace.variance.tolist() == [1.25, 5.5]


def test_scale_and_shift_of_one_two_three_four():
    # Course chapter, R99.
    trace = layer_norm(
        [1.0, 2.0, 3.0, 4.0], gamma=[1, 0.5, 2, 1], beta=[0, 1, -1, 0.5], eps=1e-5
    )
    np.testing.assert_allclose(
        trace.output, [-1.34163542, 0.7763941, -0.10557639, 1.84163542], atol=5e-9
    )


@pytest.mark.parametrize(
    ("eps", "mean_square"),
    [(1e-5, [0.999992, 0, 0.99999818]), (0.1, [0.92592593, 0, 0.98214286])],
)
def test_the_mean_square_is_variance_over_variance_plus_eps(eps, mean_square):
    # Course chapter, R102.
    rows = [[1, 2, 3, 4], [2, 2, 2, 2], [-1, 0, 0, 5]]
    normalized = layer_norm(rows, eps=eps).normalized
    np.testing.assert_allclose(
        np.square(normalized).mean(axis=-1), mean_square, atol=5e-9
    )


def test_eps_stands_inside_the_root():
    trace = layer_norm([-1.0, 1.0], eps=3.0)
    assert trace.normalized.tolist() == [-0.5, 0.5]
    assert trace.eps == 3


@pytest.mark.parametrize("norm", [layer_norm, batch_norm, rms_norm])
def test_eps_is_a_hundred_thousandth_if_left_out(norm):
    assert norm(X).eps == 1e-5


def test_normalized_rows_have_mean_zero():
    normalized = layer_norm(X + 1e6).normalized
    assert np.abs(normalized.mean(axis=-1)).max() < 1e-12


@pytest.mark.parametrize("number", [0.1, 2.0, 1e8 + 0.1, 1e15, -7e-9])
def test_a_constant_row_gives_beta(number):
    # Course chapter, R104. The mean of equal numbers can be off in the last digit.
    trace = layer_norm(np.full(3, number), beta=[1, 2, 3])
    assert np.abs(trace.normalized).max() < 1e-12
    np.testing.assert_allclose(trace.output, [1, 2, 3], atol=1e-12)


def test_without_scale_and_shift_the_output_is_the_normalized_row():
    trace = layer_norm(X)
    np.testing.assert_array_equal(trace.output, trace.normalized)
    assert trace.gamma.tolist() == [1] * 5
    assert trace.beta.tolist() == [0] * 5


def test_scale_and_shift_leave_the_statistics_alone():
    plain, scaled = layer_norm(X), layer_norm(X, gamma=GAMMA, beta=BETA)
    np.testing.assert_array_equal(scaled.mean, plain.mean)
    np.testing.assert_array_equal(scaled.variance, plain.variance)
    np.testing.assert_array_equal(scaled.normalized, plain.normalized)
    np.testing.assert_allclose(scaled.output, GAMMA * plain.normalized + BETA)


def test_statistics_are_one_a_position():
    trace = layer_norm(X)
    assert trace.mean.shape == trace.variance.shape == (2, 3)
    np.testing.assert_allclose(trace.mean, X.mean(axis=-1))
    np.testing.assert_allclose(trace.variance, X.var(axis=-1))
    assert trace.output.shape == (2, 3, 5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
@pytest.mark.parametrize("junk", [100.0, 1e30, np.nan, np.inf, -np.inf])
def test_no_position_takes_part_in_another_ones_statistics(norm, junk, dtype):
    # Course chapter, R105 and R108: the difference is exactly 0.
    x = X.astype(dtype)
    disturbed = x.copy()
    disturbed[1] = junk
    disturbed[0, 2, ::2] = junk
    disturbed[0, 2, 1] = -junk
    before, after = norm(x).output, norm(disturbed).output
    np.testing.assert_array_equal(after[0, :2], before[0, :2])


def test_batch_norm_mixes_samples():
    disturbed = X.copy()
    disturbed[1] += 10
    assert np.abs(batch_norm(disturbed).output - batch_norm(X).output)[0].max() > 1


def test_float32_is_right_when_the_mean_is_large_against_the_spread():
    row = (4096 + np.array([0, 1, 2, 4]) / 1024).astype(np.float32)
    wanted = layer_norm(np.array([0, 1, 2, 4.0]), eps=1e-5 * 1024**2)
    trace = layer_norm(row)
    np.testing.assert_allclose(trace.normalized, wanted.normalized, rtol=1e-6)
    assert trace.normalized.dtype == np.float32


@pytest.mark.parametrize("width", [5, 512, 1021])
@pytest.mark.parametrize("mean", [0, 1, 1e4, -1e6])
def test_float32_is_as_good_as_its_digits_far_from_zero(mean, width):
    rows = (mean + np.random.default_rng(0).standard_normal((7, width))).astype("f4")
    single, exact = layer_norm(rows), layer_norm(rows.astype("f8"))
    np.testing.assert_allclose(single.normalized, exact.normalized, atol=1e-6)
    np.testing.assert_allclose(single.variance, exact.variance, rtol=5e-7)
    np.testing.assert_allclose(single.mean, exact.mean, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("number", [0.1, 3.0, 1e8, -7e-9, 1e38])
@pytest.mark.parametrize("width", [3, 7, 1021])
def test_a_constant_row_of_float32_gives_beta(width, number):
    trace = layer_norm(np.full((2, width), number, "f4"), beta=np.arange(width))
    np.testing.assert_allclose(trace.output[0], np.arange(width), atol=1e-6)


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
@pytest.mark.parametrize(
    ("factor", "eps"), [(1e25, 1e-5), (3e37, 1e-5), (1e-24, 1e-60)]
)
def test_float32_is_normalized_where_squares_leave_its_range(norm, factor, eps):
    rows = np.float32(X[0])
    rows[1] *= np.float32(factor)
    single, exact = norm(rows, eps=eps), norm(rows.astype("f8"), eps=eps)
    assert np.abs(single.normalized).max(axis=-1).min() > 0.9
    np.testing.assert_allclose(single.normalized, exact.normalized, atol=5e-7)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("norm", [layer_norm, batch_norm, rms_norm])
def test_every_stage_keeps_the_type_of_the_input(norm, dtype):
    trace = norm(X.astype(dtype), gamma=GAMMA)
    statistic = trace.mean_square if norm is rms_norm else trace.variance
    assert {trace.normalized.dtype, trace.output.dtype, statistic.dtype} == {
        np.dtype(dtype)
    }


def test_half_precision_survives_squares_beyond_its_range():
    trace = layer_norm(np.array([-60_000, 60_000], np.float16))
    assert trace.normalized.tolist() == [-1, 1]
    assert trace.variance == np.inf
    assert rms_norm(np.array([60_000], np.float16)).output.tolist() == [1]


@pytest.mark.parametrize("norm", [layer_norm, batch_norm, rms_norm])
@pytest.mark.parametrize("factor", [2.0**500, 2.0**700, 2.0**1020])
def test_a_huge_row_is_normalized_like_a_small_one(norm, factor):
    small, huge = norm(X, eps=1e-30), norm(X * factor)
    np.testing.assert_allclose(huge.normalized, small.normalized, rtol=1e-14)
    if norm is not rms_norm:
        np.testing.assert_allclose(huge.mean, small.mean * factor)


def test_deviations_may_be_larger_than_any_number():
    trace = layer_norm([1.7e308, -1.7e308, -1.7e308])
    np.testing.assert_allclose(trace.normalized, [2**0.5, -(2**-0.5), -(2**-0.5)])
    assert trace.variance == np.inf


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
def test_a_huge_row_leaves_the_others_as_they_are(norm):
    rows = X.copy()
    rows[1] *= 1e200
    np.testing.assert_array_equal(norm(rows).output[0], norm(X).output[0])


def test_epsilon_counts_where_numbers_are_huge():
    trace = layer_norm([-1e160, 1e160], eps=1e308)
    np.testing.assert_allclose(trace.normalized, [-1, 1], rtol=1e-11)
    assert layer_norm([-1e154, 1e154], eps=1e308).normalized[1] == 0.5**0.5


@pytest.mark.parametrize("factor", [1e200, 1e307])
def test_checks_judge_a_huge_row_like_a_small_one(factor):
    row = np.array([1.0, 2, 3, 6]) * factor
    right, zeros = layer_norm(row).output, np.zeros(4)
    assert {each.verdict for each in check_layer_norm(row, right)} == {"pass"}
    found = {each.id: each.verdict for each in check_layer_norm(row, zeros)}
    assert found["loop"] == found["mean_square"] == "fail"


def test_whole_numbers_are_computed_in_float64():
    assert layer_norm([1, 2]).output.dtype == np.float64


def test_one_feature_normalizes_to_zero():
    assert layer_norm([[3.0], [5.0]]).output.tolist() == [[0], [0]]


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
def test_no_positions_give_no_output(norm):
    assert norm(np.zeros((0, 3))).output.shape == (0, 3)


def test_the_input_stays_as_it_was_and_the_trace_does_not_follow_it():
    x = X.copy()
    trace = layer_norm(x)
    np.testing.assert_array_equal(x, X)
    x[...] = 0
    np.testing.assert_array_equal(trace.x, X)


@pytest.mark.parametrize("norm", [layer_norm, batch_norm, rms_norm])
def test_nobody_can_write_into_a_trace(norm):
    trace = norm(X, gamma=GAMMA)
    fields = [getattr(trace, field.name) for field in dataclasses.fields(trace)]
    arrays = [field for field in fields if isinstance(field, np.ndarray)]
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
def test_nobody_can_replace_a_stage(norm):
    trace = norm(X)
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.output = X


def test_batch_norm_takes_statistics_of_each_feature():
    trace = batch_norm(X, gamma=GAMMA, beta=BETA)
    rows = X.reshape(6, 5)
    np.testing.assert_allclose(trace.mean, rows.mean(axis=0))
    np.testing.assert_allclose(trace.variance, rows.var(axis=0))
    np.testing.assert_allclose(
        trace.output.reshape(6, 5),
        GAMMA * (rows - rows.mean(axis=0)) / np.sqrt(rows.var(axis=0) + 1e-5) + BETA,
    )


def test_batch_norm_of_a_constant_feature_gives_zero():
    assert np.abs(batch_norm(np.full((3, 1), 1e8 + 0.1)).output).max() < 1e-12


def test_batch_norm_predicts_with_running_statistics():
    trace = batch_norm(
        [[3.0, 10.0]], running_mean=[1.0, 2.0], running_variance=[4.0, 16.0], eps=1e-12
    )
    np.testing.assert_allclose(trace.output, [[1, 2]])
    assert trace.mean.tolist() == [1, 2]
    assert trace.variance.tolist() == [4, 16]


def test_prediction_in_half_precision_is_rounded_once():
    half = np.float16
    trace = batch_norm(
        half([2048]),
        beta=half([-2048]),
        running_mean=half([0.25]),
        running_variance=half([1]),
        eps=1e-12,
    )
    assert trace.output.tolist() == [-0.25]


def test_rms_norm_divides_by_the_root_of_the_mean_square():
    trace = rms_norm([[3.0, 4.0], [1.0, 1.0]], gamma=[2, 3], eps=1e-12)
    assert trace.mean_square.tolist() == [12.5, 1]
    np.testing.assert_allclose(trace.normalized, [[3, 4] / np.sqrt(12.5), [1, 1]])
    np.testing.assert_allclose(trace.output, [[6, 12] / np.sqrt(12.5), [2, 3]])
    assert trace.gamma.tolist() == [2, 3]


def test_rms_norm_puts_eps_inside_the_root():
    trace = rms_norm([1.0, 1.0], eps=3.0)
    assert trace.output.tolist() == [0.5, 0.5]
    assert trace.eps == 3


@pytest.mark.parametrize("norm", [layer_norm, batch_norm, rms_norm])
@pytest.mark.parametrize(
    ("x", "message"),
    [
        (1.0, r"`x` needs shape \(..., d\); got \(\)"),
        (np.zeros((3, 0)), r"`x` needs d of at least 1; got \(3, 0\)"),
        ([[1.0], [1.0, 2.0]], "`x` needs rows of equal length"),
    ],
)
def test_rows_without_features_are_refused(norm, x, message):
    with pytest.raises(ShapeError, match=f"{norm.__name__}: {message}"):
        norm(x)


@pytest.mark.parametrize(
    ("norm", "name"),
    [
        (layer_norm, "gamma"),
        (layer_norm, "beta"),
        (batch_norm, "gamma"),
        (batch_norm, "beta"),
        (rms_norm, "gamma"),
    ],
)
def test_a_parameter_of_another_width_is_refused(norm, name):
    with pytest.raises(
        ShapeError,
        match=rf"{norm.__name__}: `{name}` needs shape \(5,\); got \(3, 5\)",
    ):
        norm(X, **{name: np.ones((3, 5))})


@pytest.mark.parametrize("norm", [layer_norm, batch_norm, rms_norm])
@pytest.mark.parametrize("eps", [0, -1e-5, np.nan, np.inf])
def test_eps_must_be_above_zero(norm, eps):
    with pytest.raises(ValueError, match=f"{norm.__name__}: `eps` needs a"):
        norm(X, eps=eps)


def test_without_epsilon_equal_numbers_have_no_answer():
    # (1, 2, 3, 6) has the variance 7/2.
    trace = standardize([[1.0, 2.0, 3.0, 6.0]], gamma=[2, 2, 2, 2])
    wanted = 2 * np.array([[-2, -1, 0, 3]]) / np.sqrt(3.5)
    np.testing.assert_allclose(trace.output, wanted, rtol=1e-15)
    assert trace.eps == 0
    with pytest.raises(ValueError, match=r"those at \(1,\) leave 0/0"):
        standardize([[1.0, 2.0], [3.0, 3.0]])


@pytest.mark.parametrize("name", ["running_mean", "running_variance"])
def test_running_statistics_come_together(name):
    with pytest.raises(ValueError, match="need to be given together; got one of them"):
        batch_norm(X, **{name: np.ones(5)})


@pytest.mark.parametrize("name", ["running_mean", "running_variance"])
def test_running_statistics_of_another_width_are_refused(name):
    good = {"running_mean": np.ones(5), "running_variance": np.ones(5)}
    with pytest.raises(ShapeError, match=rf"`{name}` needs shape \(5,\); got \(3,\)"):
        batch_norm(X, **(good | {name: np.ones(3)}))


def test_a_negative_running_variance_is_refused():
    with pytest.raises(
        ValueError, match=r"`running_variance` needs numbers of at least 0; got -0\.5"
    ):
        batch_norm([[1.0, 2.0]], running_mean=[0, 0], running_variance=[1, -0.5])


def test_a_running_variance_of_zero_is_guarded_by_eps():
    trace = batch_norm([[2.0]], running_mean=[0], running_variance=[0], eps=0.25)
    assert trace.output.tolist() == [[4]]


def test_batch_norm_of_nothing_is_refused():
    with pytest.raises(ShapeError, match=r"needs at least one position; got \(0, 3\)"):
        batch_norm(np.zeros((0, 3)))


def test_a_running_variance_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match=r"`running_variance` needs .* got nan"):
        batch_norm([[1.0]], running_mean=[0], running_variance=[np.nan])


def test_prediction_spoils_only_what_is_infinite():
    statistics = {"running_mean": [0, 1.0], "running_variance": [1, 1.0]}
    found = batch_norm([[np.inf, 1.0]], **statistics).output
    assert found.tolist() == [[np.inf, 0]]
    found = batch_norm(
        [[1.7e308, 1]], running_mean=[-1.7e308, 1], running_variance=[1, 1]
    )
    assert found.output.tolist() == [[np.inf, 0]]
