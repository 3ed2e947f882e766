"""A second run: what is hidden is changed, and nothing may move."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.checks.case import attention_case
from attnviz.example.mistakes.numbers import Numbers
from attnviz.example.mistakes.outcomes import attention_outcome
from attnviz.example.mistakes.trace import MistakeTrace

_FACTOR = 2.0


@dataclass(frozen=True, slots=True)
class HiddenEdit:
    """What doubling a hidden key and its value does.

    Attributes
    ----------
    key : int
        The key, counted from 0.
    moved : float
        How far the context of a query moves at most that may not see it; ∞ for NaN.
    """

    key: int
    moved: float


def double_hidden(trace: MistakeTrace) -> HiddenEdit | None:
    """Double the key that is hidden from most queries, and make the mistake again.

    Parameters
    ----------
    trace : MistakeTrace
        The mistake.

    Returns
    -------
    edit : HiddenEdit or None
        None where nothing is hidden, or the mistake is about other axes.
    """
    numbers = trace.numbers
    case = numbers.case
    if case is None or numbers.asked is not None or case.visible.all():
        return None
    before = trace.faulty["context"]
    if before.shape != case.answer.context.shape:
        return None
    key = int(np.argmax((~case.visible).sum(axis=(0, 1))))
    k, v = case.k.copy(), case.v.copy()
    k[:, key] *= _FACTOR
    v[:, key] *= _FACTOR
    edited = attention_case(
        case.q, k, v, visible=case.visible, query_valid=case.query_valid
    )
    given = {**numbers.given, "k": k, "v": v}
    changed = Numbers(given, edited, None, None, numbers.tokens, numbers.key_tokens)
    made = attention_outcome(trace.id, changed)
    if made is None:
        return None
    closed = ~case.visible[..., key]
    gaps = np.abs(made.context - before, dtype=np.float64)[closed]
    moved = float(np.max(gaps, initial=0.0))
    return HiddenEdit(key, np.inf if np.isnan(moved) else moved)
