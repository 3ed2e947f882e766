"""What faulty code does rightly: scores, a softmax, and a mixture."""

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.attention.weights import softmax_stages
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults.fault import Outcome


def scores_of(case: AttentionCase) -> FloatArray:
    """Give the scores before any hiding, never in half precision.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    scores : FloatArray of shape (..., T_q, T_k)
        Scaled, soft-capped and biased scores.
    """
    scores = case.answer.scores
    return scores.astype(np.promote_types(scores.dtype, np.float32), copy=False)


def weigh(
    scores: FloatArray, visible: BoolArray | None = None, *, empty: float = 0
) -> FloatArray:
    """Take the softmax of each row over its visible keys.

    Parameters
    ----------
    scores : FloatArray of shape (..., T_q, T_k)
        Scores.
    visible : BoolArray of shape (..., T_q, T_k), optional
        True where a query may see a key; everywhere if left out.
    empty : float, default=0
        What a row without keys holds.

    Returns
    -------
    weights : FloatArray of shape (..., T_q, T_k)
        Weights.
    """
    if visible is None:
        return softmax_stages(scores).weights
    weights = softmax_stages(np.where(visible, scores, -np.inf)).weights
    rows = visible.any(axis=-1, keepdims=True)
    return np.where(rows, weights, np.asarray(empty, dtype=weights.dtype))


def outcome(case: AttentionCase, weights: FloatArray) -> Outcome:
    """Mix the values as plain code does.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    weights : FloatArray of shape (..., T_q, T_k)
        Weights.

    Returns
    -------
    outcome : Outcome
        The weights and the sums they give, in the dtype of the values.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        narrow = weights.astype(case.v.dtype, copy=False)
        return Outcome(narrow, narrow @ case.v)
