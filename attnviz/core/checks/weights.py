"""Check attention weights of which nothing else is known."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks._measures import (
    beyond_shares,
    differences,
    fewest_keys,
    not_applicable,
    worst,
)
from attnviz.core.checks._rounding import digits_precision
from attnviz.core.checks.check import Check

# With fewer decimals, any row of a few numbers sums to one.
_DECIMALS = 3
_BEFORE = ("hidden_weights", "constant_values")
_BEHIND = ("divisor", "max_subtracted", "score_table", "loop")


def check_weights(weights: FloatArray) -> tuple[Check, ...]:
    """Check that the weights of each query are shares of 1.

    Parameters
    ----------
    weights : FloatArray of shape (..., T_q, T_k)
        Weights that someone brought, in float64 whatever they were before.

    Returns
    -------
    checks : tuple of Check
        In the order of `check_attention`: ``row_sums``, and ``visible_keys``, since a
        query all of whose weights are 0 saw no key; all others are not applicable.
        What the numbers were rounded to, half or single precision or so many decimals,
        says how far a sum may be from 1, and a weight from the range 0 to 1.

    Examples
    --------
    >>> sums, *_ = check_weights(np.array([[0.333, 0.333, 0.333]]))
    >>> sums.verdict, sums.tolerance
    ('pass', 0.0015)
    """
    sums = weights.sum(axis=-1)
    gaps = np.maximum(differences(sums, np.ones(sums.shape)), beyond_shares(weights))
    known = digits_precision(weights, least=_DECIMALS)
    tolerance = max(known.tolerance, weights.shape[-1] * known.digit + known.relative)
    return (
        worst("row_sums", gaps, tolerance),
        *map(not_applicable, _BEFORE),
        fewest_keys(weights != 0, np.ones(sums.shape, np.bool_)),
        *map(not_applicable, _BEHIND),
    )
