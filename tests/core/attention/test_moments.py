"""Moments of dot products: counted, and in closed form."""

import numpy as np
import pytest

from attnviz.core import score_moments, sign_vectors


@pytest.mark.parametrize("d_k", [1, 3, 5, 7])
def test_the_dot_products_of_all_sign_vectors_have_mean_0_and_variance_d_k(d_k):
    signs = sign_vectors(d_k)
    scores = signs @ signs.T
    assert (scores.mean(), scores.var()) == (0, d_k)
    assert len({tuple(row) for row in signs.tolist()}) == 2**d_k


def test_divided_by_the_root_the_variance_of_the_counted_case_is_1():
    signs = sign_vectors(4)
    assert (signs @ signs.T / np.sqrt(4)).var() == 1


@pytest.mark.parametrize(("correlation", "scaled"), [(0.25, 4.9375), (0.5, 16.75)])
def test_correlated_components_leave_more_than_1(correlation, scaled):
    # Course chapter, exercise 3: d_k = 64.
    assert score_moments(64, correlation=correlation).variance / 64 == scaled


def test_moments_are_those_of_many_draws():
    rng = np.random.default_rng(0)
    rho, mu, d_k, n = 0.3, 0.4, 5, 400_000
    common, own = rng.normal(size=(2, n, 1)), rng.normal(size=(2, n, d_k))
    q, k = mu + np.sqrt(1 - rho) * own + np.sqrt(rho) * common
    scores = (q * k).sum(axis=-1)
    found = score_moments(d_k, correlation=rho, mean=mu)
    assert scores.mean() == pytest.approx(found.mean, rel=0.02)
    assert scores.var() == pytest.approx(found.variance, rel=0.02)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="correlation"):
        score_moments(4, correlation=-0.1)
    with pytest.raises(ValueError, match="d_k"):
        score_moments(0)
    with pytest.raises(ValueError, match="10 at most"):
        sign_vectors(11)
