"""Mistakes in what makes weights of scores."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults._plain import outcome, scores_of, weigh
from attnviz.core.faults.fault import Outcome


def softmax_over_leading(case: AttentionCase, axis: int) -> Outcome | None:
    """Let the weights of all heads, or of all samples, sum to one.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    axis : int
        Axis of the scores that the softmax runs along: −3 for heads, −4 for samples.

    Returns
    -------
    outcome : Outcome or None
        None where there is no such axis.
    """
    if case.visible.ndim < -axis:
        return None
    scores = np.moveaxis(scores_of(case), axis, -1)
    weights = weigh(scores, np.moveaxis(case.visible, axis, -1))
    return outcome(case, np.moveaxis(weights, -1, axis))


def softmax_twice(case: AttentionCase, *, masked: bool = False) -> Outcome | None:
    """Take the softmax of finished weights once more.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    masked : bool, default=False
        Whether the mask is laid over the weights again.

    Returns
    -------
    outcome : Outcome or None
        Nearly even weights; None where there is no mask to lay over them again.
    """
    if masked and case.visible.all():
        return None
    weights = weigh(scores_of(case), case.visible)
    return outcome(case, weigh(weights, case.visible if masked else None))


def logarithms(case: AttentionCase) -> Outcome:
    """Take the logarithm of the softmax.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Negative weights, −∞ where hidden.
    """
    with np.errstate(divide="ignore"):
        return outcome(case, np.log(weigh(scores_of(case), case.visible)))


def sigmoids(case: AttentionCase) -> Outcome:
    """Squash each score by itself, as gates do.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Rows that sum to anything.
    """
    return outcome(
        case, np.where(case.visible, (1 + np.tanh(scores_of(case) / 2)) / 2, 0)
    )


def undivided(case: AttentionCase, *, shifted: bool = True) -> Outcome:
    """Leave the exponentials undivided.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    shifted : bool, default=True
        Whether the maximum of the row is subtracted first.

    Returns
    -------
    outcome : Outcome
        Rows that sum to more than one.
    """
    scores = np.where(case.visible, scores_of(case), -np.inf)
    top = _highest(scores) if shifted else 0.0
    with np.errstate(over="ignore"):
        return outcome(case, np.exp(scores - top))


def scores_as_weights(case: AttentionCase) -> Outcome:
    """Mix the values with the scores themselves.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Weights of either sign; 0 where hidden.
    """
    return outcome(case, np.where(case.visible, scores_of(case), 0))


def dimension_dropped(
    case: AttentionCase, *, of_sum: bool, of_max: bool | None
) -> Outcome | None:
    """Reduce rows without ``keepdims``, so that the results lie along the keys.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    of_sum : bool
        Whether the sum loses its axis.
    of_max : bool or None
        Whether the maximum loses its axis; None subtracts no maximum.

    Returns
    -------
    outcome : Outcome or None
        Each weight is divided by the sum of another row; None where NumPy refuses.
    """
    scores = np.where(case.visible, scores_of(case), -np.inf)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        top: FloatArray | None = np.zeros(())
        if of_max is not None:
            top = _spread(_highest(scores), scores, dropped=of_max)
        if top is None:
            return None
        parts = np.exp(scores - top)
        total = _spread(parts.sum(axis=-1, keepdims=True), scores, dropped=of_sum)
        return None if total is None else outcome(case, parts / total)


def _highest(scores: FloatArray) -> FloatArray:
    """Find the maximum of each row; 0 where nothing is visible."""
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    return np.where(np.isneginf(top), 0, top)


def _spread(
    reduced: FloatArray, table: FloatArray, *, dropped: bool
) -> FloatArray | None:
    """Lay reduced rows over the table as NumPy does; None where they do not fit."""
    laid = reduced[..., 0] if dropped else reduced
    try:
        return np.broadcast_to(laid, table.shape)
    except ValueError:
        return None
