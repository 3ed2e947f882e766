"""Decoding with a cache: the same numbers as all at once."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.attention.masks import causal_mask, padding_mask, window_mask
from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.errors import MaskError, ShapeError
from attnviz.core.layers.decoding import KeyValueCache, decode_step
from attnviz.core.positions.relative import alibi_bias
from attnviz.core.positions.rotary import rotate
from attnviz.core.positions.sinusoidal import positions_from_valid


def _wave(start, *shape):
    """Numbers of full rank, which plain sines of a count are not."""
    return np.sin(np.square(np.arange(np.prod(shape))) + start).reshape(shape)


def _layer(heads=2, shared=2):
    return MultiHeadParameters(
        w_q=_wave(1, heads, 6, 4),
        w_k=_wave(2, shared, 6, 4),
        w_v=_wave(3, shared, 6, 5),
        w_o=_wave(4, heads * 5, 6),
        b_k=_wave(5, shared, 4),
    )


X = _wave(0.1, 3, 7, 6)
HEADS = pytest.mark.parametrize(("heads", "shared"), [(2, 2), (4, 2), (3, 1)])


def _decode(x, cuts, **options):
    """Decode chunk by chunk, and join what came out."""
    cache, outputs = None, []
    for chunk in np.split(x, cuts, axis=-2):
        trace, cache = decode_step(chunk, cache, **options)
        outputs.append(trace.output)
    return np.concatenate(outputs, axis=-2), cache


@HEADS
def test_steps_give_the_rows_of_the_parallel_computation(heads, shared):
    # Course chapter, R139.
    layer = _layer(heads, shared)
    stepwise, cache = _decode(X, range(1, 7), parameters=layer)
    parallel = multi_head_attend(X, parameters=layer, visible=causal_mask(7))
    np.testing.assert_allclose(stepwise, parallel.output, atol=1e-13)
    np.testing.assert_allclose(cache.k, parallel.k, atol=1e-14)
    np.testing.assert_allclose(cache.v, parallel.v, atol=1e-14)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(cuts=st.sets(st.integers(1, 6)))
def test_any_division_into_chunks_gives_the_same_rows(cuts):
    layer = _layer()
    stepwise, _ = _decode(X, sorted(cuts), parameters=layer)
    whole, _ = decode_step(X, parameters=layer)
    np.testing.assert_allclose(stepwise, whole.output, atol=1e-13)


@HEADS
def test_rotary_positions_carry_on_from_the_cache(heads, shared):
    layer = _layer(heads, shared)
    stepwise, _ = _decode(X, [3, 4, 5, 6], parameters=layer, turn=rotate)
    parallel = multi_head_attend(
        X,
        parameters=layer,
        visible=causal_mask(7),
        turn=partial(rotate, positions=np.arange(7)),
    )
    np.testing.assert_allclose(stepwise, parallel.output, atol=1e-13)


def test_a_query_without_its_offset_would_mirror_the_weights():
    # d=2, all queries and keys [1, 0], cached positions 0 to 3, values 0 to 3
    # (Blaizzy/mlx-vlm#1983).
    layer = MultiHeadParameters(
        w_q=[[[1, 0], [0, 0]]],
        w_k=[[[1, 0], [0, 0]]],
        w_v=[[[0], [1]]],
        w_o=[[1, 0]],
    )
    x = np.array([[1.0, 0], [1, 1], [1, 2], [1, 3]])
    _, cache = decode_step(x[:3], parameters=layer, turn=rotate)
    trace, _ = decode_step(x[3], cache, parameters=layer, turn=rotate)
    np.testing.assert_allclose(
        trace.attention.raw_scores[0, 0],
        [-0.9899924966004454, -0.4161468365471424, 0.5403023058681398, 1],
        atol=1e-15,
    )
    np.testing.assert_allclose(
        trace.attention.weights[0, 0],
        [
            0.10487104907403684,
            0.15735456721780228,
            0.309455197323745,
            0.428319186384416,
        ],
        atol=1e-15,
    )
    np.testing.assert_allclose(trace.output[0, 0], 2.06122252101854, atol=1e-14)


def test_left_padded_prompts_decode_like_prompts_without_padding():
    layer = _layer(4, 2)
    valid = np.array([[False, False, True, True], [True] * 4, [False] * 3 + [True]])
    options = {"parameters": layer, "turn": rotate}
    _, cache = decode_step(X[:, :4], valid=valid, **options)
    together, cache = decode_step(X[:, 4:6], cache, **options)
    alone, _ = _decode(X[0, 2:6], [2, 3], **options)
    np.testing.assert_allclose(together.output[0], alone[2:], atol=1e-13)
    alone, _ = _decode(X[2, 3:6], [1], **options)
    np.testing.assert_allclose(together.output[2], alone[1:], atol=1e-13)


def test_left_padded_prompts_decode_like_the_parallel_computation():
    layer = _layer()
    valid = np.array([[False, False] + [True] * 5, [True] * 7, [False] + [True] * 6])
    _, cache = decode_step(X[:, :3], valid=valid[:, :3], parameters=layer, turn=rotate)
    stepwise, cache = decode_step(
        X[:, 3:], cache, valid=valid[:, 3:], parameters=layer, turn=rotate
    )
    positions = positions_from_valid(valid)[:, None, :]
    parallel = multi_head_attend(
        X,
        parameters=layer,
        visible=causal_mask(7) & padding_mask(valid[:, None, :]),
        query_valid=valid,
        turn=partial(rotate, positions=positions),
    )
    np.testing.assert_allclose(stepwise.output, parallel.output[:, 3:], atol=1e-13)
    np.testing.assert_array_equal(cache.valid, valid)


def test_a_padded_position_has_no_context_and_no_reader():
    valid = np.array([[False, True], [True, True], [True, True]])
    spoilt = X[:, :2].copy()
    spoilt[0, 0] = 1e5
    layer = _layer()
    clean, _ = decode_step(X[:, :2], valid=valid, parameters=layer)
    trace, _ = decode_step(spoilt, valid=valid, parameters=layer)
    np.testing.assert_array_equal(trace.attention.context[0, :, 0], 0)
    np.testing.assert_array_equal(trace.output, clean.output)


def test_a_window_forgets_what_lies_further_back():
    layer = _layer()
    stepwise, _ = _decode(X, range(1, 7), parameters=layer, window=2)
    parallel = multi_head_attend(
        X, parameters=layer, visible=window_mask(7, left=2, right=0)
    )
    np.testing.assert_allclose(stepwise, parallel.output, atol=1e-13)


def test_a_bias_covers_the_cached_keys():
    layer = _layer()
    _, cache = decode_step(X[:, :5], bias=alibi_bias(2, 5), parameters=layer)
    trace, _ = decode_step(X[:, 5:], cache, bias=alibi_bias(2, 2, 7), parameters=layer)
    parallel = multi_head_attend(
        X, parameters=layer, visible=causal_mask(7), bias=alibi_bias(2, 7)
    )
    np.testing.assert_allclose(trace.output, parallel.output[:, 5:], atol=1e-13)


def test_scale_softcap_and_temperature_are_those_of_attention():
    layer = _layer()
    settings_ = {"scale": 0.3, "softcap": 2.0, "temperature": 0.7}
    stepwise, _ = _decode(X, [2, 3], parameters=layer, **settings_)
    parallel = multi_head_attend(
        X, parameters=layer, visible=causal_mask(7), **settings_
    )
    np.testing.assert_allclose(stepwise, parallel.output, atol=1e-13)


def test_a_step_keeps_keys_and_values_alone():
    _, first = decode_step(X[:, :3], parameters=_layer(4, 2))
    trace, second = decode_step(X[:, 3:4], first, parameters=_layer(4, 2))
    assert (first.length, second.length) == (3, 4)
    assert second.k.shape == (3, 2, 4, 4)
    assert second.v.shape == (3, 2, 4, 5)
    assert trace.q.shape == (3, 4, 1, 4)
    np.testing.assert_array_equal(second.k[..., :3, :], first.k)


def test_a_cache_cannot_be_written():
    _, cache = decode_step(X, parameters=_layer())
    assert not any(a.flags.writeable for a in (cache.k, cache.v, cache.valid))


def test_a_cache_does_not_follow_its_source():
    k, valid = np.ones((2, 5, 3)), np.ones(5, bool)
    cache = KeyValueCache(k, np.ones((2, 5, 7)), valid)
    k[:], valid[:] = 0, False
    assert cache.k.all()
    assert cache.valid.all()


def test_a_single_vector_is_one_position():
    row, _ = decode_step(X[0, 0], parameters=_layer())
    np.testing.assert_array_equal(
        row.output, decode_step(X[0, :1], parameters=_layer())[0].output
    )


def test_decoding_keeps_single_precision():
    layer = _layer()
    single = MultiHeadParameters(
        *(getattr(layer, n).astype(np.float32) for n in ("w_q", "w_k", "w_v", "w_o"))
    )
    trace, cache = decode_step(X.astype(np.float32), parameters=single, turn=rotate)
    assert trace.output.dtype == cache.k.dtype == cache.v.dtype == np.float32


def test_an_input_of_another_width_is_named():
    message = r"decode_step: `x_t` needs shape \(\.\.\., n, d\) with d=6 \(from `w_q`\)"
    with pytest.raises(ShapeError, match=message):
        decode_step(np.ones((1, 5)), parameters=_layer())


def test_a_cache_of_another_batch_is_refused():
    _, cache = decode_step(X[:2], parameters=_layer())
    message = r"`cache` needs k of shape \(3, 2, T, 4\).*; got \(2, 2, 7, 4\)"
    with pytest.raises(ShapeError, match=message):
        decode_step(X, cache, parameters=_layer())


def test_a_cache_of_other_heads_is_refused():
    _, cache = decode_step(X, parameters=_layer(4, 2))
    with pytest.raises(ShapeError, match=r"`cache` needs k of shape \(3, 1, T, 4\)"):
        decode_step(X, cache, parameters=_layer(4, 1))


def test_validity_covers_the_new_positions():
    with pytest.raises(
        MaskError, match=r"`valid` needs shape \(3, 7\).*; got \(3, 5\)"
    ):
        decode_step(X, valid=np.ones((3, 5), bool), parameters=_layer())


def test_validity_is_boolean():
    with pytest.raises(MaskError, match="decode_step: `valid` needs booleans"):
        decode_step(X, valid=np.ones((3, 7)), parameters=_layer())


def test_a_cache_has_one_length():
    with pytest.raises(ShapeError, match=r"KeyValueCache: `v` needs .*T=5"):
        KeyValueCache(np.ones((2, 5, 3)), np.ones((2, 7, 3)), np.ones(5, bool))
    with pytest.raises(ShapeError, match=r"`valid` needs shape \(5,\).*; got \(7,\)"):
        KeyValueCache(np.ones((2, 5, 3)), np.ones((2, 5, 3)), np.ones(7, bool))
