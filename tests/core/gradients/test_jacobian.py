"""The Jacobian of the softmax."""

import numpy as np
import pytest

from attnviz.core import (
    softmax,
    softmax_backward,
    softmax_jacobian,
    softmax_jacobian_norm,
)

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(3, 5))
WEIGHTS = softmax(SCORES)


def test_the_jacobian_is_how_weights_answer_to_scores():
    step = 1e-6
    measured = np.stack(
        [
            (softmax(SCORES + step * axis) - softmax(SCORES - step * axis)) / (2 * step)
            for axis in np.eye(5)
        ],
        axis=-1,
    )
    np.testing.assert_allclose(softmax_jacobian(WEIGHTS), measured, atol=1e-9)


def test_going_back_through_a_softmax_is_a_product_with_it():
    d_weights = RNG.normal(size=(3, 5))
    product = np.einsum("...ij,...j->...i", softmax_jacobian(WEIGHTS), d_weights)
    back = softmax_backward(d_weights, weights=WEIGHTS)
    np.testing.assert_allclose(back, product, atol=1e-15)


def test_its_norm_is_that_of_the_matrix():
    norm = np.linalg.norm(softmax_jacobian(WEIGHTS), axis=(-2, -1))
    np.testing.assert_allclose(softmax_jacobian_norm(WEIGHTS), norm, rtol=1e-13)


@pytest.mark.parametrize("n", [2, 7, 64])
def test_even_weights_have_the_norm_of_the_closed_form_and_one_hot_ones_have_0(n):
    even = softmax_jacobian_norm(np.full(n, 1 / n))
    assert even == pytest.approx(np.sqrt(n - 1) / n, rel=1e-12)
    assert softmax_jacobian_norm(np.eye(n)).tolist() == [0] * n


def test_no_weights_let_more_through_than_two_equal_ones():
    many = RNG.dirichlet(np.full(4, 0.5), size=5000)
    assert softmax_jacobian_norm(many).max() <= softmax_jacobian_norm([0.5, 0.5, 0, 0])


def test_float32_stays_float32():
    narrow = WEIGHTS.astype("f4")
    assert softmax_jacobian(narrow).dtype == softmax_jacobian_norm(narrow).dtype == "f4"
