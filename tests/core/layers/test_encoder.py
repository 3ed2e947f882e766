"""The encoder layer: the chapter's numbers, and who may influence whom."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask, padding_mask
from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.errors import EmptyRowError, ShapeError
from attnviz.core.layers.encoder import EncoderLayerParameters, encoder_layer
from attnviz.core.layers.network import FeedForwardParameters
from attnviz.core.layers.norms import NormParameters, layer_norm
from tests.core.layers.layer_arrays import (
    CHAPTER,
    ENCODER,
    GOLDEN,
    X,
    network,
    sines,
    wave,
)

ATTENTION = ("w_q", "w_k", "w_v", "w_o")
NETWORK = ("w_1", "b_1", "w_2", "b_2")
PLACES = pytest.mark.parametrize("norm", ["post", "pre"])


@pytest.mark.parametrize(
    ("norm", "output"), [("post", GOLDEN["post_norm"]), ("pre", GOLDEN["pre_norm"])]
)
def test_a_layer_gives_the_chapters_numbers(norm, output):
    trace = encoder_layer(sines(0.1, 3, 4), parameters=CHAPTER, norm=norm)
    np.testing.assert_allclose(trace.output, output, atol=1e-13)


def test_sublayers_give_the_chapters_numbers():
    x = sines(0.1, 3, 4)
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
    x = sines(0.1, 3, 4)
    moved = np.abs(encoder_layer(x, parameters=silent).output - x).max()
    assert round(float(moved), 3) == 1.112


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
    learned = NormParameters(gamma=wave(1, 6), beta=wave(2, 6))
    layer = replace(ENCODER, **{step: learned})
    trace = encoder_layer(X, parameters=layer, norm=norm, eps=0.1)
    made = getattr(trace, step)
    np.testing.assert_array_equal(
        made.output,
        layer_norm(made.x, gamma=wave(1, 6), beta=wave(2, 6), eps=0.1).output,
    )
    assert (made.gamma != 1).all()


def test_the_activation_reaches_the_network():
    trace = encoder_layer(X, parameters=ENCODER, activation="gelu")
    assert trace.feed_forward.activation == "gelu"
    assert trace.feed_forward.activated.min() < 0


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


@PLACES
def test_an_input_of_another_width_is_named(norm):
    with pytest.raises(ShapeError, match=r"d=6 \(from `w_q`\); got \(2, 5, 7\)"):
        encoder_layer(wave(0, 2, 5, 7), parameters=ENCODER, norm=norm)


def test_a_network_of_another_width_is_named():
    layer = replace(ENCODER, feed_forward=network(5, d_model=7))
    with pytest.raises(ShapeError, match=r"feed_forward: `w_1` needs .*d=6"):
        encoder_layer(X, parameters=layer)
