"""Mean and variance of dot products: why scores are divided by √d_k."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, count

MOST_SIGNS = 10


@dataclass(frozen=True, slots=True)
class ScoreMoments:
    """What a dot product of random vectors comes to.

    Attributes
    ----------
    mean, variance : float
        Over all draws of both vectors.

    Examples
    --------
    >>> ScoreMoments(mean=0.0, variance=64.0).variance ** 0.5
    8.0
    """

    mean: float
    variance: float


def score_moments(
    d_k: int, *, correlation: float = 0.0, mean: float = 0.0
) -> ScoreMoments:
    r"""Give mean and variance of q·k for independent random q and k.

    Parameters
    ----------
    d_k : int
        Number of components of each.
    correlation : float, default=0.0
        Correlation ρ between any two components of one vector, from 0 to 1.
    mean : float, default=0.0
        Mean μ of every component; its variance is 1.

    Returns
    -------
    moments : ScoreMoments
        Of the raw score; divided by c, the variance is divided by c².

    Raises
    ------
    ValueError
        If there is no component, or `correlation` is not between 0 and 1.

    Notes
    -----
    With the covariance Σ, which has 1 on its diagonal and ρ elsewhere:

    .. math:: \mathrm{Var}(q \cdot k) = \mathrm{tr}(\Sigma^2)
              + 2 \mu^2\, \mathbf{1}^\top \Sigma\, \mathbf{1}

    which is d_k where components are independent and have mean 0; then √d_k makes it
    1. No distribution is assumed.

    References
    ----------
    .. [1] Course chapter, exercise 3.

    Examples
    --------
    >>> score_moments(64)
    ScoreMoments(mean=0.0, variance=64.0)
    >>> score_moments(64, correlation=0.25).variance / 64
    4.9375
    """
    size = count("score_moments", "d_k", d_k, least=1)
    if not 0 <= correlation <= 1:
        raise ValueError(
            "score_moments: `correlation` needs a number from 0 to 1; "
            f"got {correlation!r}"
        )
    pairs = size * (size - 1)
    spread = size + pairs * correlation**2
    shifted = 2 * mean**2 * (size + pairs * correlation)
    return ScoreMoments(float(size * mean**2), float(spread + shifted))


def sign_vectors(d_k: int) -> FloatArray:
    """List all vectors whose components are 1 or −1.

    The dot products of all with all have mean 0 and variance d_k exactly: the case in
    which Var(q·k) = d_k is counted and not drawn.

    Parameters
    ----------
    d_k : int
        Number of components, from 1 to 10.

    Returns
    -------
    signs : FloatArray of shape (2^d_k, d_k)
        In the order of binary numbers, beginning with ones alone.

    Raises
    ------
    ValueError
        If there are more components, or none.

    References
    ----------
    .. [1] Course chapter, exercise 3.

    Examples
    --------
    >>> sign_vectors(2)
    array([[ 1.,  1.],
           [ 1., -1.],
           [-1.,  1.],
           [-1., -1.]])
    >>> float((sign_vectors(4) @ sign_vectors(4).T).var())
    4.0
    """
    size = count("sign_vectors", "d_k", d_k, least=1)
    if size > MOST_SIGNS:
        raise ValueError(f"sign_vectors: `d_k` may be {MOST_SIGNS} at most; got {d_k}")
    places = np.arange(2**size)[:, None] >> np.arange(size - 1, -1, -1)
    signs: FloatArray = 1.0 - 2.0 * (places & 1)
    return signs
