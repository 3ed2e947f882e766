"""Several heads: both forms of the layer, masks, padding, symmetries."""

import dataclasses

import numpy as np
import pytest

from attnviz.core.attention.by_list import multi_head_attend_by_list
from attnviz.core.attention.heads import project_heads, share_heads, split_fused
from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.multi_head import (
    MultiHeadParameters,
    multi_head_attend,
)
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.errors import EmptyRowError, MaskError, ShapeError
from tests.core.attention.multi_head_arrays import (
    ARRAYS,
    BARE,
    LAYER,
    SHAPES,
    X_K,
    X_Q,
    X_V,
)


def test_one_fused_product_is_the_projection_of_every_head():
    # Course chapter, R89: all queries, then all keys, then all values.
    w_q, w_k, w_v = np.random.default_rng(1).standard_normal((3, 6, 7, 5))
    fused = np.concatenate([*w_q, *w_k, *w_v], axis=-1)
    q, k, v = split_fused(X_Q @ fused, 6)
    np.testing.assert_allclose(q, project_heads(X_Q, w_q), rtol=1e-12)
    np.testing.assert_allclose(k, project_heads(X_Q, w_k), rtol=1e-12)
    np.testing.assert_allclose(v, project_heads(X_Q, w_v), rtol=1e-12)


def test_each_head_projects_with_its_own_matrix_and_bias():
    heads = project_heads(X_Q, ARRAYS["w_q"], ARRAYS["b_q"])
    assert heads.shape == (2, 6, 4, 5)
    np.testing.assert_allclose(
        heads[1, 4], X_Q[1] @ ARRAYS["w_q"][4] + ARRAYS["b_q"][4], rtol=1e-13
    )


def test_the_layer_is_what_its_formula_says():
    trace = multi_head_attend(X_Q, X_K, X_V, parameters=LAYER)
    p = ARRAYS
    heads = [
        attend(
            X_Q[1] @ p["w_q"][head] + p["b_q"][head],
            X_K[1] @ p["w_k"][head // 2] + p["b_k"][head // 2],
            X_V[1] @ p["w_v"][head // 2] + p["b_v"][head // 2],
        ).context
        for head in range(6)
    ]
    joined = np.concatenate(heads, axis=-1)
    np.testing.assert_allclose(trace.joined[1], joined, rtol=1e-12)
    np.testing.assert_allclose(
        trace.output[1], joined @ p["w_o"] + p["b_o"], rtol=1e-12
    )


@pytest.mark.parametrize("layer", [LAYER, BARE])
@pytest.mark.parametrize("visible", [None, causal_mask(4, 9)])
def test_the_list_form_gives_the_same_stages(layer, visible):
    fast = multi_head_attend(X_Q[0], X_K[0], X_V[0], parameters=layer, visible=visible)
    slow = multi_head_attend_by_list(
        X_Q[0], X_K[0], X_V[0], parameters=layer, visible=visible
    )
    stages = ["q", "k", "v", "joined", "output"]
    np.testing.assert_allclose(
        np.concatenate([getattr(fast, stage).ravel() for stage in stages]),
        np.concatenate([getattr(slow, stage).ravel() for stage in stages]),
        rtol=1e-11,
        atol=1e-12,
    )
    np.testing.assert_allclose(
        fast.attention.weights, slow.attention.weights, rtol=1e-11
    )


def test_stages_have_their_shapes():
    trace = multi_head_attend(X_Q, X_K, X_V, parameters=LAYER)
    assert trace.q.shape == (2, 6, 4, 5)
    assert trace.k.shape == (2, 3, 9, 5)
    assert trace.v.shape == (2, 3, 9, 11)
    assert trace.attention.weights.shape == (2, 6, 4, 9)
    assert trace.joined.shape == (2, 4, 66)
    assert trace.output.shape == (2, 4, 7)


def test_self_attention_is_cross_attention_with_itself():
    np.testing.assert_array_equal(
        multi_head_attend(X_Q, parameters=LAYER).output,
        multi_head_attend(X_Q, X_Q, X_Q, parameters=LAYER).output,
    )


def test_values_come_from_the_keys_input_if_left_out():
    np.testing.assert_array_equal(
        multi_head_attend(X_Q, X_K, parameters=LAYER).output,
        multi_head_attend(X_Q, X_K, X_K, parameters=LAYER).output,
    )


def test_options_reach_the_attention():
    options = {
        "visible": causal_mask(4, 9),
        "bias": np.arange(9.0)[None],
        "scale": 0.3,
        "softcap": 4.0,
        "temperature": 2.0,
        "dropout": np.full((1, 9), 0.5),
    }
    trace = multi_head_attend(X_Q, X_K, X_V, parameters=LAYER, **options)
    wanted = attend(
        trace.q, share_heads(trace.k, 6), share_heads(trace.v, 6), **options
    )
    np.testing.assert_array_equal(trace.attention.context, wanted.context)


def test_padding_queries_of_each_sample_are_padding_in_every_head():
    valid = np.array([[True, True, False, False], [True, True, True, False]])
    trace = multi_head_attend(X_Q, X_K, X_V, parameters=BARE, query_valid=valid)
    np.testing.assert_array_equal(trace.output.any(axis=-1), valid)


@pytest.mark.parametrize("shape", [(4,), (1, 4), (2, 6, 4)])
def test_query_validity_may_have_fewer_axes_or_heads(shape):
    valid = np.random.default_rng(2).random(shape) < 0.5
    trace = multi_head_attend(X_Q, X_K, X_V, parameters=BARE, query_valid=valid)
    full = np.broadcast_to(valid, (2, 6, 4))
    np.testing.assert_array_equal(trace.attention.weights.any(axis=-1), full)


def test_one_row_of_validity_serves_many_samples_of_keys():
    valid = np.array([True, False, True, True])
    trace = multi_head_attend(X_Q[0], X_K, X_V, parameters=BARE, query_valid=valid)
    np.testing.assert_array_equal(
        trace.output.any(axis=-1), np.broadcast_to(valid, (2, 4))
    )


def test_one_mask_serves_many_samples_of_keys():
    mask = causal_mask(4, 9)
    trace = multi_head_attend(X_Q[0], X_K, X_V, parameters=BARE, visible=mask)
    assert (trace.attention.weights[..., ~mask] == 0).all()


@pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf])
def test_padding_tokens_may_hold_anything(junk):
    valid = np.array([True, True, True, False])
    x = X_Q[0].copy()
    wanted = multi_head_attend(x[:3], parameters=BARE).output
    x[3] = junk
    x[3, ::2] = -junk
    output = multi_head_attend(
        x, parameters=BARE, visible=valid[None], query_valid=valid
    ).output
    np.testing.assert_allclose(output[:3], wanted, rtol=1e-12)
    assert (output[3] == 0).all()


def test_the_list_form_takes_spoilt_padding_too():
    x = X_Q[0].copy()
    x[3] = np.inf
    output = multi_head_attend_by_list(
        x, parameters=BARE, visible=np.array([[True, True, True, False]])
    ).output
    assert np.isfinite(output[:3]).all()


def test_queries_and_keys_turn_before_they_meet():
    turned = multi_head_attend(X_Q, X_K, parameters=BARE, turn=lambda x: 2 * x)
    plain = multi_head_attend(X_Q, X_K, parameters=BARE, scale=4 / np.sqrt(5))
    np.testing.assert_array_equal(turned.attention.q, 2 * plain.q)
    np.testing.assert_array_equal(turned.q, plain.q)
    np.testing.assert_array_equal(turned.k, plain.k)
    np.testing.assert_allclose(turned.output, plain.output, rtol=1e-11)


def test_a_common_permutation_of_the_tokens_permutes_the_output():
    # Course chapter, R72.
    order = [2, 0, 3, 1]
    plain = multi_head_attend(X_Q[0], parameters=LAYER)
    moved = multi_head_attend(X_Q[0][order], parameters=LAYER)
    np.testing.assert_allclose(moved.output, plain.output[order], atol=1e-12)
    np.testing.assert_allclose(
        moved.attention.weights,
        plain.attention.weights[:, order][:, :, order],
        atol=1e-12,
    )


def test_a_causal_mask_alone_breaks_that_symmetry():
    # Course chapter, R74.
    order = [2, 0, 3, 1]
    mask = causal_mask(4)
    plain = multi_head_attend(X_Q[0], parameters=LAYER, visible=mask).output
    moved = multi_head_attend(X_Q[0][order], parameters=LAYER, visible=mask).output
    assert np.abs(moved - plain[order]).max() > 1e-3


def test_a_new_head_leaves_the_others_alone():
    fewer = MultiHeadParameters(
        ARRAYS["w_q"][:4], ARRAYS["w_k"][:2], ARRAYS["w_v"][:2], ARRAYS["w_o"][:44]
    )
    np.testing.assert_array_equal(
        multi_head_attend(X_Q, parameters=BARE).attention.context[:, :4],
        multi_head_attend(X_Q, parameters=fewer).attention.context,
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_type_of_inputs_and_parameters_is_kept(dtype):
    layer = MultiHeadParameters(**{n: a.astype(dtype) for n, a in ARRAYS.items()})
    trace = multi_head_attend(X_Q.astype(dtype), parameters=layer)
    assert trace.output.dtype == dtype
    assert trace.attention.weights.dtype == dtype


@pytest.mark.parametrize("form", [multi_head_attend, multi_head_attend_by_list])
def test_nobody_can_write_into_trace_or_parameters(form):
    trace = form(X_Q, parameters=LAYER)
    arrays = [trace.q, trace.k, trace.v, trace.joined, trace.output]
    arrays += [getattr(LAYER, name) for name in SHAPES]
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize(
    ("record", "field"),
    [(LAYER, "w_q"), (multi_head_attend(X_Q, parameters=LAYER), "output")],
)
def test_nobody_can_replace_a_matrix(record, field):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, field, None)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ((X_Q[..., :6],), r"`x_q` needs .* with d=7 \(from `w_q`\); got \(2, 4, 6\)"),
        ((X_Q, X_K[..., :6]), r"`x_k` needs .* with d=7 \(from `w_q`\)"),
        ((X_Q, X_K, X_V[..., :6]), r"`x_v` needs .* with d=7 \(from `w_q`\)"),
        ((X_Q, X_K, X_V[:, :8]), r"`x_v` needs .* with T_k=9 \(from `x_k`\)"),
        ((X_Q[0, 0],), r"`x_q` needs shape \(..., T_q, d\); got \(7,\)"),
        ((X_Q, X_K[:1].repeat(3, 0)), "`x_k` needs leading axes that broadcast"),
    ],
)
@pytest.mark.parametrize("form", [multi_head_attend, multi_head_attend_by_list])
def test_inputs_that_do_not_fit_are_refused(form, inputs, message):
    with pytest.raises(ShapeError, match=f"multi_head_attend: {message}"):
        form(*inputs, parameters=LAYER)


def test_a_mask_by_sample_is_refused():
    with pytest.raises(MaskError, match=r"head axis too\) or none; got \(2, 4, 4\)"):
        multi_head_attend(X_Q, parameters=LAYER, visible=np.ones((2, 4, 4), bool))


def test_a_mask_that_is_not_boolean_is_refused():
    with pytest.raises(MaskError, match="`query_valid` needs booleans"):
        multi_head_attend(X_Q, parameters=LAYER, query_valid=np.ones((2, 4)))


def test_a_token_without_keys_is_refused():
    with pytest.raises(EmptyRowError, match="batch 0, head 0, row 0; batch 0, head 0"):
        multi_head_attend(X_Q, parameters=LAYER, visible=np.zeros((4, 4), bool))
