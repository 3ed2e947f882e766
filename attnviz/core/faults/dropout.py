"""Dropout of attention weights: left on, or without its factor."""

import numpy as np

from attnviz.core.arrays.randomness import stream
from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults._plain import outcome
from attnviz.core.faults.fault import Outcome

_RATE = 0.5


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


def recognize_dropout(
    case: AttentionCase, weights: FloatArray, *, rescale: bool = True
) -> Outcome | None:
    """Read the pattern and the rate out of weights, and drop them once more.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    weights : FloatArray of shape (..., T_q, T_k)
        What someone computed.
    rescale : bool, default=True
        Whether to look for weights that stay larger by 1/(1 − p), or as they are.

    Returns
    -------
    outcome : Outcome or None
        None if no visible weight is missing, none is left, or every row sums to one.
    """
    right = case.answer.weights
    counted = (right > 0) & case.answered[..., None]
    keep = (weights != 0) | ~counted
    ratios = weights[counted & keep] / right[counted & keep]
    whole = np.isclose(weights.sum(axis=-1), 1)[case.answered].all()
    if keep.all() or ratios.size == 0 or whole:
        return None
    factor = float(np.median(ratios)) if rescale else 1.0
    if rescale and not factor > 1 + 1e-6:
        return None
    return dropped(case, rate=1 - 1 / factor, keep=keep, rescale=rescale)
