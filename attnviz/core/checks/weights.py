"""Check attention weights of which nothing else is known."""

import numpy as np

from attnviz.core.checks.check import (
    Check,
    differences,
    not_applicable,
    tolerance_for,
    worst,
)
from attnviz.core.shapes import FloatArray

# Decimals to which people round the weights they write down.
_DECIMALS = range(3, 9)
_UNKNOWN = (
    "hidden_weights",
    "constant_values",
    "visible_keys",
    "divisor",
    "max_subtracted",
    "score_table",
    "loop",
)


def check_weights(weights: FloatArray) -> tuple[Check, ...]:
    """Check that the weights of each query sum to 1.

    Parameters
    ----------
    weights : FloatArray of shape (..., T_q, T_k)
        Weights that someone brought, in float64 whatever they were before.

    Returns
    -------
    checks : tuple of Check
        In the order of `check_attention`; all others are not applicable. What the
        numbers were rounded to, half or single precision or so many decimals, says
        how far a sum may be from 1.

    Examples
    --------
    >>> sums, *others = check_weights(np.array([[0.333, 0.333, 0.333]]))
    >>> sums.verdict, sums.tolerance, {check.verdict for check in others}
    ('pass', 0.0015, {'not applicable'})
    """
    sums = weights.sum(axis=-1)
    gaps = differences(sums, np.ones(sums.shape))
    return (
        worst("row_sums", gaps, _tolerance(weights)),
        *(not_applicable(name) for name in _UNKNOWN),
    )


def _tolerance(weights: FloatArray) -> float:
    """Find what the weights were rounded to, and what that does to a sum."""
    with np.errstate(over="ignore"):
        narrow = next(
            rounded
            for width in (np.float16, np.float32, np.float64)
            if np.array_equal(rounded := weights.astype(width), weights)
        )
    decimals = [n for n in _DECIMALS if np.array_equal(weights.round(n), weights)]
    by_decimals = weights.shape[-1] * 0.5 * 10.0 ** -decimals[0] if decimals else 0.0
    return max(tolerance_for(narrow), by_decimals)
