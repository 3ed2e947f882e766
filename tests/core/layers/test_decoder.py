"""The decoder layer: its three steps, and who may influence whom."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.attention.masks import causal_mask, padding_mask
from attnviz.core.errors import ShapeError
from attnviz.core.layers.decoder import decoder_layer
from attnviz.core.layers.encoder import EncoderLayerParameters, encoder_layer
from tests.core.layers.layer_arrays import DECODER, MEMORY, X, network

PLACES = pytest.mark.parametrize("norm", ["post", "pre"])


@settings(derandomize=True, deadline=None, max_examples=25)
@given(target=st.integers(0, 4), source=st.integers(0, 6))
def test_a_decoder_row_sees_no_later_target_and_every_source(target, source):
    # Course chapter, R120.
    base = decoder_layer(X, MEMORY, parameters=DECODER).output
    targets, sources = X.copy(), MEMORY.copy()
    targets[:, target] += [1, 0, -1, 0, 2, 0]
    sources[:, source] += [1, 0, -1, 0, 2, 0]
    later = decoder_layer(targets, MEMORY, parameters=DECODER).output
    other = decoder_layer(X, sources, parameters=DECODER).output
    np.testing.assert_array_equal(later[:, :target], base[:, :target])
    assert np.abs(later - base)[:, target:].max(axis=-1).min() > 1e-9
    assert np.abs(other - base).max(axis=-1).min() > 1e-9


@PLACES
def test_a_decoder_takes_its_steps_in_order(norm):
    trace = decoder_layer(X, MEMORY, parameters=DECODER, norm=norm)
    # Without the cross-attention, a decoder is a causal encoder.
    causal = encoder_layer(
        X,
        parameters=EncoderLayerParameters(DECODER.self_attention, network(5)),
        norm=norm,
        visible=causal_mask(5),
    )
    np.testing.assert_array_equal(trace.self_attention.output, causal.attention.output)
    np.testing.assert_array_equal(trace.residual_1, causal.residual_1)
    assert trace.cross_attention.attention.weights.shape == (2, 2, 5, 7)
    entering = {"post": trace.norm_1.output, "pre": trace.residual_1}[norm]
    np.testing.assert_array_equal(
        trace.residual_2, entering + trace.cross_attention.output
    )
    entering = {"post": trace.norm_2.output, "pre": trace.residual_2}[norm]
    np.testing.assert_array_equal(
        trace.residual_3, entering + trace.feed_forward.output
    )
    leaving = {"post": trace.norm_3.output, "pre": trace.residual_3}[norm]
    np.testing.assert_array_equal(trace.output, leaving)


def test_keys_and_values_of_cross_attention_come_from_the_memory():
    trace = decoder_layer(X, MEMORY, parameters=DECODER, norm="pre")
    np.testing.assert_allclose(
        trace.cross_attention.k[1, 0], MEMORY[1] @ DECODER.cross_attention.w_k[0]
    )
    np.testing.assert_allclose(
        trace.cross_attention.q[1, 0],
        trace.norm_2.output[1] @ DECODER.cross_attention.w_q[0],
    )


def test_a_given_mask_replaces_the_causal_one():
    trace = decoder_layer(X, MEMORY, parameters=DECODER, visible=np.ones((5, 5), bool))
    assert trace.self_attention.attention.weights.min() > 0


def test_padding_of_the_memory_is_hidden_from_the_targets():
    known = np.array([[True] * 4 + [False] * 3, [True] * 7])
    options = {
        "parameters": DECODER,
        "memory_visible": padding_mask(known[:, None, :]),
    }
    changed = MEMORY.copy()
    changed[0, 4:] = 1e6
    np.testing.assert_array_equal(
        decoder_layer(X, changed, **options).output,
        decoder_layer(X, MEMORY, **options).output,
    )


def test_a_padded_target_has_no_context_in_either_attention():
    valid = np.array([[False, False, True, True, True], [True] * 5])
    trace = decoder_layer(
        X,
        MEMORY,
        parameters=DECODER,
        visible=padding_mask(valid[:, None, :]) & causal_mask(5),
        query_valid=valid,
    )
    np.testing.assert_array_equal(trace.self_attention.attention.context[0, :, :2], 0)
    np.testing.assert_array_equal(trace.cross_attention.attention.context[0, :, :2], 0)


def test_scale_and_temperature_hold_for_both_attentions_of_a_decoder():
    trace = decoder_layer(X, MEMORY, parameters=DECODER, scale=0.3, temperature=0.7)
    both = (trace.self_attention.attention, trace.cross_attention.attention)
    assert [attention.scale for attention in both] == [0.3, 0.3]
    assert [attention.temperature for attention in both] == [0.7, 0.7]


def test_only_the_self_attention_of_a_decoder_turns():
    trace = decoder_layer(X, MEMORY, parameters=DECODER, turn=np.zeros_like)
    assert not trace.self_attention.attention.q.any()
    assert not trace.self_attention.attention.k.any()
    assert trace.cross_attention.attention.q.any()


def test_a_memory_of_another_width_is_named():
    message = r"decoder_layer: `memory` needs shape .* with d=6 \(from `x`\)"
    with pytest.raises(ShapeError, match=message):
        decoder_layer(X, MEMORY[..., :5], parameters=DECODER)


def test_a_memory_of_more_samples_is_refused():
    message = r"decoder_layer: `x` needs the shape .*\(2, 5, 6\).*; got \(5, 6\)"
    with pytest.raises(ShapeError, match=message):
        decoder_layer(X[0], MEMORY, parameters=DECODER)
