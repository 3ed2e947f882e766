"""Mistakes in the scores and their softmax."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults._plain import outcome, scores_of, weigh
from attnviz.core.faults.fault import Outcome


def softmax_over_queries(case: AttentionCase) -> Outcome:
    """Let the weights of each key, not of each query, sum to one.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Columns that sum to one.
    """
    columns = weigh(scores_of(case).swapaxes(-1, -2), case.visible.swapaxes(-1, -2))
    return outcome(case, columns.swapaxes(-1, -2))


def softmax_over_table(case: AttentionCase) -> Outcome:
    """Let all weights of a head together sum to one.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        One softmax over all queries and keys.
    """
    scores = scores_of(case)
    flat = (*scores.shape[:-2], -1)
    weights = weigh(scores.reshape(flat), case.visible.reshape(flat))
    return outcome(case, weights.reshape(scores.shape))


def queries_as_keys(case: AttentionCase) -> Outcome | None:
    """Swap queries and keys, so that keys do the looking.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        None where there are not as many queries as keys.
    """
    if case.q.shape[-2] != case.k.shape[-2]:
        return None
    trace = case.again(q=case.k, k=case.q)
    return Outcome(trace.weights, trace.context)


def unscaled(case: AttentionCase) -> Outcome:
    """Leave the scores as they are.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Scale 1.
    """
    return rescaled(case, 1.0)


def scaled_by_model_width(case: AttentionCase) -> Outcome | None:
    """Divide by the root of the width of all heads together.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Scale 1/√(H·d_k); None without a head axis or without features.
    """
    width = case.q.shape[-1]
    if case.visible.ndim < 3 or width == 0:
        return None
    return rescaled(case, float((_heads(case) * width) ** -0.5))


def scaled_by_heads(case: AttentionCase) -> Outcome | None:
    """Divide by the root of the number of heads.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Scale 1/√H; None without a head axis.
    """
    return None if case.visible.ndim < 3 else rescaled(case, _heads(case) ** -0.5)


def scaled_by_width(case: AttentionCase) -> Outcome:
    """Divide by d_k itself instead of its root.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Scale 1/d_k.
    """
    return rescaled(case, case.default_scale**2)


def scaled_inversely(case: AttentionCase) -> Outcome:
    """Multiply by √d_k instead of dividing.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Scale √d_k.
    """
    return rescaled(case, 1 / case.default_scale)


def scaled_by_default(case: AttentionCase) -> Outcome:
    """Divide by √d_k although another scale was asked for.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Scale 1/√d_k.
    """
    return rescaled(case, case.default_scale)


def rescaled(case: AttentionCase, scale: float) -> Outcome:
    """Use another scale than the one asked for.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    scale : float
        Factor of the raw scores.

    Returns
    -------
    outcome : Outcome
        What attention gives with it.
    """
    trace = case.again(scale=scale)
    return Outcome(trace.weights, trace.context)


def maximum_not_subtracted(case: AttentionCase) -> Outcome:
    """Take exponentials of the scores as they are, in their own precision.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        NaN where the exponentials overflow, or all vanish.
    """
    masked = np.where(case.visible, case.answer.scores, -np.inf)
    return outcome(case, naive_softmax(masked.astype(case.q.dtype)))


def naive_softmax(scores: FloatArray) -> FloatArray:
    """Divide exponentials by their sum, whatever their size.

    Parameters
    ----------
    scores : FloatArray of shape (..., n)
        Scores.

    Returns
    -------
    weights : FloatArray of shape (..., n)
        NaN where an exponential overflows, or all of a row vanish.
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        exponentials = np.exp(scores)
        weights: FloatArray = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights


def _heads(case: AttentionCase) -> int:
    return int(case.visible.shape[-3])
