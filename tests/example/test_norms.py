"""The Layer Normalization on screen: its settings, and who feels a disturbance."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.errors import SettingError
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.norms import (
    DISTURBANCES,
    NORM_EXAMPLES,
    NORM_SETTINGS,
    NORM_SOURCES,
    NormExample,
    compute_norm,
)
from attnviz.example.settings import Example

# Distinct primes, so that no axis can stand in for another.
PRIMES = Example(length=7, d_model=5, seed=13)


def test_shapes_are_those_of_the_chapter():
    trace = compute_norm(PRIMES, NormExample(n_samples=3))
    assert trace.norm.x.shape == trace.norm.output.shape == (7, 5)
    assert trace.norm.mean.shape == trace.norm.variance.shape == (7,)
    assert trace.batch.shape == trace.disturbed.shape == (3, 7, 5)


def test_the_rows_of_the_chapter_give_its_numbers():
    # Course chapter, R97-R103 and P20.
    preset = "norm_rows"
    trace = compute_norm(EXAMPLES[preset], NORM_EXAMPLES[preset])
    assert trace.norm.mean.tolist() == [2.5, 2, 1]
    assert trace.norm.variance.tolist() == [1.25, 0, 5.5]
    first = [-1.34163542, 0.7763941, -0.10557639, 1.84163542]
    np.testing.assert_allclose(trace.norm.output[0], first, atol=5e-9)
    assert trace.norm.output[1].tolist() == [0, 1, -1, 0.5]
    assert trace.output_mean[0] == pytest.approx(0.29270443, abs=5e-9)
    assert trace.output_variance[0] == pytest.approx(1.36570931, abs=5e-9)


@pytest.mark.parametrize(
    ("eps", "mean_squares"),
    [(1e-5, [0.999992, 0, 0.99999818]), (0.1, [0.92592593, 0, 0.98214286])],
)
def test_the_mean_square_falls_short_of_1_as_the_chapter_says(eps, mean_squares):
    # Course chapter, R102.
    trace = compute_norm(EXAMPLES["norm_rows"], NormExample(eps=eps))
    found = (trace.norm.normalized**2).mean(axis=-1)
    np.testing.assert_allclose(found, mean_squares, atol=5e-9)


def test_the_tensor_is_x_or_x_plus_the_attention_output_or_the_typed_rows():
    trace = compute(PRIMES)
    x = compute_norm(PRIMES, NormExample(source="input")).norm.x
    np.testing.assert_array_equal(x, trace.x)
    residual = compute_norm(PRIMES, NormExample(source="residual")).norm.x
    np.testing.assert_array_equal(residual, trace.x + trace.heads.output)
    rows = ((1.0, 2.0), (3.0, 5.0))
    typed = compute_norm(PRIMES, NormExample(source="rows", rows=rows))
    assert typed.norm.x.tolist() == [[1, 2], [3, 5]]
    assert typed.tokens == ("x₁", "x₂")


@pytest.mark.parametrize(
    "changes",
    [{"gamma": (2.0,)}, {"beta": (1.0, 2.0, 3.0, 4.0, 5.0)}, {"eps": 0.1}],
    ids=["gamma", "beta", "eps"],
)
def test_scale_shift_and_epsilon_leave_the_statistics_alone(changes):
    # Course chapter, R5 and R110.
    before = compute_norm(PRIMES, NormExample())
    after = compute_norm(PRIMES, NormExample(**changes))
    np.testing.assert_array_equal(before.norm.x, after.norm.x)
    np.testing.assert_array_equal(before.norm.mean, after.norm.mean)
    np.testing.assert_array_equal(before.norm.variance, after.norm.variance)
    assert (before.norm.output != after.norm.output).any()


def test_one_number_serves_all_features():
    one = compute_norm(PRIMES, NormExample(gamma=(3.0,))).norm
    many = compute_norm(PRIMES, NormExample(gamma=(3.0,) * 5)).norm
    np.testing.assert_array_equal(one.output, many.output)


@pytest.mark.parametrize("name", ["gamma", "beta"])
def test_a_parameter_that_fits_no_feature_count_is_refused(name):
    with pytest.raises(SettingError) as caught:
        compute_norm(PRIMES, NormExample(**{name: (1.0, 2.0)}))
    assert caught.value.reason == "parameter_count"
    assert caught.value.values == {"name": name, "got": 2, "wanted": 5}


@pytest.mark.parametrize("source", NORM_SOURCES)
@pytest.mark.parametrize("disturbance", ["samples", "positions"])
def test_layer_norm_feels_no_disturbance_and_batch_norm_does(source, disturbance):
    # Course chapter, R105 and R108: exactly 0 under LayerNorm.
    settings = NormExample(source=source, disturbance=disturbance)
    trace = compute_norm(PRIMES, settings)
    assert trace.largest_layer_change == 0
    assert not trace.layer_change.any()
    assert trace.largest_batch_change > 0.01


def test_nothing_disturbed_changes_nothing():
    trace = compute_norm(PRIMES, NormExample(disturbance="nothing"))
    assert trace.largest_batch_change == trace.largest_layer_change == 0
    np.testing.assert_array_equal(trace.batch, trace.disturbed)


def test_disturbing_the_samples_leaves_the_first_and_changes_every_other():
    trace = compute_norm(PRIMES, NormExample(n_samples=5, disturbance="samples"))
    np.testing.assert_array_equal(trace.batch[0], trace.disturbed[0])
    assert (trace.batch[1:] != trace.disturbed[1:]).all()


def test_disturbing_a_position_changes_the_last_of_the_first_sample_alone():
    trace = compute_norm(PRIMES, NormExample(disturbance="positions"))
    changed = (trace.batch != trace.disturbed).all(axis=-1)
    assert np.argwhere(changed).tolist() == [[0, 6]]
    assert not trace.batch_change[-1].any()


def test_more_samples_keep_the_earlier_ones():
    few = compute_norm(PRIMES, NormExample(n_samples=3)).batch
    many = compute_norm(PRIMES, NormExample(n_samples=7)).batch
    np.testing.assert_array_equal(many[:3], few)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("source", "output"),
        ("disturbance", "everything"),
        ("eps", -1e-5),
        ("eps", float("inf")),
        ("eps", float("nan")),
        ("n_samples", 1),
        ("n_samples", 9),
        ("n_samples", 2.5),
        ("n_samples", "3"),
        ("n_samples", None),
        ("source", []),
    ],
)
def test_what_cannot_be_is_refused(name, value):
    with pytest.raises(SettingError, match=r"unknown|range|number"):
        NormExample(**{name: value})


@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_everything_can_be_shown_at_the_smallest_and_largest_sizes(disturbance):
    settings = NormExample(n_samples=8, disturbance=disturbance)
    compute_norm(Example(length=1, d_model=1), settings)
    trace = compute_norm(Example(length=32, d_model=64), settings)
    assert np.isfinite(trace.norm.output).all()


def test_equal_settings_share_one_computation_that_nobody_can_write_into():
    settings = NormExample(gamma=(2.0,))
    trace = compute_norm(PRIMES, settings)
    assert compute_norm(replace(PRIMES), replace(settings)) is trace
    with pytest.raises(ValueError, match="read-only"):
        trace.batch[0, 0, 0] = 9


@pytest.mark.parametrize("eps", [0, 1e-12, 1e-6, 2e-5, 3])
def test_any_epsilon_from_zero_may_be_typed_and_stands_in_an_address(eps):
    typed = NormExample(eps=eps)
    assert compute_norm(PRIMES, typed).norm.eps == eps
    form = NORM_SETTINGS["eps"].form
    assert form.read(form.write(typed.eps)) == eps


def test_without_epsilon_each_row_has_the_mean_square_1_or_no_answer():
    typed = NormExample(source="rows", rows=((1.0, 2.0), (3.0, 5.0)), eps=0)
    normalized = compute_norm(PRIMES, typed).norm.normalized
    np.testing.assert_allclose(normalized, [[-1, 1], [-1, 1]], rtol=1e-15)
    flat = replace(typed, rows=((1.0, 2.0), (3.0, 3.0)))
    with pytest.raises(SettingError) as refused:
        compute_norm(PRIMES, flat)
    assert (refused.value.reason, refused.value.values) == ("flat_row", {"row": 2})
