"""Transformer layers: the chapter's numbers, and who may influence whom."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.errors import EmptyRowError, ShapeError
from attnviz.core.layers import (
    DecoderLayerParameters,
    EncoderLayerParameters,
    FeedForwardParameters,
    NormParameters,
    decoder_layer,
    encoder_layer,
    vocabulary_logits,
)
from attnviz.core.masks import causal_mask, padding_mask
from attnviz.core.multi_head import (
    MultiHeadParameters,
    multi_head_attend,
    split_heads,
)
from attnviz.core.norms import layer_norm

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())[
    "transformer_layer"
]
ATTENTION = ("w_q", "w_k", "w_v", "w_o")
NETWORK = ("w_1", "b_1", "w_2", "b_2")
PLACES = pytest.mark.parametrize("norm", ["post", "pre"])


def _sines(start, *shape):
    return np.sin(np.arange(np.prod(shape)) + start).reshape(shape)


def _wave(start, *shape):
    """Numbers of full rank, which plain sines of a count are not."""
    return np.sin(np.square(np.arange(np.prod(shape))) + start).reshape(shape)


def _attention(start, d_model=6, heads=2, d_k=3, d_v=5):
    return MultiHeadParameters(
        w_q=_wave(start, heads, d_model, d_k),
        w_k=_wave(start + 1, heads, d_model, d_k),
        w_v=_wave(start + 2, heads, d_model, d_v),
        w_o=_wave(start + 3, heads * d_v, d_model),
    )


def _network(start, d_model=6, d_ff=11):
    return FeedForwardParameters(
        w_1=_wave(start, d_model, d_ff),
        b_1=_wave(start + 1, d_ff),
        w_2=_wave(start + 2, d_ff, d_model),
        b_2=_wave(start + 3, d_model),
    )


CHAPTER = EncoderLayerParameters(
    attention=MultiHeadParameters(
        w_q=split_heads(_sines(1, 4, 4), 2),
        w_k=split_heads(_sines(2, 4, 4), 2),
        w_v=split_heads(_sines(3, 4, 4), 2),
        w_o=_sines(4, 4, 4),
    ),
    feed_forward=FeedForwardParameters(
        w_1=_sines(5, 4, 8),
        b_1=0.5 * _sines(6, 8),
        w_2=_sines(7, 8, 4),
        b_2=0.5 * _sines(8, 4),
    ),
)
ENCODER = EncoderLayerParameters(_attention(1), _network(5))
DECODER = DecoderLayerParameters(_attention(1), _attention(7), _network(5))
X = _wave(0.1, 2, 5, 6)
MEMORY = _wave(0.7, 2, 7, 6)


@pytest.mark.parametrize(
    ("norm", "output"), [("post", GOLDEN["post_norm"]), ("pre", GOLDEN["pre_norm"])]
)
def test_a_layer_gives_the_chapters_numbers(norm, output):
    trace = encoder_layer(_sines(0.1, 3, 4), parameters=CHAPTER, norm=norm)
    np.testing.assert_allclose(trace.output, output, atol=1e-13)


def test_sublayers_give_the_chapters_numbers():
    x = _sines(0.1, 3, 4)
    trace = encoder_layer(x, parameters=CHAPTER)
    np.testing.assert_allclose(trace.attention.output, GOLDEN["mha"], atol=1e-14)
    np.testing.assert_allclose(
        CHAPTER.feed_forward.apply(x, "relu").output, GOLDEN["ffn"], atol=1e-14
    )


def test_the_stages_of_a_post_norm_layer_follow_each_other():
    trace = encoder_layer(X, parameters=ENCODER, norm="post")
    np.testing.assert_array_equal(trace.residual_1, X + trace.attention.output)
    np.testing.assert_array_equal(trace.norm_1.x, trace.residual_1)
    np.testing.assert_array_equal(trace.feed_forward.x, trace.norm_1.output)
    np.testing.assert_array_equal(
        trace.residual_2, trace.norm_1.output + trace.feed_forward.output
    )
    np.testing.assert_array_equal(trace.norm_2.x, trace.residual_2)
    np.testing.assert_array_equal(trace.output, trace.norm_2.output)


def test_the_stages_of_a_pre_norm_layer_follow_each_other():
    trace = encoder_layer(X, parameters=ENCODER, norm="pre")
    np.testing.assert_array_equal(trace.norm_1.x, X)
    np.testing.assert_array_equal(trace.residual_1, X + trace.attention.output)
    np.testing.assert_array_equal(trace.norm_2.x, trace.residual_1)
    np.testing.assert_array_equal(trace.feed_forward.x, trace.norm_2.output)
    np.testing.assert_array_equal(
        trace.residual_2, trace.residual_1 + trace.feed_forward.output
    )
    np.testing.assert_array_equal(trace.output, trace.residual_2)


def test_only_a_post_norm_layer_hands_on_normalized_rows():
    # Course chapter, R117.
    post = encoder_layer(X, parameters=ENCODER, norm="post").output
    pre = encoder_layer(X, parameters=ENCODER, norm="pre").output
    np.testing.assert_allclose(post.mean(axis=-1), 0, atol=1e-14)
    np.testing.assert_allclose(np.square(post).mean(axis=-1), 1, atol=1e-3)
    assert np.abs(np.square(pre).mean(axis=-1) - 1).min() > 0.1


def test_a_pre_norm_layer_of_silent_sublayers_is_the_identity():
    # Course chapter, R118.
    silent = EncoderLayerParameters(
        replace(ENCODER.attention, w_o=np.zeros((10, 6))),
        replace(ENCODER.feed_forward, w_2=np.zeros((11, 6)), b_2=np.zeros(6)),
    )
    pre = encoder_layer(X, parameters=silent, norm="pre").output
    post = encoder_layer(X, parameters=silent, norm="post").output
    np.testing.assert_array_equal(pre, X)
    assert np.abs(post - X).max() > 0.1


def test_the_chapters_layer_made_silent_moves_as_far_as_the_chapter_says():
    # Course chapter, R118: at most 1.112 with post-norm.
    silent = EncoderLayerParameters(
        replace(CHAPTER.attention, w_o=np.zeros((4, 4))),
        replace(CHAPTER.feed_forward, w_2=np.zeros((8, 4)), b_2=np.zeros(4)),
    )
    x = _sines(0.1, 3, 4)
    moved = np.abs(encoder_layer(x, parameters=silent).output - x).max()
    assert round(float(moved), 3) == 1.112


@PLACES
def test_a_trace_tells_where_its_norms_stand(norm):
    assert encoder_layer(X, parameters=ENCODER, norm=norm).norm == norm
    assert decoder_layer(X, MEMORY, parameters=DECODER, norm=norm).norm == norm


@PLACES
def test_the_same_input_gives_the_same_output(norm):
    # Course chapter, R119.
    first = encoder_layer(X, parameters=ENCODER, norm=norm).output
    second = encoder_layer(X, parameters=ENCODER, norm=norm).output
    np.testing.assert_array_equal(first, second)


@PLACES
def test_samples_do_not_see_each_other(norm):
    together = encoder_layer(X, parameters=ENCODER, norm=norm).output
    alone = encoder_layer(X[1], parameters=ENCODER, norm=norm).output
    np.testing.assert_allclose(together[1], alone, atol=1e-13)


@PLACES
def test_every_position_of_an_encoder_sees_every_other(norm):
    # Course chapter, R120.
    base = encoder_layer(X[0], parameters=ENCODER, norm=norm).output
    changed = X[0].copy()
    changed[4] += [1, 0, -1, 0, 2, 0]
    moved = np.abs(encoder_layer(changed, parameters=ENCODER, norm=norm).output - base)
    assert moved.max(axis=-1).min() > 1e-6


@PLACES
def test_a_mask_reaches_the_attention_of_a_layer(norm):
    changed = X.copy()
    changed[:, 3:] += [1, 0, -1, 0, 2, 0]
    options = {"parameters": ENCODER, "norm": norm, "visible": causal_mask(5)}
    np.testing.assert_array_equal(
        encoder_layer(changed, **options).output[:, :3],
        encoder_layer(X, **options).output[:, :3],
    )


def test_a_padded_query_passes_a_layer_without_numbers_going_astray():
    valid = np.array([[False, False, True, True, True], [True] * 5])
    trace = encoder_layer(
        X,
        parameters=ENCODER,
        visible=padding_mask(valid[:, None, :]) & causal_mask(5),
        query_valid=valid,
    )
    assert np.isfinite(trace.output).all()
    np.testing.assert_array_equal(trace.attention.attention.context[0, :, :2], 0)


def test_a_valid_query_without_keys_is_refused_by_a_layer():
    with pytest.raises(EmptyRowError, match="batch 0, head 0, row 0"):
        encoder_layer(X, parameters=ENCODER, visible=causal_mask(5, offset=-1))


@pytest.mark.parametrize(
    "option",
    [
        {"scale": 1.0},
        {"temperature": 2.0},
        {"softcap": 0.5},
        {"bias": np.arange(25.0).reshape(5, 5)},
        {"turn": lambda x: 2 * x},
    ],
)
def test_options_are_those_of_multi_head_attention(option):
    trace = encoder_layer(X, parameters=ENCODER, **option).attention
    alone = multi_head_attend(X, parameters=ENCODER.attention, **option)
    plain = multi_head_attend(X, parameters=ENCODER.attention)
    np.testing.assert_array_equal(trace.output, alone.output)
    assert np.abs(alone.output - plain.output).max() > 1e-3


@PLACES
@pytest.mark.parametrize("step", ["norm_1", "norm_2"])
def test_scales_and_shifts_belong_to_their_own_norm(norm, step):
    learned = NormParameters(gamma=_wave(1, 6), beta=_wave(2, 6))
    layer = replace(ENCODER, **{step: learned})
    trace = encoder_layer(X, parameters=layer, norm=norm, eps=0.1)
    made = getattr(trace, step)
    np.testing.assert_array_equal(
        made.output,
        layer_norm(made.x, gamma=_wave(1, 6), beta=_wave(2, 6), eps=0.1).output,
    )
    assert (made.gamma != 1).all()


def test_scales_and_shifts_are_copies_that_cannot_be_written():
    gamma = np.ones(6)
    learned = NormParameters(gamma=gamma)
    gamma[:] = 0
    assert learned.gamma.tolist() == [1] * 6
    assert not learned.gamma.flags.writeable
    assert learned.beta is None


def test_the_activation_reaches_the_network():
    trace = encoder_layer(X, parameters=ENCODER, activation="gelu")
    assert trace.feed_forward.activation == "gelu"
    assert trace.feed_forward.activated.min() < 0


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
        parameters=EncoderLayerParameters(DECODER.self_attention, _network(5)),
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
    assert not trace.self_attention.q.any()
    assert not trace.self_attention.k.any()
    assert trace.cross_attention.q.any()


def test_logits_are_the_chapters():
    pre = encoder_layer(_sines(0.1, 3, 4), parameters=CHAPTER, norm="pre").output
    logits = vocabulary_logits(
        pre, w_vocab=_sines(9, 5, 4), b_vocab=0.1 * _sines(10, 5)
    )
    assert logits.shape == (3, 5)
    np.testing.assert_allclose(
        logits[0], GOLDEN["vocab_logits_row0_of_pre"], atol=1e-13
    )


def test_a_tied_projection_does_not_undo_the_embedding():
    # Course chapter, R122: more words than features cannot all come back.
    embedding = _wave(9, 7, 3)
    logits = vocabulary_logits(embedding, w_vocab=embedding)
    np.testing.assert_allclose(logits, embedding @ embedding.T)
    assert np.linalg.matrix_rank(logits) == 3


def test_a_layer_in_single_precision_stays_there():
    single = EncoderLayerParameters(
        MultiHeadParameters(
            *(getattr(ENCODER.attention, n).astype(np.float32) for n in ATTENTION)
        ),
        FeedForwardParameters(
            *(getattr(ENCODER.feed_forward, n).astype(np.float32) for n in NETWORK)
        ),
    )
    trace = encoder_layer(X.astype(np.float32), parameters=single, norm="pre")
    assert trace.output.dtype == np.float32
    np.testing.assert_allclose(
        trace.output,
        encoder_layer(X, parameters=ENCODER, norm="pre").output,
        rtol=2e-4,
        atol=2e-4,
    )


def test_nothing_in_a_trace_can_be_written():
    encoder = encoder_layer(X, parameters=ENCODER)
    decoder = decoder_layer(X, MEMORY, parameters=DECODER, norm="pre")
    arrays = [encoder.x, encoder.residual_1, encoder.residual_2, encoder.output]
    arrays += [decoder.x, decoder.memory, decoder.residual_3, decoder.output]
    assert not any(array.flags.writeable for array in arrays)


@PLACES
def test_an_input_of_another_width_is_named(norm):
    with pytest.raises(ShapeError, match=r"d=6 \(from `w_q`\); got \(2, 5, 7\)"):
        encoder_layer(_wave(0, 2, 5, 7), parameters=ENCODER, norm=norm)


def test_a_memory_of_another_width_is_named():
    message = r"decoder_layer: `memory` needs shape .* with d=6 \(from `x`\)"
    with pytest.raises(ShapeError, match=message):
        decoder_layer(X, MEMORY[..., :5], parameters=DECODER)


def test_a_memory_of_more_samples_is_refused():
    message = r"decoder_layer: `x` needs the shape .*\(2, 5, 6\).*; got \(5, 6\)"
    with pytest.raises(ShapeError, match=message):
        decoder_layer(X[0], MEMORY, parameters=DECODER)


def test_a_network_of_another_width_is_named():
    layer = replace(ENCODER, feed_forward=_network(5, d_model=7))
    with pytest.raises(ShapeError, match=r"feed_forward: `w_1` needs .*d=6"):
        encoder_layer(X, parameters=layer)


def test_an_unknown_place_of_the_norm_is_refused():
    with pytest.raises(ValueError, match="encoder_layer: `norm` needs 'post' or 'pre'"):
        encoder_layer(X, parameters=ENCODER, norm="both")
    with pytest.raises(ValueError, match="decoder_layer: `norm` needs 'post' or 'pre'"):
        decoder_layer(X, MEMORY, parameters=DECODER, norm="both")


def test_a_vocabulary_of_another_width_is_named():
    with pytest.raises(ShapeError, match=r"`w_vocab` needs .*d=6 \(from `h`\)"):
        vocabulary_logits(X, w_vocab=np.ones((11, 5)))
    with pytest.raises(ShapeError, match=r"`b_vocab` needs shape \(11,\); got \(7,\)"):
        vocabulary_logits(X, w_vocab=np.ones((11, 6)), b_vocab=np.ones(7))
