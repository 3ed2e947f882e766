"""Linear attention is its own quadratic form, computed without the table."""

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.errors import EmptyRowError, MaskError, ShapeError
from attnviz.core.fast.linear import linear_attend

TIGHT = {"rtol": 1e-12, "atol": 1e-14}
RNG = np.random.default_rng(0)
Q, K, V = (RNG.standard_normal(shape) for shape in ((2, 5, 3), (2, 7, 3), (2, 7, 11)))


def features(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, np.expm1(x)) + 1


def quadratic(q, k, v, visible) -> np.ndarray:
    """Write out the table of weights, as equation 3 of the paper does."""
    table = visible * (features(q) @ np.swapaxes(features(k), -1, -2))
    return (table / table.sum(axis=-1, keepdims=True)) @ v


def test_closed_form():
    # φ(0) = 1, φ(1) = 2, φ(−1) = 1/e: weights 2 : 1 : 1/e.
    found = linear_attend([[0.0]], [[1.0], [0.0], [-1.0]], np.eye(3))
    wanted = np.array([[2, 1, np.exp(-1)]]) / (3 + np.exp(-1))
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_equals_its_quadratic_form():
    np.testing.assert_allclose(
        linear_attend(Q, K, V), quadratic(Q, K, V, np.ones((5, 7))), **TIGHT
    )


@pytest.mark.parametrize("n_queries", [5, 7])
def test_step_by_step_equals_the_causal_quadratic_form(n_queries):
    q = RNG.standard_normal((2, n_queries, 3))
    np.testing.assert_allclose(
        linear_attend(q, K, V, causal=True),
        quadratic(q, K, V, causal_mask(n_queries, 7)),
        **TIGHT,
    )


def test_is_another_function_than_softmax_attention():
    difference = linear_attend(Q, K, V) - attend(Q, K, V).context
    assert np.abs(difference).max() > 0.1


@pytest.mark.parametrize("causal", [False, True])
def test_constant_values_come_back(causal):
    found = linear_attend(Q, K, np.full((2, 7, 11), 1.7), causal=causal)
    np.testing.assert_allclose(found, 1.7, rtol=1e-13)


@pytest.mark.parametrize("causal", [False, True])
def test_hidden_key_has_no_influence_at_all(causal):
    valid = np.array([True, True, False, True, True, True, False])
    k, v = K.copy(), V.copy()
    k[:, ~valid], v[:, ~valid] = np.nan, np.inf
    visible = causal_mask(5, 7) if causal else np.ones((5, 7), dtype=bool)
    np.testing.assert_allclose(
        linear_attend(Q, k, v, causal=causal, key_valid=valid),
        quadratic(Q, K, V, visible & valid),
        **TIGHT,
    )


def test_future_has_no_influence_on_the_past():
    q = RNG.standard_normal((7, 3))
    before = linear_attend(q, K[0], V[0], causal=True)
    k, v = K[0].copy(), V[0].copy()
    k[-2:], v[-2:] = np.nan, np.inf
    after = linear_attend(q, k, v, causal=True)
    np.testing.assert_array_equal(after[:-2], before[:-2])


def test_leading_axes_broadcast():
    np.testing.assert_allclose(
        linear_attend(Q, K[0], V[:1], causal=True),
        linear_attend(Q, K[[0, 0]], V[[0, 0]], causal=True),
        **TIGHT,
    )


def test_query_without_a_key_is_named():
    with pytest.raises(
        EmptyRowError,
        match="linear_attend: `key_valid` needs at least one key for each valid query; "
        "nothing is visible at batch or head 0, row 0; batch or head 0, row 1; "
        "batch or head 1, row 0",
    ):
        linear_attend(
            RNG.standard_normal((2, 7, 3)),
            K,
            V,
            causal=True,
            key_valid=np.arange(7) >= np.array([[2], [1]]),
        )


def test_query_before_all_keys_is_named():
    with pytest.raises(EmptyRowError, match=r"visible at row 0; row 1\. "):
        linear_attend(np.ones((9, 3)), K[0], V[0], causal=True)


def test_padding_query_gets_zero_and_needs_no_key():
    valid = np.arange(9) > 1
    q = RNG.standard_normal((9, 3))
    found = linear_attend(q, K[0], V[0], causal=True, query_valid=valid)
    np.testing.assert_array_equal(found[:2], 0)
    np.testing.assert_allclose(
        found[2:], linear_attend(q[2:], K[0], V[0], causal=True), **TIGHT
    )


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dtype_is_kept(dtype, causal):
    arrays = (array.astype(dtype) for array in (Q, K, V))
    assert linear_attend(*arrays, causal=causal).dtype == dtype


def test_messages_name_argument_wanted_and_got():
    with pytest.raises(ShapeError, match=r"linear_attend: `k` needs shape .* d_k=3"):
        linear_attend(Q, K[..., :2], V)
    with pytest.raises(
        MaskError,
        match=r"linear_attend: `key_valid` needs shape \(..., T_k\) that covers "
        r"\(2, 7\), .* got \(6,\)",
    ):
        linear_attend(Q, K, V, key_valid=np.ones(6, dtype=bool))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("q", "k"), [(-1000, 1), (1, -800), (-800, -700), (1e30, 1e30)]
)
def test_features_of_any_size_cancel(q, k, causal, dtype):
    queries, keys = np.full((2, 3), q, dtype), np.full((5, 3), k, dtype)
    values = np.arange(5.0, dtype=dtype)[:, None]
    found = linear_attend(queries, keys, values, causal=causal)
    np.testing.assert_allclose(found[:, 0], [1.5, 2] if causal else [2, 2], rtol=1e-6)


def test_a_large_later_key_leaves_small_earlier_ones_their_share():
    keys, values = [[-800.0], [-800], [-10], [3]], [[3.0], [5], [7], [9]]
    found = linear_attend([[1.0]] * 3, keys, values, causal=True)
    np.testing.assert_allclose(found[:2, 0], [4, 7])
    assert found[2] == linear_attend([[1.0]], keys, values)[0]


def test_features_that_never_meet_are_refused():
    with pytest.raises(
        ValueError,
        match=r"linear_attend: `q` and `k` need features whose products do not vanish "
        r"in float64; got a sum of almost 0 for the queries at \[\(1,\)\]",
    ):
        linear_attend([[0, 0], [1, -800.0]], [[-800.0, 1]], [[3.0]])


@pytest.mark.parametrize("causal", [False, True])
def test_no_query_gives_no_context(causal):
    empty = np.zeros((0, 3))
    assert linear_attend(empty, empty, empty, causal=causal).shape == (0, 3)
