"""Gradients of whole layers agree with central differences of their forward pass."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask, padding_mask
from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.errors import ShapeError
from attnviz.core.gradients import (
    encoder_layer_backward,
    feed_forward_backward,
    layer_norm_backward,
    multi_head_backward,
)
from attnviz.core.layers.encoder import EncoderLayerParameters, encoder_layer
from attnviz.core.layers.network import FeedForwardParameters
from attnviz.core.layers.norms import NormParameters, batch_norm, layer_norm
from attnviz.core.positions.rotary import rotate
from tests.core.gradients.differences import differences

# Central differences with steps of 1e-5 are good to about 1e-9.
CLOSE = {"rtol": 1e-6, "atol": 1e-8}

RNG = np.random.default_rng(1)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


# Six query heads share three key–value heads: d = 5, d_k = 2, d_v = 7.
HEADS = MultiHeadParameters(
    w_q=normal(6, 5, 2),
    w_k=normal(3, 5, 2),
    w_v=normal(3, 5, 7),
    w_o=normal(42, 5),
    b_q=normal(6, 2),
    b_k=normal(3, 2),
    b_v=normal(3, 7),
    b_o=normal(5),
)
INPUTS = {"x_q": normal(2, 3, 5), "x_k": normal(2, 4, 5), "x_v": normal(2, 4, 5)}
D_HEADS = normal(2, 3, 5)


def heads_loss(inputs, parameters, **options) -> float:
    trace = multi_head_attend(**inputs, parameters=parameters, **options)
    return float((D_HEADS * trace.output).sum())


def heads_gradients(inputs, *, turn_back=None, **options):
    trace = multi_head_attend(**inputs, parameters=HEADS, **options)
    return multi_head_backward(
        D_HEADS, **inputs, parameters=HEADS, trace=trace, turn_back=turn_back
    )


@pytest.mark.parametrize("name", INPUTS)
def test_multi_head_gradient_of_each_input(name):
    np.testing.assert_allclose(
        getattr(heads_gradients(INPUTS), name),
        differences(lambda at: heads_loss({**INPUTS, name: at}, HEADS), INPUTS[name]),
        **CLOSE,
    )


@pytest.mark.parametrize(
    "name", ["w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"]
)
def test_multi_head_gradient_of_each_parameter(name):
    np.testing.assert_allclose(
        getattr(heads_gradients(INPUTS).parameters, name),
        differences(
            lambda at: heads_loss(INPUTS, replace(HEADS, **{name: at})),
            getattr(HEADS, name),
        ),
        **CLOSE,
    )


def test_input_that_stands_for_others_gets_their_shares():
    alone = {"x_q": INPUTS["x_q"]}
    options = {"visible": causal_mask(3)}
    found = heads_gradients(alone, **options)
    np.testing.assert_allclose(
        found.x_q,
        differences(lambda at: heads_loss({"x_q": at}, HEADS, **options), alone["x_q"]),
        **CLOSE,
    )
    assert (found.x_k, found.x_v) == (None, None)


def test_asked_input_that_stands_for_the_values_gets_their_share():
    two = {name: INPUTS[name] for name in ("x_q", "x_k")}
    found = heads_gradients(two)
    np.testing.assert_allclose(
        found.x_k,
        differences(lambda at: heads_loss({**two, "x_k": at}, HEADS), two["x_k"]),
        **CLOSE,
    )
    assert found.x_v is None


def test_gradient_goes_back_through_a_rotation():
    alone = {"x_q": INPUTS["x_q"]}
    found = heads_gradients(
        alone,
        turn=lambda x: rotate(x, np.arange(3)),
        turn_back=lambda x: rotate(x, -np.arange(3)),
    )
    np.testing.assert_allclose(
        found.x_q,
        differences(
            lambda at: heads_loss(
                {"x_q": at}, HEADS, turn=lambda x: rotate(x, np.arange(3))
            ),
            alone["x_q"],
        ),
        **CLOSE,
    )


def test_parameters_that_are_left_out_have_no_gradient():
    plain = MultiHeadParameters(HEADS.w_q, HEADS.w_k, HEADS.w_v, HEADS.w_o)
    trace = multi_head_attend(INPUTS["x_q"], parameters=plain)
    found = multi_head_backward(
        D_HEADS, x_q=INPUTS["x_q"], parameters=plain, trace=trace
    ).parameters
    assert (found.b_q, found.b_k, found.b_v, found.b_o) == (None, None, None, None)


def test_hidden_position_changes_no_gradient_even_as_nan():
    valid = np.array([True, True, True, False])
    masked = {"visible": padding_mask(valid)}
    fewer = {
        "x_q": INPUTS["x_q"],
        "x_k": INPUTS["x_k"][:, :3],
        "x_v": INPUTS["x_v"][:, :3],
    }
    spoilt = {name: array.copy() for name, array in INPUTS.items()}
    spoilt["x_k"][:, 3], spoilt["x_v"][:, 3] = np.nan, np.inf
    found, expected = heads_gradients(spoilt, **masked), heads_gradients(fewer)
    np.testing.assert_array_equal(found.x_k[:, 3], 0)
    np.testing.assert_array_equal(found.x_v[:, 3], 0)
    np.testing.assert_allclose(found.x_q, expected.x_q, rtol=1e-12)
    np.testing.assert_allclose(
        found.parameters.w_k, expected.parameters.w_k, rtol=1e-10, atol=1e-13
    )
    np.testing.assert_allclose(
        found.parameters.w_v, expected.parameters.w_v, rtol=1e-10, atol=1e-13
    )


def test_multi_head_message_names_argument_wanted_and_got():
    trace = multi_head_attend(**INPUTS, parameters=HEADS)
    with pytest.raises(
        ShapeError,
        match=r"multi_head_backward: `x_k` needs the shape it had in the forward "
        r"pass, \(2, 4, 5\); got \(2, 3, 5\)",
    ):
        multi_head_backward(
            D_HEADS,
            **{**INPUTS, "x_k": INPUTS["x_q"]},
            parameters=HEADS,
            trace=trace,
        )


NORM = {"x": normal(2, 3, 7), "gamma": normal(7), "beta": normal(7)}
D_NORM = normal(2, 3, 7)


@pytest.mark.parametrize("eps", [1e-5, 0.5])
@pytest.mark.parametrize("name", NORM)
def test_layer_norm_gradient(name, eps):
    found = layer_norm_backward(D_NORM, trace=layer_norm(**NORM, eps=eps))
    np.testing.assert_allclose(
        getattr(found, name),
        differences(
            lambda at: float(
                (D_NORM * layer_norm(**{**NORM, name: at}, eps=eps).output).sum()
            ),
            NORM[name],
        ),
        **CLOSE,
    )


def test_layer_norm_gradient_ignores_shift_and_scale_of_a_position():
    found = layer_norm_backward(D_NORM, trace=layer_norm(**NORM, eps=1e-30)).x
    np.testing.assert_allclose(found.sum(axis=-1), 0, atol=1e-14)
    np.testing.assert_allclose((found * NORM["x"]).sum(axis=-1), 0, atol=1e-14)


@pytest.mark.parametrize(
    ("dtype", "factor", "eps"),
    [
        ("float16", 1e3, 1e-5),
        ("float16", 1e-4, 1e-8),
        ("float16", 1e-4, 1e-12),
        ("float32", 1e19, 1e-5),
        ("float64", 1e200, 1e-5),
    ],
)
def test_layer_norm_gradient_does_not_hang_on_a_rounded_variance(dtype, factor, eps):
    x = np.array([1.0, 2, 3, 5, 7], dtype) * np.array(factor, dtype)
    up = np.array([1, 0, 0, 0, -2]) * (factor if factor > 1 else 1)
    unit = float(x[0])
    wanted = layer_norm_backward(
        up / unit,
        trace=layer_norm(x.astype(float) / unit, eps=max(eps / unit / unit, 1e-300)),
    )
    found = layer_norm_backward(up, trace=layer_norm(x, eps=eps))
    np.testing.assert_allclose(found.x, wanted.x, rtol=1e-3)


def test_constant_position_has_a_finite_gradient():
    trace = layer_norm([[2.0, 2.0, 2.0, 2.0]])
    found = layer_norm_backward([[1.0, 0.0, 0.0, -1.0]], trace=trace)
    np.testing.assert_allclose(
        found.x, np.array([[1, 0, 0, -1]]) / np.sqrt(1e-5), rtol=1e-12
    )
    np.testing.assert_array_equal(found.gamma, [0, 0, 0, 0])


def test_layer_norm_backward_refuses_the_trace_of_a_batch_norm():
    trace = batch_norm(NORM["x"])
    with pytest.raises(
        ShapeError,
        match=r"layer_norm_backward: `trace` needs one variance a position, "
        r"\(2, 3\); got one a feature, \(7,\)",
    ):
        layer_norm_backward(D_NORM, trace=trace)


def test_a_square_batch_is_not_taken_for_positions():
    square = normal(5, 5)
    with pytest.raises(ShapeError, match="got one a feature"):
        layer_norm_backward(square, trace=batch_norm(square))


NETWORK = FeedForwardParameters(
    w_1=normal(5, 11), b_1=normal(11), w_2=normal(11, 5), b_2=normal(5)
)
ROWS, D_ROWS = normal(2, 3, 5), normal(2, 3, 5)
ACTIVATIONS = ["relu", "gelu", "gelu_tanh"]


def network_loss(x, network, activation) -> float:
    return float((D_ROWS * network.apply(x, activation).output).sum())


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_feed_forward_gradient_of_the_input(activation):
    found = feed_forward_backward(
        D_ROWS, parameters=NETWORK, trace=NETWORK.apply(ROWS, activation)
    )
    np.testing.assert_allclose(
        found.x,
        differences(lambda at: network_loss(at, NETWORK, activation), ROWS),
        **CLOSE,
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("name", ["w_1", "b_1", "w_2", "b_2"])
def test_feed_forward_gradient_of_each_parameter(name, activation):
    found = feed_forward_backward(
        D_ROWS, parameters=NETWORK, trace=NETWORK.apply(ROWS, activation)
    )
    np.testing.assert_allclose(
        getattr(found.parameters, name),
        differences(
            lambda at: network_loss(ROWS, replace(NETWORK, **{name: at}), activation),
            getattr(NETWORK, name),
        ),
        **CLOSE,
    )


@pytest.mark.parametrize(
    ("activation", "slope"), [("relu", 0), ("gelu", 0.5), ("gelu_tanh", 0.5)]
)
def test_slope_of_the_activation_at_zero(activation, slope):
    network = FeedForwardParameters(w_1=[[1.0]], b_1=[0], w_2=[[1.0]], b_2=[0])
    trace = network.apply([[0.0]], activation)
    found = feed_forward_backward([[1.0]], parameters=network, trace=trace)
    np.testing.assert_array_equal(found.hidden, [[slope]])


LAYER = EncoderLayerParameters(
    attention=HEADS,
    feed_forward=NETWORK,
    norm_1=NormParameters(gamma=normal(5), beta=normal(5)),
    norm_2=NormParameters(gamma=normal(5), beta=normal(5)),
)
SETTING = {"visible": causal_mask(3), "activation": "gelu_tanh", "softcap": 2.0}


def layer_loss(x, parameters, norm) -> float:
    trace = encoder_layer(x, parameters=parameters, norm=norm, **SETTING)
    return float((D_ROWS * trace.output).sum())


def layer_gradients(norm):
    trace = encoder_layer(ROWS, parameters=LAYER, norm=norm, **SETTING)
    return encoder_layer_backward(D_ROWS, parameters=LAYER, trace=trace)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_encoder_layer_gradient_of_the_input(norm):
    np.testing.assert_allclose(
        layer_gradients(norm).x,
        differences(lambda at: layer_loss(at, LAYER, norm), ROWS),
        **CLOSE,
    )


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("attention", "w_q"),
        ("attention", "w_k"),
        ("attention", "w_v"),
        ("attention", "b_o"),
        ("feed_forward", "w_1"),
        ("feed_forward", "b_2"),
        ("norm_1", "gamma"),
        ("norm_1", "beta"),
        ("norm_2", "gamma"),
        ("norm_2", "beta"),
    ],
)
def test_encoder_layer_gradient_of_each_part(part, name, norm):
    learned = getattr(LAYER, part)
    np.testing.assert_allclose(
        getattr(getattr(layer_gradients(norm).parameters, part), name),
        differences(
            lambda at: layer_loss(
                ROWS, replace(LAYER, **{part: replace(learned, **{name: at})}), norm
            ),
            getattr(learned, name),
        ),
        **CLOSE,
    )


def test_gradient_passes_a_pre_norm_layer_of_silent_sublayers_unchanged():
    silent = replace(
        LAYER,
        attention=replace(HEADS, w_o=np.zeros((42, 5))),
        feed_forward=replace(NETWORK, w_2=np.zeros((11, 5))),
    )
    trace = encoder_layer(ROWS, parameters=silent, norm="pre")
    found = encoder_layer_backward(D_ROWS, parameters=silent, trace=trace)
    np.testing.assert_array_equal(found.x, D_ROWS)


@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh"])
def test_gelu_is_straight_far_from_zero(activation):
    network = FeedForwardParameters(w_1=[[1.0]], b_1=[0], w_2=[[1.0]], b_2=[0])
    trace = network.apply([[-1e200], [1e200]], activation)
    found = feed_forward_backward([[1.0], [1.0]], parameters=network, trace=trace)
    assert found.x.tolist() == [[0], [1]]
