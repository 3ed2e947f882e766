"""Check attention weights of which nothing else is known."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks._measures import differences, not_applicable, worst
from attnviz.core.checks._rounding import digits_precision
from attnviz.core.checks.check import Check

# With fewer decimals, any row of a few numbers sums to one.
_DECIMALS = 3
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
    known = digits_precision(weights, least=_DECIMALS)
    tolerance = max(known.tolerance, weights.shape[-1] * known.digit)
    return (
        worst("row_sums", gaps, tolerance),
        *(not_applicable(name) for name in _UNKNOWN),
    )
