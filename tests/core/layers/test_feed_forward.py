"""The position-wise network: its stages and its activations."""

import math

import numpy as np
import pytest

from attnviz.core.errors import ShapeError
from attnviz.core.layers.network import FeedForwardParameters, activate, feed_forward

X = np.sin(np.arange(2 * 5 * 3.0)).reshape(2, 5, 3)
ARRAYS = {
    "w_1": np.cos(np.arange(33.0)).reshape(3, 11),
    "b_1": np.sin(np.arange(11.0)),
    "w_2": np.sin(np.arange(33.0)).reshape(11, 3),
    "b_2": np.cos(np.arange(3.0)),
}


def test_the_stages_follow_the_formula():
    trace = feed_forward(X, **ARRAYS)
    hidden = X @ ARRAYS["w_1"] + np.ones((5, 1)) * ARRAYS["b_1"]
    np.testing.assert_allclose(trace.hidden, hidden)
    np.testing.assert_array_equal(trace.activated, trace.hidden.clip(0))
    np.testing.assert_allclose(
        trace.output, hidden.clip(0) @ ARRAYS["w_2"] + ARRAYS["b_2"], atol=1e-14
    )


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh"])
def test_positions_do_not_see_each_other(activation):
    # Course chapter, R116.
    changed = X.copy()
    changed[:, 3] = 17
    before = feed_forward(X, **ARRAYS, activation=activation).output
    after = feed_forward(changed, **ARRAYS, activation=activation).output
    others = [0, 1, 2, 4]
    np.testing.assert_array_equal(after[:, others], before[:, others])
    assert np.abs(after[:, 3] - before[:, 3]).min() > 0


def test_gelu_is_the_number_times_its_normal_share():
    # Φ(1) = 0.8413447460685429.
    np.testing.assert_allclose(
        activate([-1.0, 0.0, 1.0], "gelu"),
        [-0.15865525393145707, 0, 0.8413447460685429],
        rtol=1e-15,
    )


def test_the_other_gelu_is_close_to_the_exact_one():
    x = np.linspace(-6, 6, 241)
    difference = np.abs(activate(x, "gelu") - activate(x, "gelu_tanh"))
    assert 1e-4 < difference.max() < 1e-3


def test_the_other_gelu_follows_its_formula():
    x = 0.7
    np.testing.assert_allclose(
        activate([x], "gelu_tanh"),
        [x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))],
    )


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_activations_keep_the_type_and_the_limits(activation, dtype):
    activated = activate(np.array([-60000, 0, 60000], dtype), activation)
    assert activated.dtype == dtype
    assert activated.tolist() == [0, 0, 60000]


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh"])
def test_nothing_is_activated_to_nothing(activation):
    assert activate(np.ones((0, 3)), activation).shape == (0, 3)


@pytest.mark.parametrize("stage", ["x", "hidden", "activated", "output"])
def test_no_stage_can_be_written(stage):
    assert not getattr(feed_forward(X, **ARRAYS), stage).flags.writeable


def test_parameters_are_copies_that_cannot_be_written():
    given = {name: array.copy() for name, array in ARRAYS.items()}
    parameters = FeedForwardParameters(**given)
    given["w_1"][:] = 0
    np.testing.assert_array_equal(parameters.w_1, ARRAYS["w_1"])
    with pytest.raises(ValueError, match="read-only"):
        parameters.w_1[:] = 0


def test_applied_parameters_give_the_same_trace():
    parameters = FeedForwardParameters(**ARRAYS)
    np.testing.assert_array_equal(
        parameters.apply(X, "gelu").output,
        feed_forward(X, **ARRAYS, activation="gelu").output,
    )


@pytest.mark.parametrize(
    ("name", "shape", "wanted"),
    [
        ("w_1", (7, 11), r"d=3 \(from `x`\)"),
        ("b_1", (7,), r"d_ff=11 \(from `w_1`\)"),
        ("w_2", (7, 3), r"d_ff=11 \(from `w_1`\)"),
        ("b_2", (7,), r"d=3 \(from `x`\)"),
    ],
)
def test_an_array_that_does_not_fit_is_named(name, shape, wanted):
    message = f"feed_forward: `{name}` needs .*{wanted}"
    with pytest.raises(ShapeError, match=message):
        feed_forward(X, **ARRAYS | {name: np.ones(shape)})


@pytest.mark.parametrize(
    ("name", "shape", "wanted"),
    [
        ("w_1", (5, 3, 11), r"\(d, d_ff\)"),
        ("b_1", (5, 11), r"\(d_ff,\)"),
        ("w_2", (5, 11, 3), r"\(d_ff, d\)"),
        ("b_2", (5, 3), r"\(d,\)"),
    ],
)
def test_learned_arrays_have_no_leading_axes(name, shape, wanted):
    arrays = ARRAYS | {name: np.ones(shape)}
    with pytest.raises(ShapeError, match=rf"feed_forward: `{name}` needs.*{wanted}"):
        feed_forward(X, **arrays)
    with pytest.raises(ShapeError, match=rf"Parameters: `{name}` needs.*{wanted}"):
        FeedForwardParameters(**arrays)


def test_parameters_that_disagree_are_refused():
    with pytest.raises(ShapeError, match="FeedForwardParameters: `b_2` needs"):
        FeedForwardParameters(**ARRAYS | {"b_2": np.ones(7)})


def test_an_unknown_activation_is_refused():
    with pytest.raises(ValueError, match="`activation` needs 'relu', 'gelu' or"):
        feed_forward(X, **ARRAYS, activation="swish")


def test_gelu_of_a_very_negative_number_is_not_cancelled():
    wanted = -9 * math.erfc(9 / 2**0.5) / 2
    np.testing.assert_allclose(activate([-9.0], "gelu"), [wanted], rtol=1e-12)


@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gelu_of_the_outermost_numbers_is_zero_or_themselves(activation, dtype):
    largest = np.finfo(dtype).max
    found = activate(np.array([-np.inf, -largest, largest, np.inf], dtype), activation)
    assert found.tolist() == [0, 0, largest, np.inf]
