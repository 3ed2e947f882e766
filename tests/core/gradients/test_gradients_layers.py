"""Gradients of whole layers agree with central differences of their forward pass."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask
from attnviz.core.errors import ShapeError
from attnviz.core.gradients import (
    decoder_layer_backward,
    encoder_layer_backward,
    feed_forward_backward,
    layer_norm_backward,
    rms_norm_backward,
)
from attnviz.core.layers.decoder import DecoderLayerParameters, decoder_layer
from attnviz.core.layers.encoder import EncoderLayerParameters, encoder_layer
from attnviz.core.layers.network import FeedForwardParameters
from attnviz.core.layers.norms import NormParameters, batch_norm, layer_norm
from attnviz.core.layers.rms import rms_norm
from attnviz.core.positions.rotary import rotate
from tests.core.gradients.differences import differences
from tests.core.gradients.gradient_arrays import CLOSE, HEADS, normal

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


@pytest.mark.parametrize("eps", [1e-5, 0.5])
@pytest.mark.parametrize("name", ["x", "gamma"])
def test_rms_norm_gradient(name, eps):
    given = {"x": NORM["x"], "gamma": NORM["gamma"]}
    found = rms_norm_backward(D_NORM, trace=rms_norm(**given, eps=eps))
    np.testing.assert_allclose(
        getattr(found, name),
        differences(
            lambda at: float(
                (D_NORM * rms_norm(**{**given, name: at}, eps=eps).output).sum()
            ),
            given[name],
        ),
        **CLOSE,
    )


def test_rms_norm_gradient_ignores_the_scale_of_a_position():
    found = rms_norm_backward(D_NORM, trace=rms_norm(NORM["x"], eps=1e-30)).x
    np.testing.assert_allclose((found * NORM["x"]).sum(axis=-1), 0, atol=1e-14)


def test_rms_norm_gradient_keeps_the_type_and_survives_huge_numbers():
    x = np.float32([[1e20, 2e20, -3e20]])
    found = rms_norm_backward(np.float32([[1e20, 0, 0]]), trace=rms_norm(x))
    small = rms_norm_backward([[1.0, 0, 0]], trace=rms_norm([[1.0, 2, -3]], eps=1e-30))
    assert found.x.dtype == np.float32
    np.testing.assert_allclose(found.x, small.x, rtol=1e-6)


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
    found = feed_forward_backward(D_ROWS, trace=NETWORK.apply(ROWS, activation))
    np.testing.assert_allclose(
        found.x,
        differences(lambda at: network_loss(at, NETWORK, activation), ROWS),
        **CLOSE,
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("name", ["w_1", "b_1", "w_2", "b_2"])
def test_feed_forward_gradient_of_each_parameter(name, activation):
    found = feed_forward_backward(D_ROWS, trace=NETWORK.apply(ROWS, activation))
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
    found = feed_forward_backward([[1.0]], trace=trace)
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
    return encoder_layer_backward(D_ROWS, trace=trace)


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
    found = encoder_layer_backward(D_ROWS, trace=trace)
    np.testing.assert_array_equal(found.x, D_ROWS)


@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh"])
def test_gelu_is_straight_far_from_zero(activation):
    network = FeedForwardParameters(w_1=[[1.0]], b_1=[0], w_2=[[1.0]], b_2=[0])
    trace = network.apply([[-1e200], [1e200]], activation)
    found = feed_forward_backward([[1.0], [1.0]], trace=trace)
    assert found.x.tolist() == [[0], [1]]


def test_parameters_beside_the_trace_of_a_layer_must_be_its_own():
    other = replace(LAYER, norm_2=NormParameters(gamma=np.ones(5)))
    trace = encoder_layer(ROWS, parameters=LAYER)
    beside = encoder_layer_backward(D_ROWS, trace=trace, parameters=replace(LAYER))
    np.testing.assert_array_equal(
        beside.x, encoder_layer_backward(D_ROWS, trace=trace).x
    )
    with pytest.raises(
        ValueError, match=r"encoder_layer_backward: `parameters\.norm_2\.gamma` needs"
    ):
        encoder_layer_backward(D_ROWS, trace=trace, parameters=other)
    with pytest.raises(
        ValueError, match=r"feed_forward_backward: `parameters\.b_1` needs the numbers"
    ):
        feed_forward_backward(
            D_ROWS,
            trace=trace.feed_forward,
            parameters=replace(NETWORK, b_1=NETWORK.b_1 + 1),
        )


DECODER = DecoderLayerParameters(
    self_attention=HEADS,
    cross_attention=replace(HEADS, w_q=normal(6, 5, 2), w_o=normal(42, 5)),
    feed_forward=NETWORK,
    norm_1=NormParameters(gamma=normal(5), beta=normal(5)),
    norm_2=NormParameters(gamma=normal(5), beta=normal(5)),
    norm_3=NormParameters(gamma=normal(5), beta=normal(5)),
)
MEMORY = normal(4, 5)
DECODING = {"turn": lambda x: rotate(x, np.arange(3)), "activation": "gelu_tanh"}


def decoder_loss(x, memory, parameters, norm) -> float:
    trace = decoder_layer(x, memory, parameters=parameters, norm=norm, **DECODING)
    return float((D_ROWS * trace.output).sum())


def decoder_gradients(norm):
    trace = decoder_layer(ROWS, MEMORY, parameters=DECODER, norm=norm, **DECODING)
    return decoder_layer_backward(D_ROWS, trace=trace)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_decoder_layer_gradient_of_targets_and_memory(norm):
    found = decoder_gradients(norm)
    np.testing.assert_allclose(
        found.x,
        differences(lambda at: decoder_loss(at, MEMORY, DECODER, norm), ROWS),
        **CLOSE,
    )
    np.testing.assert_allclose(
        found.memory,
        differences(lambda at: decoder_loss(ROWS, at, DECODER, norm), MEMORY),
        **CLOSE,
    )


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("self_attention", "w_q"),
        ("self_attention", "b_o"),
        ("cross_attention", "w_q"),
        ("cross_attention", "w_k"),
        ("cross_attention", "b_v"),
        ("feed_forward", "w_2"),
        ("norm_1", "gamma"),
        ("norm_2", "beta"),
        ("norm_3", "gamma"),
    ],
)
def test_decoder_layer_gradient_of_each_part(part, name, norm):
    learned = getattr(DECODER, part)
    np.testing.assert_allclose(
        getattr(getattr(decoder_gradients(norm).parameters, part), name),
        differences(
            lambda at: decoder_loss(
                ROWS,
                MEMORY,
                replace(DECODER, **{part: replace(learned, **{name: at})}),
                norm,
            ),
            getattr(learned, name),
        ),
        **CLOSE,
    )


def test_decoder_layer_backward_names_the_shape_it_wants():
    trace = decoder_layer(ROWS, MEMORY, parameters=DECODER)
    with pytest.raises(
        ShapeError, match="decoder_layer_backward: `d_output` needs the shape"
    ):
        decoder_layer_backward(D_ROWS[0], trace=trace)
