"""Recognize heads that spread evenly, look at one key, or look at one distance."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    as_floats,
    bind_shapes,
    quiet,
)
from attnviz.core.attention._visibility import cover_scores

PatternLabel = Literal["uniform", "collapsed", "positional", "mixed"]

_UNIFORM = 0.98
_COLLAPSED = 0.9
_POSITIONAL = 0.7
# A diagonal must stand out against the next best one.
_MARGIN = 0.2


@dataclass(frozen=True, slots=True)
class HeadPattern:
    """What one head's weights look like.

    Attributes
    ----------
    label : {"uniform", "collapsed", "positional", "mixed"}
        The first that fits. It says nothing about what the head is for.
    entropy : float or None
        Mean entropy of the rows over ln n, n visible keys each. This and the other
        numbers are None if no row has a choice.
    largest : float or None
        Mean of the largest weight of each row.
    column : float or None
        Largest mean weight of a key.
    key : int or None
        That key, counted from 0.
    diagonal : float or None
        Largest mean of a diagonal A[i, i + offset] that crosses more than half of the
        rows; None if there is none.
    offset : int or None
        That offset: −1 is the key before.
    """

    label: PatternLabel
    entropy: float | None
    largest: float | None
    column: float | None
    key: int | None
    diagonal: float | None
    offset: int | None


@quiet
def head_patterns(
    weights: npt.ArrayLike, visible: npt.ArrayLike | None = None
) -> tuple[HeadPattern, ...]:
    r"""Describe each head by its entropy, its favourite key and its best diagonal.

    Parameters
    ----------
    weights : array_like of shape (..., T_q, T_k)
        Weights whose rows sum to one; rows of zeros are left out.
    visible : array_like of bool, shape (..., T_q, T_k), optional
        What each query could see: one table for all, or one axis for each axis of the
        weights. Rows with one visible key have no choice and are
        left out.

    Returns
    -------
    patterns : tuple of HeadPattern
        One for each head, leading axes flattened.

    Raises
    ------
    ShapeError
        If the weights are no table of numbers.
    MaskError
        If the mask is not boolean, does not cover the weights, or leaves its axes to be
        guessed.
    ValueError
        If a weight of a row that has a choice is negative, NaN or ∞.

    Notes
    -----
    .. math:: \hat H_i = -\sum_j a_{ij} \ln a_{ij} / \ln n_i

    Uniform and collapsed heads *may* have learned nothing; random matrices are mixed.

    References
    ----------
    .. [1] Course chapter, patterns of heads (R143–R147).

    Examples
    --------
    >>> [head.label for head in head_patterns([np.full((3, 3), 1 / 3), np.eye(3)])]
    ['uniform', 'positional']
    """
    (table,) = as_floats("head_patterns", weights=weights)
    bind_shapes("head_patterns", weights=(table, "T_q T_k"))
    seen = np.ones(table.shape, dtype=np.bool_)
    if visible is not None:
        seen = cover_scores("head_patterns", "visible", visible, table.shape)
    choosing = seen.sum(axis=-1, keepdims=True) > 1
    odd = choosing & ~((table >= 0) & np.isfinite(table))
    if odd.any():
        place = tuple(map(int, np.argwhere(odd)[0]))
        raise ValueError(
            "head_patterns: `weights` needs finite numbers of at least 0; "
            f"got {table[place]} at {place}"
        )
    flat = (math.prod(table.shape[:-2]), *table.shape[-2:])
    wide = table.astype(np.float64, copy=False)
    heads = zip(wide.reshape(flat), seen.reshape(flat), strict=True)
    return tuple(_pattern(head, mask) for head, mask in heads)


def _pattern(weights: FloatArray, visible: BoolArray) -> HeadPattern:
    """Describe one head by the rows that have a choice."""
    choosing = (weights.sum(axis=-1) > 0) & (visible.sum(axis=-1) > 1)
    if not choosing.any():
        return HeadPattern("mixed", None, None, None, None, None, None)
    chosen = weights[choosing]
    means = chosen.mean(axis=0)
    key = int(np.argmax(means))
    entropy = float(_entropies(chosen, visible[choosing]).mean())
    diagonal, offset, margin = _best_diagonal(weights, choosing)
    label: PatternLabel = "mixed"
    if entropy > _UNIFORM:
        label = "uniform"
    elif means[key] > _COLLAPSED:
        label = "collapsed"
    elif diagonal is not None and diagonal > _POSITIONAL and margin > _MARGIN:
        label = "positional"
    return HeadPattern(
        label=label,
        entropy=entropy,
        largest=float(chosen.max(axis=-1).mean()),
        column=float(means[key]),
        key=key,
        diagonal=diagonal,
        offset=offset,
    )


def _entropies(rows: FloatArray, visible: BoolArray) -> FloatArray:
    """Divide the entropy of each row by that of an even one over its visible keys."""
    logs = np.log(rows, where=rows > 0, out=np.zeros(rows.shape))
    entropies: FloatArray = -(rows * logs).sum(axis=-1)
    evenly: FloatArray = np.log(visible.sum(axis=-1))
    return entropies / evenly


def _best_diagonal(
    weights: FloatArray, choosing: BoolArray
) -> tuple[float | None, int | None, float]:
    """Find the offset with the largest mean weight, and its lead over the next."""
    len_q, len_k = weights.shape
    means: list[tuple[float, int]] = []
    for offset in range(1 - len_q, len_k):
        rows = np.flatnonzero(choosing[max(0, -offset) : len_k - offset])
        if 2 * rows.size > choosing.sum():
            diagonal = np.diagonal(weights, offset)
            means.append((float(diagonal[rows].mean()), offset))
    if not means:
        return None, None, 0.0
    (best, place), *others = sorted(means, reverse=True)
    return best, place, best - (others[0][0] if others else 0.0)
