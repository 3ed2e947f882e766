"""Mistakes in what is hidden, and in how it is hidden."""

import numpy as np

from attnviz.core.arrays.shapes import BoolArray
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults._plain import outcome, scores_of, weigh
from attnviz.core.faults.fault import Outcome


def hidden_after_softmax(case: AttentionCase) -> Outcome:
    """Set weights to zero when they have been shared out already.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Rows that sum to less than one.
    """
    return outcome(case, np.where(case.visible, weigh(scores_of(case)), 0))


def multiplied_by_mask(case: AttentionCase) -> Outcome:
    """Multiply hidden scores by 0, as if exp(0) were 0.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Hidden keys weigh as much as a score of 0.
    """
    return filled(case, 0.0)


def filled(case: AttentionCase, fill: float) -> Outcome:
    """Replace hidden scores by a number that is not −∞.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    fill : float
        The number.

    Returns
    -------
    outcome : Outcome
        Hidden keys share unless the number is far below all visible scores.
    """
    scores = scores_of(case)
    return outcome(case, weigh(np.where(case.visible, scores, scores.dtype.type(fill))))


def added(case: AttentionCase, fill: float) -> Outcome:
    """Add a number that is not −∞ to hidden scores, in the precision of the scores.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    fill : float
        The number.

    Returns
    -------
    outcome : Outcome
        A row that sees no key attends as if nothing were hidden.
    """
    scores = scores_of(case)
    return outcome(
        case, weigh(scores + np.where(case.visible, 0, fill).astype(scores.dtype))
    )


def half_precision_bias(case: AttentionCase) -> Outcome | None:
    """Multiply a hide mask by −10⁹ in half precision, where it is −∞.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        NaN, for 0 · −∞ destroys the keys that should stay; None where nothing is in
        half precision.
    """
    if np.float16 not in {part.dtype.type for part in (case.q, case.k, case.v)}:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        fill = np.float32(-1e9).astype(np.float16)
        bias = (~case.visible).astype(np.float16) * fill
        scores = case.answer.scores.astype(np.float16) + bias
    return outcome(case, weigh(scores.astype(np.float32)))


def empty_rows(case: AttentionCase, fill: float) -> Outcome | None:
    """Return something for a row that sees no key, without complaint.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    fill : float
        What the row holds: NaN is what a softmax of −∞ alone gives.

    Returns
    -------
    outcome : Outcome or None
        Padding queries are treated like others; None where every query sees a key.
    """
    if case.visible.any(axis=-1).all():
        return None
    return remasked(case, case.visible, empty=fill)


def empty_rows_filled(case: AttentionCase, *, adds: bool) -> Outcome | None:
    """Hide by −10⁹, which hides nothing where all keys are hidden.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    adds : bool
        Whether the number is added to the scores or replaces them.

    Returns
    -------
    outcome : Outcome or None
        Rows that see no key attend to all; None where every query sees one.
    """
    if case.visible.any(axis=-1).all():
        return None
    return added(case, -1e9) if adds else filled(case, -1e9)


def inverted(case: AttentionCase, *, empty: float = 0) -> Outcome | None:
    """Read True as hidden.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    empty : float, default=0
        What a row without keys holds.

    Returns
    -------
    outcome : Outcome or None
        Each query sees just what it must not; None where nothing is hidden.
    """
    return None if case.visible.all() else remasked(case, ~case.visible, empty=empty)


def inverted_by_fill(case: AttentionCase) -> Outcome | None:
    """Read True as hidden, and hide by −10⁹.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Rows that see all keys attend to all evenly; None where nothing is hidden.
    """
    return None if case.visible.all() else refilled(case, ~case.visible)


def mask_as_bias(case: AttentionCase) -> Outcome:
    """Add 1 where a key may be seen and 0 where not.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Nothing is hidden; visible keys weigh e times as much as they would.
    """
    return outcome(case, weigh(scores_of(case) + case.visible.astype(np.float32)))


def remasked(case: AttentionCase, visible: BoolArray, *, empty: float = 0) -> Outcome:
    """Use another mask than the one asked for.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    visible : BoolArray, broadcastable to (..., T_q, T_k)
        The mask that is used.
    empty : float, default=0
        What a row without keys holds.

    Returns
    -------
    outcome : Outcome
        What attention gives with it.
    """
    seen = np.broadcast_to(visible, case.visible.shape)
    return outcome(case, weigh(scores_of(case), seen, empty=empty))


def refilled(case: AttentionCase, visible: BoolArray, *, adds: bool = False) -> Outcome:
    """Use another mask than the one asked for, and hide by −10⁹.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    visible : BoolArray, broadcastable to (..., T_q, T_k)
        The mask that is used.
    adds : bool, default=False
        Whether the number is added to the scores or replaces them.

    Returns
    -------
    outcome : Outcome
        Rows without keys attend to all.
    """
    scores = scores_of(case)
    seen = np.broadcast_to(visible, case.visible.shape)
    hidden = scores + scores.dtype.type(-1e9) if adds else scores.dtype.type(-1e9)
    return outcome(case, weigh(np.where(seen, scores, hidden)))


def tiled_over_batch(case: AttentionCase) -> Outcome | None:
    """Repeat the masks of a batch as a whole, not each for its own heads.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Heads that use the mask of another sample; None without batch and head axes.
    """
    if case.visible.ndim < 4:
        return None
    tiled = case.visible.swapaxes(-4, -3).reshape(case.visible.shape)
    return remasked(case, tiled)
