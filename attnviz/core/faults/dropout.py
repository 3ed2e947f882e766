"""Dropout of attention weights: left on, or without its factor."""

import numpy as np

from attnviz.core.arrays.randomness import stream
from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults._plain import outcome
from attnviz.core.faults._solving import roundest, weight_noise
from attnviz.core.faults.fault import Outcome, Solved

_RATE = 0.5
# Nobody drops more than 99 of 100.
_LARGEST = 100.0


def dropped(
    case: AttentionCase,
    *,
    rate: float = _RATE,
    keep: BoolArray | None = None,
    rescale: bool = True,
) -> Outcome:
    """Drop weights as in training.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    rate : float, default=0.5
        Probability p of dropping a weight.
    keep : BoolArray, broadcastable to (..., T_q, T_k), optional
        True where a weight stays; drawn from a fixed stream if left out.
    rescale : bool, default=True
        Whether the weights that stay are divided by 1 − p.

    Returns
    -------
    outcome : Outcome
        Rows that sum to one only on average, or not even that.
    """
    weights = case.answer.weights
    if keep is None:
        keep = stream(0, "dropout").random(weights.shape) >= rate
    factor = 1 / (1 - rate) if rescale else 1.0
    return outcome(case, np.where(keep, weights * factor, 0))


def solve_dropout(
    case: AttentionCase,
    weights: FloatArray | None,
    context: FloatArray | None,
    *,
    rescale: bool = True,
) -> Solved | None:
    """Read the pattern and the rate out of weights, and drop them once more.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    weights, context : FloatArray or None
        What someone computed; a context alone does not show what was dropped.
    rescale : bool, default=True
        Whether to look for weights that stay larger by 1/(1 − p), or as they are.

    Returns
    -------
    solved : Solved or None
        ``rate`` p if it shows; None if no visible weight is missing, none is left, or
        every row sums to one.
    """
    if weights is None or weights.shape != case.visible.shape:
        return None
    right, noise = case.answer.weights.astype(np.float64), weight_noise(weights)
    counted = (right > noise) & case.answered[..., None]
    keep = (weights != 0) | ~counted
    gaps = np.abs(weights.sum(axis=-1) - 1) - noise.sum(axis=-1)
    if keep.all() or (gaps <= 0)[case.answered].all():
        return None
    if not rescale:
        return Solved(dropped(case, keep=keep, rescale=False), {}, 1)
    kept = right[counted & keep]
    size = float(np.square(kept).sum())
    # Weights that all but vanish tell no rate, and no rate is nearly one.
    if size <= np.square(noise).max():
        return None
    factor = float((kept * weights[counted & keep]).sum()) / size
    if not 1 < factor < _LARGEST:
        return None
    error = float(noise.max()) / (size**0.5 * factor**2)
    rate = roundest(1 - 1 / factor, 3 * error)
    if not 0 < rate < 1:
        return None
    return Solved(dropped(case, rate=rate, keep=keep), {"rate": rate}, 1)
