"""Check attention weights and context by what they must satisfy."""

import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray
from attnviz.core.checks._attention import check_case
from attnviz.core.checks._result import result_of
from attnviz.core.checks.case import attention_case
from attnviz.core.checks.check import Check


def check_attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    context: npt.ArrayLike | None = None,
    visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    scale: float | None = None,
    bias: npt.ArrayLike | None = None,
    softcap: float | None = None,
) -> tuple[Check, ...]:
    """Check attention results by eight properties that right ones have.

    Parameters
    ----------
    q : array_like of shape (..., T_q, d_k)
        Queries.
    k : array_like of shape (..., T_k, d_k)
        Keys.
    v : array_like of shape (..., T_k, d_v)
        Values.
    weights : array_like of shape (..., T_q, T_k), optional
        Weights to check; the core's own if left out. A batch of one may have its axis
        or not.
    context : array_like of shape (..., T_q, d_v), optional
        Context to check; the core's own if left out.
    visible : BoolArray of shape (..., T_q, T_k), optional
        As in `attend`.
    query_valid : BoolArray of shape (..., T_q), optional
        As in `attend`. What a padding query holds is only compared, never judged.
    scale, bias, softcap : optional
        As in `attend`.

    Returns
    -------
    checks : tuple of Check
        In this order:

        - ``row_sums``: largest distance of a row's sum from 1, or of one of its
          weights from the range 0 to 1;
        - ``hidden_weights``: largest weight of a hidden key, which must be 0;
        - ``constant_values``: largest relative error when all values are one row;
        - ``visible_keys``: fewest keys that a valid query sees, at least 1; one whose
          weights all are 0 saw none;
        - ``divisor``: the divisor of the scores, measured from the weights;
        - ``max_subtracted``: the same with scores 10⁴ times as large, for weights of
          the core; weights of others only must not hold NaN or ±∞;
        - ``score_table``: number of weights, which must be m·H·T_q·T_k;
        - ``loop``: the difference from a loop over the queries that rounding explains
          least, of a weight or of the context over the largest value.

    Raises
    ------
    ShapeError
        If arguments disagree about a dimension. Weights of a wrong shape are no
        error: they fail ``score_table``, and what needs them is not applicable.
    MaskError
        If a mask is not boolean or leaves its axes to be guessed.
    ValueError
        If a number is out of its range.

    References
    ----------
    .. [1] Course chapter, hands-on checks (R156–R162).

    Examples
    --------
    >>> import numpy as np
    >>> uniform = check_attention(np.eye(2), np.eye(2), np.eye(2), weights=[[1, 1]] * 2)
    >>> [check.id for check in uniform if check.verdict == "fail"]
    ['row_sums', 'constant_values', 'divisor', 'loop']
    """
    case = attention_case(
        q,
        k,
        v,
        visible=visible,
        query_valid=query_valid,
        scale=scale,
        bias=bias,
        softcap=softcap,
    )
    return check_case(case, result_of(case, weights, context))
