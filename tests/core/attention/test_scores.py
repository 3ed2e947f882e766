"""Similarity functions: the chapter's numbers, and what they have in common."""

import numpy as np
import pytest

from attnviz.core.attention.scores import additive_scores, bilinear_scores, dot_scores
from attnviz.core.attention.weights import softmax
from attnviz.core.errors import ShapeError
from tests.core import golden

GOLDEN = golden.GOLDEN["similarity"]
PAIR = (GOLDEN["q"], GOLDEN["k"])
NETWORK = (GOLDEN["Wq"], GOLDEN["Wk"], GOLDEN["v"])


def test_dot_scores_are_the_chapters():
    np.testing.assert_array_equal(dot_scores(*PAIR), GOLDEN["dot"])


def test_bilinear_scores_are_the_chapters():
    np.testing.assert_array_equal(
        bilinear_scores(*PAIR, GOLDEN["W"]), GOLDEN["bilinear"]
    )


def test_additive_scores_are_the_chapters():
    np.testing.assert_allclose(
        additive_scores(*PAIR, *NETWORK), GOLDEN["additive"], atol=1e-15
    )


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        (dot_scores(*PAIR), [0.66524096, 0.24472847, 0.09003057]),
        (bilinear_scores(*PAIR, GOLDEN["W"]), [0.26762315, 0.72747516, 0.00490169]),
        (additive_scores(*PAIR, *NETWORK), [0.43549993, 0.3214508, 0.24304926]),
    ],
)
def test_all_scores_end_in_the_same_softmax(scores, weights):
    # Course chapter, R66: weights of the first query.
    np.testing.assert_allclose(softmax(scores)[0], weights, atol=5e-9)


def test_the_identity_makes_a_bilinear_form_a_dot_product():
    q, k = np.sin(np.arange(15.0)).reshape(3, 5), np.cos(np.arange(35.0)).reshape(7, 5)
    np.testing.assert_array_equal(bilinear_scores(q, k, np.eye(5)), dot_scores(q, k))


def test_a_bilinear_form_joins_different_widths():
    q, k = np.sin(np.arange(6.0)).reshape(3, 2), np.cos(np.arange(35.0)).reshape(7, 5)
    w = np.sin(np.arange(10.0)).reshape(2, 5)
    scores = bilinear_scores(q, k, w)
    assert scores.shape == (3, 7)
    np.testing.assert_allclose(scores[2, 6], q[2] @ w @ k[6], atol=1e-14)


def test_additive_scores_follow_the_formula_pair_by_pair():
    q, k = np.sin(np.arange(6.0)).reshape(3, 2), np.cos(np.arange(35.0)).reshape(7, 5)
    w_q, w_k = np.sin(np.arange(22.0)).reshape(11, 2), np.cos(np.arange(55.0))
    w_k = w_k.reshape(11, 5)
    v = np.sin(np.arange(11.0) + 3)
    scores = additive_scores(q, k, w_q, w_k, v)
    assert scores.shape == (3, 7)
    np.testing.assert_allclose(
        scores[2, 6], v @ np.tanh(w_q @ q[2] + w_k @ k[6]), atol=1e-14
    )


def test_additive_scores_stay_within_their_readout():
    q, k = np.array([[1e6, -1e6]]), np.array([[1e6], [-1e6]])
    scores = additive_scores(q, k, np.eye(2), np.ones((2, 1)), [3.0, -4.0])
    assert np.abs(scores).max() <= 7


@pytest.mark.parametrize("leading", [(13,), (2, 13)])
def test_leading_axes_are_free(leading):
    q = np.broadcast_to(np.sin(np.arange(6.0)).reshape(3, 2), (*leading, 3, 2))
    k = np.broadcast_to(np.cos(np.arange(14.0)).reshape(7, 2), (*leading, 7, 2))
    v = np.ones(5)
    w = np.sin(np.arange(10.0)).reshape(5, 2)
    assert dot_scores(q, k).shape == (*leading, 3, 7)
    assert bilinear_scores(q, k, np.eye(2)).shape == (*leading, 3, 7)
    assert additive_scores(q, k, w, w, v).shape == (*leading, 3, 7)


def test_single_precision_stays_single():
    q, k = np.ones((2, 3), np.float32), np.ones((5, 3), np.float32)
    w = np.ones((3, 3), np.float32)
    assert dot_scores(q, k).dtype == np.float32
    assert bilinear_scores(q, k, w).dtype == np.float32
    assert additive_scores(q, k, w, w, w[0]).dtype == np.float32


def test_dot_scores_need_one_width():
    message = (
        r"dot_scores: `k` needs shape \(\.\.\., T_k, d_k\) with d_k=2 \(from `q`\)"
    )
    with pytest.raises(ShapeError, match=message):
        dot_scores(np.ones((3, 2)), np.ones((7, 5)))


def test_a_bilinear_form_names_the_matrix_that_does_not_fit():
    with pytest.raises(ShapeError, match=r"`w` needs .*d_k=5 \(from `k`\).*\(2, 3\)"):
        bilinear_scores(np.ones((3, 2)), np.ones((7, 5)), np.ones((2, 3)))


def test_additive_parameters_stand_left_of_queries_and_keys():
    with pytest.raises(ShapeError, match=r"`w_q` needs .*\(d_a, d_q\)"):
        additive_scores(
            np.ones((3, 2)), np.ones((7, 5)), np.ones((2, 11)), np.ones((11, 5)), [1]
        )


def test_the_readout_is_as_wide_as_the_hidden_layer():
    with pytest.raises(ShapeError, match=r"`v` needs shape \(11,\); got \(1,\)"):
        additive_scores(
            np.ones((3, 2)), np.ones((7, 5)), np.ones((11, 2)), np.ones((11, 5)), [1]
        )


def test_learned_matrices_have_no_leading_axes():
    q, k, w = np.ones((3, 2)), np.ones((7, 2)), np.ones((5, 2, 2))
    with pytest.raises(
        ShapeError, match=r"`w` needs shape \(d_q, d_k\); got \(5, 2, 2"
    ):
        bilinear_scores(q, k, w)
    with pytest.raises(ShapeError, match=r"`w_k` needs shape \(d_a, d_k\); got \(5, 2"):
        additive_scores(q, k, w[0], w, [1, 1])
