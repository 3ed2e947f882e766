"""Attention: closed forms, masks, options, edges."""

import dataclasses

import numpy as np
import pytest

from attnviz.core.attention import (
    AttentionTrace,
    attend,
    default_scale,
    slice_head,
    stack_heads,
)
from attnviz.core.errors import ShapeError
from attnviz.core.masks import causal_mask

# With Q = 2·I and K = ln N the scaled scores are ln N, so softmax divides N by its row
# sums, which are all 10 or 8 or so: every weight is a fraction that can be checked.
COUNTS = np.array([[1, 2, 3, 4], [2, 1, 1, 4], [5, 1, 3, 1], [1, 1, 2, 6]])
V4 = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, -1.0]])


def counted(**options) -> AttentionTrace:
    return attend(2 * np.eye(4), np.log(COUNTS).T, V4, **options)


STAGES = (
    "q",
    "k",
    "v",
    "raw_scores",
    "scores",
    "masked_scores",
    "row_max",
    "exp_scores",
    "row_sum",
    "weights",
    "context",
)

# Sizes that no other axis shares: samples, heads, queries, keys, d_k, d_v.
PRIMES = {"q": (2, 3, 5, 11), "k": (2, 3, 7, 11), "v": (2, 3, 7, 13)}


def primes(dtype="float64") -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        name: rng.standard_normal(shape).astype(dtype) for name, shape in PRIMES.items()
    }


def test_weights_are_shares_of_the_counts():
    trace = counted()
    np.testing.assert_allclose(trace.scores, np.log(COUNTS), atol=1e-15)
    np.testing.assert_allclose(
        trace.weights,
        [
            [0.1, 0.2, 0.3, 0.4],
            [0.25, 0.125, 0.125, 0.5],
            [0.5, 0.1, 0.3, 0.1],
            [0.1, 0.1, 0.2, 0.6],
        ],
    )
    np.testing.assert_allclose(
        trace.context, [[1.2, 0.1], [1.375, -0.25], [1, 0.3], [1.5, -0.3]]
    )


def test_hidden_counts_leave_the_sum():
    trace = counted(visible=causal_mask(4))
    np.testing.assert_allclose(
        trace.weights,
        [
            [1, 0, 0, 0],
            [2 / 3, 1 / 3, 0, 0],
            [5 / 9, 1 / 9, 3 / 9, 0],
            [0.1, 0.1, 0.2, 0.6],
        ],
    )
    np.testing.assert_allclose(
        trace.context, [[1, 0], [2 / 3, 1 / 3], [8 / 9, 4 / 9], [1.5, -0.3]]
    )


def test_every_stage_of_one_row():
    trace = attend(
        [[1.0, 2.0]],
        [[2.0, 0.0], [0.0, 1.0], [9.0, 9.0]],
        [[1.0], [2.0], [3.0]],
        visible=np.array([[True, True, False]]),
        scale=0.5,
        bias=[[np.log(3), 0.0, 0.0]],
    )
    assert trace.raw_scores.tolist() == [[2, 2, 27]]
    np.testing.assert_allclose(trace.scores, [[1 + np.log(3), 1, 13.5]])
    np.testing.assert_allclose(trace.masked_scores, [[1 + np.log(3), 1, -np.inf]])
    np.testing.assert_allclose(trace.row_max, [[1 + np.log(3)]])
    np.testing.assert_allclose(trace.exp_scores, [[1, 1 / 3, 0]])
    np.testing.assert_allclose(trace.row_sum, [[4 / 3]])
    np.testing.assert_allclose(trace.weights, [[0.75, 0.25, 0]])
    np.testing.assert_allclose(trace.context, [[1.25]])
    assert trace.visible.tolist() == [[True, True, False]]


def test_the_trace_keeps_the_settings():
    trace = counted(scale=2, softcap=3, temperature=4)
    assert (trace.scale, trace.softcap, trace.temperature) == (2, 3, 4)
    assert (trace.bias, trace.dropout) == (None, None)


def test_the_default_scale_is_the_root_of_the_contracted_size():
    assert attend(**primes()).scale == pytest.approx(11**-0.5)
    assert default_scale(np.zeros((2, 16))) == 0.25


def test_another_rule_may_score_the_pairs():
    trace = attend(
        [[1.0], [5.0]],
        [[2.0], [4.0], [7.0]],
        np.eye(3),
        score=lambda q, k: -np.abs(q - k.T),
        scale=2.0,
    )
    assert trace.raw_scores.tolist() == [[-1, -3, -6], [-3, -1, -2]]
    assert trace.scores.tolist() == [[-2, -6, -12], [-6, -2, -4]]


def test_a_rule_must_score_every_pair():
    with pytest.raises(
        ShapeError,
        match=r"attend: `score` needs to give shape \(..., T_q, T_k\) = "
        r"\(2, 3, 5, 7\); got \(2, 3, 7, 5\)",
    ):
        attend(**primes(), score=lambda q, k: k @ q.swapaxes(-1, -2))


def test_options_apply_in_the_documented_order():
    # raw 8 → ·½ = 4 → 2·tanh(4/2) → + 1 → ÷ 5, and a second key that scores 0.
    trace = attend(
        [[2.0]],
        [[4.0], [0.0]],
        [[1.0], [0.0]],
        scale=0.5,
        softcap=2.0,
        bias=[[1.0, 0.0]],
        temperature=5.0,
    )
    score = 2 * np.tanh(2) + 1
    np.testing.assert_allclose(trace.scores, [[score, 0]])
    np.testing.assert_allclose(trace.masked_scores, [[score / 5, 0]])
    np.testing.assert_allclose(trace.context, [[1 / (1 + np.exp(-score / 5))]])


@pytest.mark.parametrize(
    ("temperature", "weights"),
    [
        (0.25, [0.98169, 0.01798, 0.000329]),
        (1.0, [0.665241, 0.244728, 0.090031]),
    ],
)
def test_temperature_sharpens_and_flattens(temperature, weights):
    # Course chapter, R149.
    trace = attend([[1.0]], [[2.0], [1.0], [0.0]], np.eye(3), temperature=temperature)
    np.testing.assert_allclose(trace.weights, [weights], atol=5e-6)


def test_a_bias_of_minus_infinity_hides_the_key():
    bias = np.where(causal_mask(4), 0.0, -np.inf)
    np.testing.assert_array_equal(
        counted(bias=bias).weights, counted(visible=causal_mask(4)).weights
    )
    np.testing.assert_array_equal(counted(bias=bias).visible, causal_mask(4))


def test_a_bias_of_one_row_or_head_is_spread():
    data = primes()
    row = attend(**data, bias=np.arange(7.0)[None])
    full = attend(**data, bias=np.broadcast_to(np.arange(7.0), (2, 3, 5, 7)))
    np.testing.assert_array_equal(row.weights, full.weights)
    heads = np.arange(21.0).reshape(3, 1, 7)
    np.testing.assert_array_equal(
        attend(**data, bias=heads).weights,
        attend(**data, bias=np.broadcast_to(heads, (2, 3, 5, 7))).weights,
    )


def test_dropout_multiplies_the_weights_after_the_softmax():
    keep = np.array([[2.0, 0, 2, 2], [0, 0, 0, 0], [1, 1, 1, 1], [0, 2, 0, 0]])
    trace = counted(dropout=keep)
    np.testing.assert_array_equal(trace.weights, counted().weights)
    np.testing.assert_allclose(trace.context, (counted().weights * keep) @ V4)
    np.testing.assert_array_equal(trace.dropout, keep)


def test_leading_axes_are_independent_calls():
    data = primes()
    alone = attend(*(data[name][1, 2] for name in "qkv"))
    together = attend(**data)
    np.testing.assert_allclose(together.context[1, 2], alone.context, rtol=1e-13)
    np.testing.assert_allclose(together.weights[1, 2], alone.weights, rtol=1e-13)


def test_one_set_of_keys_serves_all_samples():
    data = primes()
    shared = attend(data["q"], data["k"][0, 0], data["v"][0, 0])
    assert shared.context.shape == (2, 3, 5, 13)
    np.testing.assert_allclose(
        shared.context[1, 2],
        attend(data["q"][1, 2], data["k"][0, 0], data["v"][0, 0]).context,
        rtol=1e-13,
    )


def test_one_token_gives_its_value():
    trace = attend([[3.0, 1.0]], [[2.0, 5.0]], [[7.0, -1.0, 4.0]])
    assert trace.weights.tolist() == [[1]]
    assert trace.context.tolist() == [[7, -1, 4]]


def test_no_queries_give_no_context():
    assert attend(np.zeros((0, 2)), np.ones((3, 2)), np.ones((3, 5))).context.size == 0


def test_values_without_features_give_a_context_without_features():
    assert attend(np.ones((2, 3)), np.ones((5, 3)), np.ones((5, 0))).context.shape == (
        2,
        0,
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_every_stage_keeps_the_type_of_the_arguments(dtype):
    trace = attend(**primes(dtype), visible=causal_mask(5, 7))
    assert {getattr(trace, stage).dtype for stage in STAGES} == {np.dtype(dtype)}


def test_whole_numbers_are_computed_in_float64():
    assert attend([[1]], [[1]], [[1]]).context.dtype == np.float64


def test_options_do_not_widen_the_type():
    data = primes("float32")
    trace = attend(
        **data,
        bias=np.zeros((5, 7)),
        dropout=np.ones((5, 7)),
        scale=np.float64(0.3),
        softcap=np.float64(5),
        temperature=np.float64(2),
    )
    assert trace.context.dtype == np.float32


def test_float32_is_as_good_as_its_rounding():
    exact = attend(**{n: a.astype("float64") for n, a in primes("float32").items()})
    trace = attend(**primes("float32"))
    np.testing.assert_allclose(trace.context, exact.context, rtol=1e-5, atol=1e-6)


def test_half_precision_is_rounded_once():
    exact = attend(**{n: a.astype("float32") for n, a in primes("float16").items()})
    trace = attend(**primes("float16"))
    np.testing.assert_array_equal(trace.context, exact.context.astype("float16"))


def test_half_precision_survives_scores_beyond_its_range():
    q = np.full((1, 64), 60_000, "float16")
    k = np.stack([np.ones(64), -np.ones(64)]).astype("float16") * 1000
    trace = attend(q, k, np.array([[1], [2]], "float16"))
    assert trace.scores.tolist() == [[np.inf, -np.inf]]
    assert trace.weights.tolist() == [[1, 0]]
    assert trace.context.tolist() == [[1]]


def test_scores_times_ten_thousand_stay_finite():
    # Course chapter, R161.
    data = primes()
    trace = attend(data["q"] * 1e4, data["k"], data["v"])
    assert np.isfinite(trace.context).all()
    np.testing.assert_allclose(trace.weights.sum(axis=-1), 1, rtol=1e-12)


def test_a_huge_hidden_score_does_not_wash_out_the_visible_ones():
    trace = attend(
        [[1.0]],
        [[0.0], [0.0], [1e6]],
        [[1.0], [3.0], [9.0]],
        visible=np.array([[True, True, False]]),
    )
    assert trace.row_max.tolist() == [[0]]
    assert trace.context.tolist() == [[2]]


def test_arguments_stay_as_they_were_and_may_be_locked():
    data = primes()
    before = {name: array.copy() for name, array in data.items()}
    data["q"].flags.writeable = False
    attend(**data, visible=causal_mask(5, 7))
    np.testing.assert_equal(data, before)


def test_the_memory_order_does_not_matter():
    data = primes()
    turned = {name: np.asfortranarray(array) for name, array in data.items()}
    strided = {name: np.repeat(a, 2, axis=-2)[..., ::2, :] for name, a in data.items()}
    wanted = attend(**data).context
    np.testing.assert_allclose(attend(**turned).context, wanted, rtol=1e-12)
    np.testing.assert_allclose(attend(**strided).context, wanted, rtol=1e-12)


def test_a_trace_does_not_follow_later_changes_of_its_arguments():
    data = primes() | {"bias": np.zeros((5, 7)), "visible": causal_mask(5, 7)}
    trace = attend(**data)
    before = {name: getattr(trace, name).copy() for name in data}
    data["q"][...] = data["k"][...] = data["v"][...] = data["bias"][...] = 9
    data["visible"][...] = False
    np.testing.assert_equal({name: getattr(trace, name) for name in data}, before)


def test_nobody_can_write_into_a_trace():
    trace = attend(
        **primes(),
        visible=causal_mask(5, 7),
        bias=np.zeros((5, 7)),
        dropout=np.ones((5, 7)),
    )
    fields = [getattr(trace, field.name) for field in dataclasses.fields(trace)]
    arrays = [field for field in fields if isinstance(field, np.ndarray)]
    assert len(arrays) == 14
    assert not any(array.flags.writeable for array in arrays)


def test_nobody_can_replace_a_stage():
    trace = counted()
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.weights = np.eye(4)


def test_one_head_of_a_trace_is_the_trace_of_that_head():
    data = {name: array[0] for name, array in primes().items()}
    options = {"bias": np.arange(35.0).reshape(5, 7), "softcap": 2.0}
    head = slice_head(attend(**data, **options), 2)
    alone = attend(*(data[name][2] for name in "qkv"), **options)
    np.testing.assert_allclose(head.context, alone.context, rtol=1e-13)
    np.testing.assert_allclose(head.masked_scores, alone.masked_scores, rtol=1e-12)
    np.testing.assert_array_equal(head.bias, alone.bias)
    assert (head.scale, head.softcap) == (alone.scale, alone.softcap)


def test_a_slice_of_shared_keys_still_has_its_keys():
    data = {name: array[0] for name, array in primes().items()}
    head = slice_head(attend(data["q"], data["k"][0], data["v"][0]), 1)
    np.testing.assert_array_equal(head.k, data["k"][0])


def test_stacked_heads_are_the_trace_of_all_heads():
    data = {name: array[0] for name, array in primes().items()}
    whole = attend(**data, visible=causal_mask(5, 7))
    stacked = stack_heads([slice_head(whole, head) for head in range(3)])
    np.testing.assert_equal(
        {name: getattr(stacked, name) for name in PRIMES | {"weights": 0}},
        {name: getattr(whole, name) for name in PRIMES | {"weights": 0}},
    )
    assert stacked.visible.shape == (3, 5, 7)
    assert not stacked.weights.flags.writeable


def test_a_trace_without_heads_cannot_be_sliced():
    with pytest.raises(
        ShapeError,
        match=r"slice_head: `trace` needs stages \(H, T_q, T_k\); got \(4, 4\)",
    ):
        slice_head(counted(), 0)


def test_a_head_that_is_not_there_cannot_be_sliced():
    whole = attend(**{name: array[0] for name, array in primes().items()})
    with pytest.raises(ValueError, match="`head` needs a number below H=3; got 3"):
        slice_head(whole, 3)
    with pytest.raises(ValueError, match="slice_head: `head` needs a whole number"):
        slice_head(whole, -1)


@pytest.mark.parametrize("traces", [[], [counted(), attend([[1]], [[1]], [[1]])]])
def test_traces_that_differ_cannot_be_stacked(traces):
    with pytest.raises(
        ShapeError, match="stack_heads: `traces` need stages of one shape; got"
    ):
        stack_heads(traces)
