"""Attention: closed forms, stages, options, edges."""

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.scaled_dot_product import AttentionTrace, attend
from attnviz.core.attention.scores import default_scale
from attnviz.core.errors import ShapeError
from tests.core.attention.attention_arrays import primes

# With Q = 2·I and K = ln N the scaled scores are ln N, so softmax divides N by its row
# sums, 10, 8, 10 and 10: every weight is a fraction that can be checked by hand.
COUNTS = np.array([[1, 2, 3, 4], [2, 1, 1, 4], [5, 1, 3, 1], [1, 1, 2, 6]])
V4 = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, -1.0]])


def counted(**options) -> AttentionTrace:
    return attend(2 * np.eye(4), np.log(COUNTS).T, V4, **options)


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


def test_another_score_takes_the_place_of_the_dot_product():
    distances = np.arange(15.0).reshape(3, 5)
    trace = attend(
        np.ones((3, 7)), np.ones((5, 7)), np.eye(5), score=lambda q, k: -distances
    )
    np.testing.assert_array_equal(trace.raw_scores, -distances)
    np.testing.assert_allclose(trace.scores, -distances / np.sqrt(7), rtol=1e-15)


def test_a_score_covers_the_leading_axes_too():
    trace = attend(**primes(), score=lambda q, k: q @ k.swapaxes(-1, -2))
    np.testing.assert_array_equal(trace.context, attend(**primes()).context)


def test_a_score_of_another_shape_is_refused():
    message = r"attend: `score` needs to give shape \(\.\.\., T_q, T_k\) = \(3, 5\); "
    with pytest.raises(ShapeError, match=message + r"got \(5, 3\)"):
        attend(
            np.ones((3, 7)),
            np.ones((5, 7)),
            np.ones((5, 2)),
            score=lambda q, k: k @ q.T,
        )
