"""What faulty code does rightly: scores, a softmax, and a mixture."""

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.attention._products import mix_visible
from attnviz.core.attention.weights import softmax_stages
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults.fault import Outcome


def scores_of(case: AttentionCase) -> FloatArray:
    """Give the scaled, soft-capped and biased scores, never in half precision."""
    scores = case.answer.scores
    return scores.astype(np.promote_types(scores.dtype, np.float32), copy=False)


def weigh(
    scores: FloatArray, visible: BoolArray | None = None, *, empty: float = 0
) -> FloatArray:
    """Take the softmax of each row over its visible keys; `empty` where it has none."""
    if visible is None:
        return softmax_stages(scores).weights
    weights = softmax_stages(np.where(visible, scores, -np.inf)).weights
    rows = visible.any(axis=-1, keepdims=True)
    return np.where(rows, weights, np.asarray(empty, dtype=weights.dtype))


def outcome(case: AttentionCase, weights: FloatArray) -> Outcome:
    """Mix the values in their dtype, without those that have no weight."""
    with np.errstate(invalid="ignore", over="ignore"):
        narrow = weights.astype(case.v.dtype, copy=False)
        return Outcome(narrow, mix_visible(narrow, case.v, narrow != 0))


def rescored(case: AttentionCase, raw: FloatArray) -> Outcome:
    """Go on with other raw scores as right code does."""
    with np.errstate(invalid="ignore", over="ignore"):
        scores = raw.astype(np.float64) * case.scale
        if case.softcap is not None:
            scores = case.softcap * np.tanh(scores / case.softcap)
        if case.bias is not None:
            scores = scores + case.bias
    return outcome(case, weigh(scores, case.visible))
