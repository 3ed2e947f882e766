"""The same results once more, written a second time and element by element."""

import math

import numpy as np

from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    quiet,
)
from attnviz.core.checks.case import AttentionCase


def attend_by_query(case: AttentionCase) -> tuple[FloatArray, FloatArray]:
    """Answer one query after the other, in double precision.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    weights : FloatArray of shape (..., T_q, T_k)
        Zero for padding queries, and for those that see no key.
    context : FloatArray of shape (..., T_q, d_v)
        Weighted sums of the values.
    """
    table = case.visible.shape
    q = np.broadcast_to(case.q.astype(np.float64), (*table[:-1], case.q.shape[-1]))
    k, v = case.k.astype(np.float64), case.v.astype(np.float64)
    bias = None if case.bias is None else np.broadcast_to(case.bias, table)
    leading = np.broadcast_shapes(table[:-2], v.shape[:-2])
    weights = np.zeros(table)
    context = np.zeros((*leading, table[-2], v.shape[-1]))
    visible = case.visible & case.query_valid[..., None]
    with np.errstate(invalid="ignore", over="ignore"):
        for i in range(table[-2]):
            seen = visible[..., i, :]
            scores = (q[..., i, None, :] * k).sum(axis=-1) * case.scale
            if case.softcap is not None:
                scores = case.softcap * np.tanh(scores / case.softcap)
            if bias is not None:
                scores = scores + bias[..., i, :]
            row = _shares(scores, seen)
            mixed = row[..., None] * np.where(seen[..., None], v, 0)
            weights[..., i, :] = row
            context[..., i, :] = mixed.sum(axis=-2)
    return weights, context


@quiet
def normalize_by_feature(
    x: FloatArray, gamma: FloatArray, beta: FloatArray, eps: float
) -> FloatArray:
    """Normalize each position by running sums over its features.

    Parameters
    ----------
    x : FloatArray of shape (..., d)
        Positions.
    gamma, beta : FloatArray of shape (d,)
        Scale and shift.
    eps : float
        Added to the variance.

    Returns
    -------
    output : FloatArray of shape (..., d)
        γ ⊙ (x − μ) / √(v + ε) + β in double precision.
    """
    # A deviation may be twice as large as the largest number, and its square larger
    # than any: half of each number, and roots of sums of squares, stay finite.
    half = x.astype(np.float64) / 2
    width = half.shape[-1]
    mean = np.zeros(half.shape[:-1])
    root = np.full(half.shape[:-1], math.sqrt(eps) / 2)
    for j in range(width):
        mean += half[..., j] / width
    for j in range(width):
        root = np.hypot(root, (half[..., j] - mean) / math.sqrt(width))
    output = np.empty_like(half)
    for j in range(width):
        output[..., j] = gamma[j] * ((half[..., j] - mean) / root) + beta[j]
    return output


def _shares(scores: FloatArray, seen: BoolArray) -> FloatArray:
    """Share one among the visible keys of each row; nobody gets any if none is."""
    largest = scores.max(axis=-1, keepdims=True, where=seen, initial=-math.inf)
    parts = np.exp(scores - largest, where=seen, out=np.zeros(seen.shape))
    total = parts.sum(axis=-1, keepdims=True)
    shares: FloatArray = parts / np.where(total == 0, 1, total)
    return shares
