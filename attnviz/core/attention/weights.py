"""Row-wise softmax that never overflows and never gives a hidden key a share."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import BoolArray, FloatArray, as_floats, as_mask, count
from attnviz.core.arrays.sheet import Sheet, numbers_of
from attnviz.core.errors import EmptyRowError, MaskError, ShapeError


@dataclass(frozen=True, slots=True, repr=False)
class SoftmaxTrace(Record):
    """Every stage of a softmax along the last axis.

    Attributes
    ----------
    masked_scores : FloatArray of shape (..., n)
        Entries, −∞ where hidden.
    row_max : FloatArray of shape (..., 1)
        Largest visible entry; −∞ where nothing is visible.
    exp_scores : FloatArray of shape (..., n)
        exp(entry − row_max), exactly 0 where hidden.
    row_sum : FloatArray of shape (..., 1)
        Sum of exp_scores; 0 where nothing is visible.
    weights : FloatArray of shape (..., n)
        exp_scores / row_sum; all 0 where nothing is visible.
    """

    masked_scores: FloatArray
    row_max: FloatArray
    exp_scores: FloatArray
    row_sum: FloatArray
    weights: FloatArray

    def sheet(self) -> Sheet:
        """Lay out the matrices for derivations."""
        return Sheet(numbers_of(self))


def softmax_stages(masked: FloatArray) -> SoftmaxTrace:
    """Take a softmax along the last axis and keep every stage.

    Parameters
    ----------
    masked : FloatArray of shape (..., n)
        Entries, −∞ where hidden.

    Returns
    -------
    trace : SoftmaxTrace
        Maximum, exponentials, sum and weights.

    Notes
    -----
    Subtracting the maximum of the *visible* entries leaves the weights unchanged
    (numerator and denominator share the factor) and keeps exp within [0, 1].
    """
    with np.errstate(invalid="ignore", over="ignore"):
        row_max = masked.max(axis=-1, keepdims=True, initial=-np.inf)
        shift = np.where(row_max == -np.inf, 0, row_max)
        exp_scores = np.exp(masked - shift)
        row_sum = exp_scores.sum(axis=-1, keepdims=True)
        weights = np.divide(
            exp_scores, row_sum, out=np.zeros_like(exp_scores), where=row_sum != 0
        )
    return SoftmaxTrace(masked, row_max, exp_scores, row_sum, weights)


def softmax(
    x: npt.ArrayLike, *, axis: int = -1, visible: BoolArray | None = None
) -> FloatArray:
    r"""Turn scores into positive weights that sum to one.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores of any size; −∞ hides an entry.
    axis : int, default=-1
        Axis along which the weights sum to one.
    visible : BoolArray, broadcastable to the shape of x, optional
        True where an entry takes part. Hidden entries get exactly 0. Either every axis
        of `x`, of the same size or 1, or no more than its last two; nothing is guessed.

    Returns
    -------
    weights : FloatArray of the shape of x
        Weights of the dtype of `x`.

    Raises
    ------
    ShapeError
        If `x` does not hold real numbers, or has no such axis.
    MaskError
        If `visible` is not boolean, does not broadcast to `x`, or leaves its axes to be
        guessed.
    EmptyRowError
        If nothing is visible along `axis` somewhere, or all that is visible is −∞.
    ValueError
        If `axis` is not a whole number.

    Notes
    -----
    .. math:: a_j = \frac{e^{x_j - \max x}}{\sum_{j'} e^{x_{j'} - \max x}}

    References
    ----------
    .. [1] Course chapter, formula F3 (row-wise softmax).

    Examples
    --------
    >>> softmax([1000.0, 999.0, 998.0]).round(4)
    array([0.6652, 0.2447, 0.09  ])
    """
    (scores,) = as_floats("softmax", x=x)
    if scores.ndim == 0:
        raise ShapeError("softmax: `x` needs at least one axis; got a single number")
    if not -scores.ndim <= count("softmax", "axis", axis, least=None) < scores.ndim:
        raise ShapeError(
            f"softmax: `axis` needs one of the axes of `x`; got {axis} for shape "
            f"{scores.shape}"
        )
    mask = np.ones((1,) * scores.ndim, dtype=np.bool_)
    if visible is not None:
        mask = as_mask("softmax", "visible", visible)
    if 2 < mask.ndim < scores.ndim:
        raise MaskError(
            f"softmax: `visible` needs every axis of {scores.shape}, or no more than "
            f"its last two; got {mask.shape}"
        )
    try:
        seen = np.broadcast_to(mask, scores.shape)
    except ValueError as error:
        raise MaskError(
            f"softmax: `visible` needs a shape that broadcasts to {scores.shape}; "
            f"got {mask.shape}"
        ) from error
    seen = seen & ~np.isneginf(scores)
    empty = ~seen.any(axis=axis)
    if empty.any():
        raise EmptyRowError(
            "softmax: `visible` needs at least one True along the axis; nothing is "
            f"visible at {[tuple(map(int, row)) for row in np.argwhere(empty)[:5]]}"
        )
    wide = scores.astype(np.promote_types(scores.dtype, np.float32), copy=False)
    rows = np.moveaxis(np.where(seen, wide, -np.inf), axis, -1)
    weights = np.moveaxis(softmax_stages(rows).weights, -1, axis)
    return weights.astype(scores.dtype, copy=False)
