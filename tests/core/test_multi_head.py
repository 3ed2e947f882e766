"""Several heads: splitting, joining, sharing, and both forms of the layer."""

import dataclasses

import numpy as np
import pytest

from attnviz.core.attention import attend
from attnviz.core.errors import EmptyRowError, MaskError, ShapeError
from attnviz.core.masks import causal_mask
from attnviz.core.multi_head import (
    MultiHeadParameters,
    merge_heads,
    multi_head_attend,
    multi_head_attend_by_list,
    project_heads,
    share_heads,
    split_fused,
    split_heads,
)

# H=6, H_kv=3, d=7, d_k=5, d_v=11, T_q=4, T_k=9: no size stands in for another.
SHAPES = {
    "w_q": (6, 7, 5),
    "w_k": (3, 7, 5),
    "w_v": (3, 7, 11),
    "w_o": (66, 7),
    "b_q": (6, 5),
    "b_k": (3, 5),
    "b_v": (3, 11),
    "b_o": (7,),
}
RNG = np.random.default_rng(0)
ARRAYS = {name: RNG.standard_normal(shape) for name, shape in SHAPES.items()}
LAYER = MultiHeadParameters(**ARRAYS)
BARE = MultiHeadParameters(**{n: a for n, a in ARRAYS.items() if n.startswith("w_")})
X_Q = RNG.standard_normal((2, 4, 7))
X_K = RNG.standard_normal((2, 9, 7))
X_V = RNG.standard_normal((2, 9, 7))

# The tens digit is the token and the units digit the feature.
TOKENS = np.array([[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]])


def test_head_h_takes_its_own_features_of_every_token():
    assert split_heads(TOKENS, 2).tolist() == [
        [[0, 1], [10, 11], [20, 21]],
        [[2, 3], [12, 13], [22, 23]],
    ]


def test_a_joined_row_holds_one_token_of_every_head():
    heads = [[[0, 1], [10, 11], [20, 21]], [[100, 101], [110, 111], [120, 121]]]
    assert merge_heads(heads).tolist() == [
        [0, 1, 100, 101],
        [10, 11, 110, 111],
        [20, 21, 120, 121],
    ]


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_merging_undoes_splitting(leading):
    x = np.arange(np.prod(leading, dtype=int) * 5 * 21).reshape(*leading, 5, 21)
    heads = split_heads(x, 7)
    assert heads.shape == (*leading, 7, 5, 3)
    np.testing.assert_array_equal(merge_heads(heads), x)


def test_query_heads_share_key_value_heads_in_order():
    shared = share_heads(np.array([[[10.0]], [[20.0]]]), 4)
    assert shared.ravel().tolist() == [10, 10, 20, 20]


def test_as_many_heads_need_no_sharing():
    heads = np.arange(6.0).reshape(3, 2, 1)
    np.testing.assert_array_equal(share_heads(heads, 3), heads)


def test_fused_blocks_are_all_queries_then_all_keys_then_all_values():
    q, k, v = split_fused(np.arange(12)[None], 2)
    assert (q.ravel().tolist(), k.ravel().tolist()) == ([0, 1, 2, 3], [4, 5, 6, 7])
    assert v.tolist() == [[[8, 9]], [[10, 11]]]


def test_fused_by_head_is_query_key_value_of_one_head_after_another():
    q, k, v = split_fused(np.arange(12)[None], 2, "per_head")
    assert q.tolist() == [[[0, 1]], [[6, 7]]]
    assert k.tolist() == [[[2, 3]], [[8, 9]]]
    assert v.tolist() == [[[4, 5]], [[10, 11]]]


def test_fused_parts_have_a_head_axis():
    parts = split_fused(np.zeros((2, 5, 42)), 7)
    assert [part.shape for part in parts] == [(2, 7, 5, 2)] * 3


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
    np.testing.assert_array_equal(
        turned.q, 2 * multi_head_attend(X_Q, parameters=BARE).q
    )
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


def test_nobody_can_write_into_trace_or_parameters():
    trace = multi_head_attend(X_Q, parameters=LAYER)
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


def test_parameters_do_not_follow_later_changes():
    given = {name: array.copy() for name, array in ARRAYS.items()}
    layer = MultiHeadParameters(**given)
    given["w_q"][...] = 0
    np.testing.assert_array_equal(layer.w_q, ARRAYS["w_q"])


def test_parameters_may_be_lists_of_whole_numbers():
    one = [[[1]]]
    layer = MultiHeadParameters(one, one, one, [[2]])
    assert multi_head_attend([[3]], parameters=layer).output.tolist() == [[6]]


def test_parameters_get_one_floating_type():
    layer = dataclasses.replace(LAYER, w_o=ARRAYS["w_o"].astype("float32"))
    assert layer.w_o.dtype == np.float64


def test_parameters_count_their_heads():
    assert (LAYER.n_heads, LAYER.n_kv_heads) == (6, 3)


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("w_q", (7, 5), r"`w_q` needs shape \(H, d, d_k or d_v\)"),
        ("w_q", (0, 7, 5), r"`w_q` needs .*, each at least 1; got \(0, 7, 5\)"),
        ("w_k", (0, 7, 5), r"`w_k` needs .*, each at least 1; got \(0, 7, 5\)"),
        ("w_k", (3, 13, 5), r"`w_k` needs shape .* with d=7 \(from `w_q`\)"),
        ("w_k", (3, 7, 13), r"`w_k` needs shape .* with d_k=5 \(from `w_q`\)"),
        ("w_v", (3, 13, 11), r"`w_v` needs shape .* with d=7 \(from `w_q`\)"),
        ("w_k", (4, 7, 5), r"one number of heads that divides H=6; got 4 and 3"),
        ("w_v", (2, 7, 11), r"one number of heads that divides H=6; got 3 and 2"),
        ("w_o", (66, 13), r"`w_o` needs shape \(66, 7\) for H=6, d=7, d_k=5, d_v=11"),
        ("w_o", (33, 7), r"`w_o` needs shape \(66, 7\)"),
        ("w_o", (), r"`w_o` needs shape \(66, 7\)"),
        ("b_q", (3, 5), r"`b_q` needs shape \(6, 5\)"),
        ("b_k", (6, 5), r"`b_k` needs shape \(3, 5\)"),
        ("b_v", (3, 5), r"`b_v` needs shape \(3, 11\)"),
        ("b_o", (1, 7), r"`b_o` needs shape \(7,\)"),
    ],
)
def test_parameters_that_disagree_are_refused(name, shape, message):
    with pytest.raises(ShapeError, match=f"MultiHeadParameters: .*{message}"):
        MultiHeadParameters(**(ARRAYS | {name: np.ones(shape)}))


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: split_heads(np.zeros((5, 8)), 3),
            r"split_heads: `x` needs a width that H=3 divides; got \(5, 8\)",
        ),
        (lambda: split_heads(np.zeros(8), 2), r"split_heads: `x` needs shape"),
        (lambda: merge_heads(np.zeros((5, 8))), r"merge_heads: `x` needs shape"),
        (
            lambda: share_heads(np.zeros((2, 5, 8)), 3),
            r"share_heads: `x` needs a number of heads that divides H=3",
        ),
        (lambda: share_heads(np.zeros((0, 5, 8)), 3), r"divides H=3; got \(0, 5, 8\)"),
        (lambda: share_heads(np.zeros((5, 8)), 3), r"share_heads: `x` needs shape"),
        (
            lambda: split_fused(np.zeros((5, 8)), 2),
            r"split_fused: `qkv` needs a width that 3·H=6 divides; got \(5, 8\)",
        ),
        (lambda: split_fused(np.zeros(12), 2), r"split_fused: `qkv` needs shape"),
        (
            lambda: project_heads(np.zeros((5, 7)), np.zeros((7, 5))),
            r"project_heads: `w` needs shape \(H, d, n\); got \(7, 5\)",
        ),
        (
            lambda: project_heads(np.zeros((5, 6)), np.zeros((2, 7, 5))),
            r"project_heads: `x` needs shape .* with d=7 \(from `w`\); got \(5, 6\)",
        ),
    ],
)
def test_what_cannot_be_cut_or_joined_is_refused(call, message):
    with pytest.raises(ShapeError, match=message):
        call()


@pytest.mark.parametrize("n_heads", [0, 1.0])
@pytest.mark.parametrize("split", [split_heads, split_fused])
def test_heads_are_counted_in_whole_numbers(split, n_heads):
    with pytest.raises(
        ValueError, match="`n_heads` needs a whole number of at least 1"
    ):
        split(np.zeros((5, 6)), n_heads)


def test_a_fused_layout_must_be_known():
    with pytest.raises(
        ValueError, match="`layout` needs 'blocks' or 'per_head'; got 'rows'"
    ):
        split_fused(np.zeros((5, 6)), 2, "rows")
