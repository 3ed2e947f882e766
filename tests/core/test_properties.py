"""What must hold for any numbers, tried on many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnviz.core.attention.by_list import multi_head_attend_by_list
from attnviz.core.attention.heads import merge_heads, split_heads
from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.multi_head import (
    MultiHeadParameters,
    multi_head_attend,
)
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.attention.weights import softmax
from attnviz.core.layers.norms import layer_norm

many = settings(derandomize=True, deadline=None, max_examples=60)

numbers = st.floats(-100, 100)
lengths = st.integers(1, 6)


@st.composite
def problems(draw: st.DrawFn) -> dict[str, np.ndarray]:
    """Draw queries, keys, values, and a mask that leaves every query a key."""
    len_q, len_k, d_k, d_v = (draw(lengths) for _ in range(4))
    visible = draw(arrays(bool, (len_q, len_k)))
    visible[
        np.arange(len_q), draw(arrays(int, len_q, elements=st.integers(0, 5))) % len_k
    ] = True
    return {
        "q": draw(arrays(float, (len_q, d_k), elements=numbers)),
        "k": draw(arrays(float, (len_k, d_k), elements=numbers)),
        "v": draw(arrays(float, (len_k, d_v), elements=numbers)),
        "visible": visible,
    }


@many
@given(problems())
def test_weights_are_shares_of_what_is_visible(problem):
    trace = attend(**problem)
    assert (trace.weights >= 0).all()
    assert (trace.weights[~problem["visible"]] == 0).all()
    np.testing.assert_allclose(trace.weights.sum(axis=-1), 1, rtol=1e-12)


@many
@given(problems())
def test_the_context_lies_between_the_visible_values(problem):
    # Course chapter, R27.
    context = attend(**problem).context
    seen = problem["visible"][..., None]
    lowest = np.where(seen, problem["v"], np.inf).min(axis=1)
    highest = np.where(seen, problem["v"], -np.inf).max(axis=1)
    assert (context >= lowest - 1e-11).all()
    assert (context <= highest + 1e-11).all()


@many
@given(problems(), numbers)
def test_equal_values_give_that_value(problem, number):
    # Course chapter, R26.
    values = np.full_like(problem["v"], number)
    context = attend(**(problem | {"v": values})).context
    np.testing.assert_allclose(context, number, rtol=1e-12, atol=1e-12)


@many
@given(arrays(float, (3, 5), elements=numbers), st.floats(-1e6, 1e6))
def test_adding_a_number_to_a_row_changes_no_weight(scores, number):
    # Course chapter, R29. Scores of 1e6 are known to 1e-10, so weights are too.
    np.testing.assert_allclose(softmax(scores + number), softmax(scores), atol=1e-9)


@many
@given(problems(), st.randoms(use_true_random=False))
def test_keys_may_change_places_with_their_values(problem, random):
    # Course chapter, R31.
    order = list(range(len(problem["k"])))
    random.shuffle(order)
    moved = attend(
        problem["q"],
        problem["k"][order],
        problem["v"][order],
        visible=problem["visible"][:, order],
    )
    np.testing.assert_allclose(moved.context, attend(**problem).context, atol=1e-10)


@many
@given(problems(), st.data())
def test_the_context_is_linear_in_the_values(problem, data):
    more = data.draw(arrays(float, problem["v"].shape, elements=numbers))
    parts = (attend(**(problem | {"v": v})).context for v in (problem["v"], more))
    both = attend(**(problem | {"v": problem["v"] + more})).context
    np.testing.assert_allclose(both, sum(parts), atol=1e-10)


@many
@given(problems(), st.sampled_from([np.nan, np.inf, -np.inf, 1e308]))
def test_keys_nobody_sees_may_hold_anything(problem, junk):
    unseen = ~problem["visible"].any(axis=0)
    k, v = problem["k"].copy(), problem["v"].copy()
    k[unseen] = v[unseen] = junk
    spoilt = attend(**(problem | {"k": k, "v": v}))
    np.testing.assert_array_equal(spoilt.context, attend(**problem).context)


@many
@given(problems(), st.floats(1, 1e4))
def test_scores_of_any_size_stay_finite(problem, size):
    trace = attend(**(problem | {"q": size * problem["q"]}))
    assert np.isfinite(trace.context).all()


@many
@given(
    problems(),
    st.sampled_from(["float16", "float32", "float64"]),
    st.sampled_from(["float16", "float32", "float64"]),
)
def test_the_widest_argument_gives_the_type(problem, first, second):
    trace = attend(
        problem["q"].astype(first),
        problem["k"].astype(second),
        problem["v"].astype(first),
    )
    assert trace.context.dtype == np.result_type(first, second)
    assert np.isfinite(trace.context).all()


X = arrays(float, (5, 4), elements=numbers)
SEEDS = st.integers(0, 2**32 - 1)


def layer(seed: int) -> MultiHeadParameters:
    rng = np.random.default_rng(seed)
    shapes = {"w_q": (4, 4, 3), "w_k": (2, 4, 3), "w_v": (2, 4, 2), "w_o": (8, 4)}
    return MultiHeadParameters(**{n: rng.standard_normal(s) for n, s in shapes.items()})


@many
@given(X, SEEDS, st.permutations(range(5)))
def test_permuted_tokens_give_a_permuted_output(x, seed, order):
    # Course chapter, R72.
    plain = multi_head_attend(x, parameters=layer(seed)).output
    moved = multi_head_attend(x[order], parameters=layer(seed)).output
    np.testing.assert_allclose(moved, plain[order], rtol=1e-9, atol=1e-9)


@many
@given(X, SEEDS)
def test_heads_at_once_are_heads_one_by_one(x, seed):
    # Course chapter, R83.
    options = {"parameters": layer(seed), "visible": causal_mask(5)}
    np.testing.assert_allclose(
        multi_head_attend(x, **options).output,
        multi_head_attend_by_list(x, **options).output,
        rtol=1e-9,
        atol=1e-9,
    )


@many
@given(
    X,
    SEEDS,
    st.fixed_dictionaries(
        {},
        optional={
            "visible": st.just(causal_mask(5)),
            "scale": st.floats(-2, 2),
            "temperature": st.floats(0.1, 10),
            "softcap": st.floats(0.1, 10),
        },
    ),
)
def test_options_leave_queries_keys_and_values_bitwise_alone(x, seed, options):
    # Course chapter, R5.
    plain = multi_head_attend(x, parameters=layer(seed))
    other = multi_head_attend(x, parameters=layer(seed), **options)
    assert plain.q.tobytes() == other.q.tobytes()
    assert plain.k.tobytes() == other.k.tobytes()
    assert plain.v.tobytes() == other.v.tobytes()


@many
@given(X, SEEDS, st.integers(0, 3), numbers)
def test_the_future_never_reaches_the_past(x, seed, now, number):
    options = {"parameters": layer(seed), "visible": causal_mask(5)}
    later = x.copy()
    later[now + 1 :] = number
    np.testing.assert_allclose(
        multi_head_attend(later, **options).output[: now + 1],
        multi_head_attend(x, **options).output[: now + 1],
        rtol=1e-12,
        atol=1e-12,
    )


@many
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5))
def test_splitting_and_merging_heads_cancel(n_heads, length, width):
    x = np.arange(length * n_heads * width, dtype=float).reshape(length, -1)
    np.testing.assert_array_equal(merge_heads(split_heads(x, n_heads)), x)


@many
@given(arrays(float, (3, 7), elements=numbers), numbers)
def test_layer_norm_keeps_positions_apart(x, number):
    # Course chapter, R105: the difference is exactly 0.
    disturbed = np.vstack([x[:1], x[1:] + number, np.full((2, 7), number)])
    np.testing.assert_array_equal(
        layer_norm(disturbed).output[:1], layer_norm(x).output[:1]
    )


@many
@given(
    arrays(float, (3, 7), elements=st.integers(-50, 50)),
    st.floats(0.5, 100),
    st.floats(-1e3, 1e3),
)
def test_layer_norm_ignores_shift_and_scale(x, factor, shift):
    # Course chapter, R111: up to ε, which is why it is small here.
    x[:, 0] += 101
    np.testing.assert_allclose(
        layer_norm(factor * x + shift, eps=1e-20).normalized,
        layer_norm(x, eps=1e-20).normalized,
        atol=1e-9,
    )


@many
@given(arrays(float, (3, 7), elements=numbers))
def test_normalized_rows_have_mean_zero_and_a_known_mean_square(x):
    # Course chapter, R101 and R102.
    trace = layer_norm(x)
    assert np.abs(trace.normalized.mean(axis=-1)).max() < 1e-12
    np.testing.assert_allclose(
        np.square(trace.normalized).mean(axis=-1),
        trace.variance / (trace.variance + 1e-5),
        rtol=1e-12,
    )


def test_a_property_that_does_not_hold_is_found():
    @many
    @given(problems())
    def weights_never_exceed_one_half(problem):
        assert attend(**problem).weights.max() <= 0.5

    with pytest.raises(AssertionError):
        weights_never_exceed_one_half()
