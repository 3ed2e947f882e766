"""Mistakes in hiding that leave a mask out, misread it, or let NaN through."""

from dataclasses import replace

import numpy as np

from attnviz.core.attention._products import multiply
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults._plain import outcome, rescored, scores_of
from attnviz.core.faults.fault import Outcome
from attnviz.core.faults.masks import remasked


def mask_forgotten(case: AttentionCase) -> Outcome | None:
    """Hide nothing.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        None where there is nothing to hide.
    """
    if case.visible.all():
        return None
    bias = case.bias
    if bias is not None:
        # A bias of −∞ is a mask as well, and is forgotten with it.
        bias = np.where(np.isneginf(bias), 0, bias)
    seen = np.ones_like(case.visible)
    return rescored(replace(case, bias=bias, visible=seen), case.answer.raw_scores)


def hidden_where_zero(case: AttentionCase, *, empty: float = 0) -> Outcome:
    """Set scores to 0 to hide them, then hide whatever is 0.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    empty : float, default=0
        What a row without keys holds.

    Returns
    -------
    outcome : Outcome
        Keys whose score is 0 by themselves are lost as well.
    """
    return remasked(case, case.visible & (scores_of(case) != 0), empty=empty)


def hidden_values_mixed(case: AttentionCase) -> Outcome | None:
    """Multiply hidden values by 0, although 0 · NaN is NaN.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        None where all values are finite.
    """
    if np.isfinite(case.v).all():
        return None
    return Outcome(case.answer.weights, multiply(case.answer.weights, case.v))


def hidden_scores_added(case: AttentionCase) -> Outcome | None:
    """Add −∞ to hidden scores, although NaN − ∞ is NaN.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Rows of NaN; None where all hidden scores are finite.
    """
    odd = ~case.visible & (np.isnan(scores_of(case)) | np.isposinf(scores_of(case)))
    rows = odd.any(axis=-1, keepdims=True)
    if not rows.any():
        return None
    return outcome(case, np.where(rows, np.nan, case.answer.weights))


def zero_times_infinity(case: AttentionCase) -> Outcome | None:
    """Add (1 − mask) · (−∞), which is NaN where the mask is 1.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        NaN everywhere; None where nothing is hidden.
    """
    if case.visible.all():
        return None
    return outcome(case, np.full(case.visible.shape, np.nan))
