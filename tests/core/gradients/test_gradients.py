"""Gradients of softmax and attention: closed forms, differences, hidden places.

The reference gradients of golden.json come from automatic differentiation by JAX
0.10.2 in float64; all others are central differences of the forward pass.
"""

from typing import Any

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask, combine_masks, padding_mask
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.attention.weights import softmax
from attnviz.core.errors import ShapeError
from attnviz.core.gradients import attend_backward, softmax_backward
from tests.core.golden import GOLDEN
from tests.core.gradients.differences import differences
from tests.core.gradients.gradient_arrays import CLOSE

RNG = np.random.default_rng(0)
ARGUMENTS = {
    "q": RNG.standard_normal((2, 3, 5)),
    "k": RNG.standard_normal((2, 7, 5)),
    "v": RNG.standard_normal((2, 7, 11)),
}
BIAS = RNG.standard_normal((2, 3, 7))
D_CONTEXT = RNG.standard_normal((2, 3, 11))
DROPOUT = np.where(RNG.random((2, 3, 7)) < 0.3, 0, 1 / 0.7)
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"visible": causal_mask(3, 7)},
    "bias": {"bias": BIAS},
    "one bias for all samples": {"bias": BIAS[0]},
    "bias for each key": {"bias": BIAS[:, :1]},
    "scale": {"scale": -0.7},
    "soft-cap": {"softcap": 0.8},
    "temperature": {"temperature": 0.4},
    "dropout": {"dropout": DROPOUT},
    "all": {
        "visible": causal_mask(3, 7),
        "bias": BIAS,
        "scale": 0.9,
        "softcap": 1.3,
        "temperature": 1.7,
        "dropout": DROPOUT,
    },
}


def loss(name: str, value: np.ndarray, **options) -> float:
    context = attend(**{**ARGUMENTS, **options, name: value}).context
    return float((D_CONTEXT * context).sum())


def gradients(**options):
    return attend_backward(D_CONTEXT, trace=attend(**ARGUMENTS, **options))


def test_softmax_gradient_is_the_product_with_the_jacobian():
    a = np.array([0.5, 0.3, 0.2])
    jacobian = np.diag(a) - np.outer(a, a)
    d_weights = np.array([2.0, -1.0, 4.0])
    np.testing.assert_allclose(
        softmax_backward(d_weights, weights=a), jacobian @ d_weights, rtol=1e-14
    )


def test_softmax_gradient_agrees_with_differences_along_any_axis():
    x, d_weights = RNG.standard_normal((2, 3, 5, 7))[:2, 0]
    np.testing.assert_allclose(
        softmax_backward(d_weights, weights=softmax(x, axis=0), axis=0),
        differences(lambda at: float((d_weights * softmax(at, axis=0)).sum()), x),
        **CLOSE,
    )


def test_softmax_gradient_of_each_row_sums_to_zero():
    weights = softmax(RNG.standard_normal((3, 7)))
    d_scores = softmax_backward(RNG.standard_normal((3, 7)), weights=weights)
    np.testing.assert_allclose(d_scores.sum(axis=-1), 0, atol=1e-15)


def test_weight_zero_has_gradient_zero_even_under_nan():
    d_scores = softmax_backward([np.nan, 1.0, 3.0], weights=[0.0, 0.5, 0.5])
    np.testing.assert_array_equal(d_scores, [0, -0.5, 0.5])


def test_one_hot_row_has_no_gradient():
    d_scores = softmax_backward([5.0, -3.0], weights=[1.0, 0.0])
    np.testing.assert_array_equal(d_scores, [0, 0])


def test_softmax_backward_names_the_shape_it_wants():
    with pytest.raises(
        ShapeError,
        match=r"softmax_backward: `d_weights` needs the shape of the result, \(3,\); "
        r"got \(2,\)",
    ):
        softmax_backward([1.0, 2.0], weights=[0.2, 0.3, 0.5])


GOLDEN_Q, GOLDEN_K, GOLDEN_V, GOLDEN_DC = (
    np.array(GOLDEN["inputs"][name]) for name in ("Q", "K", "V", "dC")
)
PADDING = padding_mask(np.array(GOLDEN["inputs"]["key_valid"])[:, None])
SETTINGS = {
    "none": (1, None),
    "padding": (1, PADDING),
    "causal": (1, causal_mask(3)),
    "padding+causal": (1, combine_masks(PADDING, causal_mask(3))),
    "huge": (1e4, combine_masks(PADDING, causal_mask(3))),
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(("name", "key"), [("q", "dQ"), ("k", "dK"), ("v", "dV")])
def test_gradients_of_exercise_6(setting, name, key):
    factor, visible = SETTINGS[setting]
    q = factor * GOLDEN_Q
    trace = attend(q, GOLDEN_K, GOLDEN_V, visible=visible)
    found = attend_backward(GOLDEN_DC, trace=trace)
    np.testing.assert_allclose(
        getattr(found, name), GOLDEN[setting][key], rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_gradient_agrees_with_differences(name, options):
    np.testing.assert_allclose(
        getattr(gradients(**options), name),
        differences(lambda at: loss(name, at, **options), ARGUMENTS[name]),
        **CLOSE,
    )


@pytest.mark.parametrize("bias", [BIAS, BIAS[0], BIAS[:, :1]], ids=np.shape)
def test_gradient_of_the_bias_agrees_with_differences(bias):
    options = {"softcap": 1.3, "temperature": 0.6}
    np.testing.assert_allclose(
        gradients(bias=bias, **options).bias,
        differences(lambda at: loss("bias", at, **options), bias),
        **CLOSE,
    )


def test_no_bias_has_no_gradient():
    assert gradients().bias is None


def test_gradients_of_the_stages_follow_from_each_other():
    found = gradients(bias=BIAS, scale=0.9, temperature=1.7)
    np.testing.assert_allclose(found.scores, found.bias, rtol=1e-13)
    np.testing.assert_allclose(found.masked_scores, 1.7 * found.scores, rtol=1e-13)
    np.testing.assert_allclose(found.raw_scores, 0.9 * found.scores, rtol=1e-13)
    np.testing.assert_allclose(
        found.weights,
        D_CONTEXT @ np.swapaxes(ARGUMENTS["v"], -1, -2),
        rtol=1e-13,
    )


def test_argument_shared_by_all_heads_gets_the_sum_of_their_gradients():
    k, v = ARGUMENTS["k"][:1], ARGUMENTS["v"][0]
    q = ARGUMENTS["q"]
    shared = attend_backward(D_CONTEXT, trace=attend(q, k, v))
    first, second = (
        attend_backward(dc, trace=attend(one, k[0], v))
        for dc, one in zip(D_CONTEXT, q, strict=True)
    )
    np.testing.assert_allclose(shared.k, (first.k + second.k)[None], rtol=1e-13)
    np.testing.assert_allclose(shared.v, first.v + second.v, rtol=1e-13)


@pytest.mark.parametrize("heads", [(), (1,)])
def test_queries_and_keys_shared_by_all_values_get_the_sum_of_their_gradients(heads):
    q, k = (ARGUMENTS[name][(0, *[None] * len(heads))] for name in ("q", "k"))
    v = ARGUMENTS["v"]
    shared = attend_backward(D_CONTEXT, trace=attend(q, k, v))
    parts = [
        attend_backward(dc, trace=attend(q, k, one))
        for dc, one in zip(
            D_CONTEXT[(slice(None), *[None] * len(heads))], v, strict=True
        )
    ]
    for name in ("q", "k", "weights", "raw_scores"):
        wanted = sum(getattr(part, name) for part in parts)
        np.testing.assert_allclose(getattr(shared, name), wanted, rtol=1e-12)
    np.testing.assert_allclose(shared.v[1], parts[1].v, rtol=1e-13)


def test_soft_capped_gradient_survives_raw_scores_beyond_half_precision():
    q, k, v = np.float16([[300, 1]]), np.float16([[300, 7], [290, 3]]), [[1], [2]]
    given = {"q": q, "k": k, "v": np.float16(v)}
    options = {"scale": 1e-4, "softcap": 50.0}
    trace = attend(**given, **options)
    assert np.isinf(trace.raw_scores).all()
    wide = {name: array.astype(float) for name, array in given.items()}
    wanted = attend_backward([[1.0]], trace=attend(**wide, **options))
    found = attend_backward([[1.0]], trace=trace)
    np.testing.assert_allclose(found.q, wanted.q, rtol=5e-3)
    np.testing.assert_allclose(found.k, wanted.k, rtol=5e-3)


@pytest.mark.parametrize("softcap", [None, 1.3])
@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_hidden_key_changes_no_gradient_and_gets_none(poison, softcap):
    q, k, v = ARGUMENTS.values()
    fewer = attend_backward(
        D_CONTEXT, trace=attend(q, k[:, :-1], v[:, :-1], softcap=softcap)
    )
    spoilt_k, spoilt_v = k.copy(), v.copy()
    spoilt_k[:, -1], spoilt_v[:, -1] = poison, poison
    visible = np.arange(7) < np.full((3, 1), 6)
    trace = attend(q, spoilt_k, spoilt_v, visible=visible, softcap=softcap)
    found = attend_backward(D_CONTEXT, trace=trace)
    np.testing.assert_allclose(found.q, fewer.q, rtol=1e-13)
    np.testing.assert_allclose(found.k[:, :-1], fewer.k, rtol=1e-13)
    np.testing.assert_allclose(found.v[:, :-1], fewer.v, rtol=1e-13)
    np.testing.assert_array_equal(found.k[:, -1], 0)
    np.testing.assert_array_equal(found.v[:, -1], 0)


def test_future_nan_reaches_no_gradient_of_the_past():
    q, k, v = (GOLDEN_Q.copy(), GOLDEN_K.copy(), GOLDEN_V.copy())
    k[..., -1, :], v[..., -1, :] = np.nan, np.nan
    d_context = GOLDEN_DC.copy()
    d_context[..., -1, :] = 0
    trace = attend(q, k, v, visible=causal_mask(3))
    found = attend_backward(d_context, trace=trace)
    past = attend_backward(
        d_context[..., :2, :],
        trace=attend(
            q[..., :2, :], k[..., :2, :], v[..., :2, :], visible=causal_mask(2)
        ),
    )
    np.testing.assert_allclose(found.q[..., :2, :], past.q, rtol=1e-13)


def test_padding_query_has_gradient_zero_and_gives_none():
    q, k, v = ARGUMENTS.values()
    spoilt, d_context = q.copy(), D_CONTEXT.copy()
    spoilt[:, 1], d_context[:, 1] = np.nan, np.nan
    trace = attend(spoilt, k, v, query_valid=np.array([True, False, True]))
    found = attend_backward(d_context, trace=trace)
    rest = attend_backward(D_CONTEXT[:, ::2], trace=attend(q[:, ::2], k, v))
    np.testing.assert_array_equal(found.q[:, 1], 0)
    np.testing.assert_allclose(found.k, rest.k, rtol=1e-13)
    np.testing.assert_allclose(found.v, rest.v, rtol=1e-13)


def test_bias_of_minus_infinity_gets_gradient_zero():
    bias = BIAS.copy()
    bias[:, :, 4] = -np.inf
    found = gradients(bias=bias)
    np.testing.assert_array_equal(found.bias[:, :, 4], 0)
    assert np.isfinite(found.q).all()
    assert np.isfinite(found.bias).all()


def test_gradients_keep_the_dtype_of_the_trace():
    narrow = {name: array.astype("float32") for name, array in ARGUMENTS.items()}
    trace = attend(**narrow, bias=BIAS.astype("float32"))
    found = attend_backward(D_CONTEXT, trace=trace)
    names = ("q", "k", "v", "bias", "raw_scores", "scores", "masked_scores", "weights")
    assert {getattr(found, name).dtype for name in names} == {np.dtype("float32")}


def test_gradients_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        gradients().q[0] = 0


def test_message_names_argument_wanted_and_got():
    trace = attend(**ARGUMENTS)
    with pytest.raises(
        ShapeError,
        match=r"attend_backward: `d_context` needs the shape of the result, "
        r"\(2, 3, 11\); got \(3, 11\)",
    ):
        attend_backward(D_CONTEXT[0], trace=trace)
    with pytest.raises(
        ShapeError,
        match=r"attend_backward: `k` needs the shape it had in `trace`, \(2, 7, 5\); "
        r"got \(7, 5\)",
    ):
        attend_backward(D_CONTEXT, **{**ARGUMENTS, "k": ARGUMENTS["k"][0]}, trace=trace)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_of_the_trace_may_stand_beside_it(dtype):
    given = {name: array.astype(dtype) for name, array in ARGUMENTS.items()}
    trace = attend(**given)
    beside = attend_backward(D_CONTEXT, trace=trace, **given)
    np.testing.assert_array_equal(beside.q, attend_backward(D_CONTEXT, trace=trace).q)


def test_not_a_number_stands_beside_itself():
    k = ARGUMENTS["k"].copy()
    k[0, 3] = np.nan
    visible = np.arange(7) != np.full((3, 1), 3)
    trace = attend(ARGUMENTS["q"], k, ARGUMENTS["v"], visible=visible)
    assert np.isfinite(attend_backward(D_CONTEXT, trace=trace, k=k).q).all()


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_arrays_that_are_not_the_traces_own_are_refused(name):
    other = ARGUMENTS[name].copy()
    other[1, 2, 4] = 0.5
    with pytest.raises(
        ValueError,
        match=rf"attend_backward: `{name}` needs the numbers that `trace` was computed "
        r"from; got 0\.5 for -?[\d.]+ at \(1, 2, 4\)",
    ):
        attend_backward(D_CONTEXT, trace=attend(**ARGUMENTS), **{name: other})


def test_gradients_of_another_score_end_at_the_scores():
    def distances(q, k):
        return -np.abs(q[..., :, None, :] - k[..., None, :, :]).sum(axis=-1)

    trace = attend(**ARGUMENTS, score=distances, softcap=2.0)
    found = attend_backward(D_CONTEXT, trace=trace)
    assert (found.q, found.k) == (None, None)
    np.testing.assert_allclose(
        found.raw_scores,
        differences(
            lambda at: loss("q", ARGUMENTS["q"], score=lambda q, k: at, softcap=2.0),
            trace.raw_scores,
        ),
        **CLOSE,
    )
