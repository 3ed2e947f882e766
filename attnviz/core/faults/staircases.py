"""Mistakes in where a causal mask or a padding mask lies."""

import itertools
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import BoolArray
from attnviz.core.attention.masks import causal_mask
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults.fault import Outcome
from attnviz.core.faults.masks import refilled, remasked


def shifted(case: AttentionCase, step: int, *, empty: float = 0) -> Outcome | None:
    """Shift the diagonal of a causal mask.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    step : int
        1 lets each query see the next token, −1 hides its own.
    empty : float, default=0
        What a row without keys holds.

    Returns
    -------
    outcome : Outcome or None
        None where the mask is not causal.
    """
    stairs = _stairs(case.visible)
    if stairs is None:
        return None
    return remasked(case, stairs.at(stairs.offset + step), empty=empty)


def shifted_by_fill(case: AttentionCase, *, adds: bool = False) -> Outcome | None:
    """Hide a query's own token too, and hide by −10⁹.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    adds : bool, default=False
        Whether the number is added to the scores or replaces them.

    Returns
    -------
    outcome : Outcome or None
        The first query attends to all; None where the mask is not causal.
    """
    stairs = _stairs(case.visible)
    if stairs is None:
        return None
    return refilled(case, stairs.at(stairs.offset - 1), adds=adds)


def upper_triangle(case: AttentionCase) -> Outcome | None:
    """Keep the upper triangle, with the diagonal, instead of the lower one.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Each query sees itself and the future; None where the mask is not causal.
    """
    stairs = _stairs(case.visible)
    if stairs is None:
        return None
    future = ~causal_mask(*case.visible.shape[-2:], offset=stairs.offset - 1)
    return remasked(case, future & stairs.keys)


def aligned_otherwise(case: AttentionCase) -> Outcome | None:
    """Align a causal mask with the other corner of the table.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        First query at the first key instead of last at last, or the reverse; None
        where the table is square or the mask not causal.
    """
    stairs = _stairs(case.visible)
    len_q, len_k = case.visible.shape[-2:]
    if stairs is None or stairs.offset not in (0, len_k - len_q) or len_q == len_k:
        return None
    return remasked(case, stairs.at(len_k - len_q - stairs.offset))


def padding_on_queries(case: AttentionCase, *, empty: float = 0) -> Outcome | None:
    """Lay the padding mask along the queries instead of the keys.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    empty : float, default=0
        What a row without keys holds.

    Returns
    -------
    outcome : Outcome or None
        Padding is seen by all, and sees nothing; None where no key is hidden from
        all queries, the table is not square, or the mask hides other keys too.
    """
    seen = _along_queries(case)
    return None if seen is None else remasked(case, seen, empty=empty)


def padding_on_queries_by_fill(case: AttentionCase) -> Outcome | None:
    """Lay the padding mask along the queries, and hide by −10⁹.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        As `padding_on_queries`, but padding attends to all evenly.
    """
    seen = _along_queries(case)
    return None if seen is None else refilled(case, seen)


def padding_answered(case: AttentionCase) -> Outcome | None:
    """Give padding queries an answer as well.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Numbers that nothing should read; None where no padding query sees a key.
    """
    if (case.query_valid | ~case.visible.any(axis=-1)).all():
        return None
    return remasked(case, case.visible)


@dataclass(frozen=True, slots=True)
class _Stairs:
    """A causal mask, apart from the padding it is combined with."""

    offset: int
    keys: BoolArray
    len_q: int

    def at(self, offset: int) -> BoolArray:
        """Build the same mask with its first query at another position."""
        return causal_mask(self.len_q, self.keys.shape[-1], offset=offset) & self.keys


def _along_queries(case: AttentionCase) -> BoolArray | None:
    """Lay the padding of a mask along the queries, if that is all it hides."""
    keys: BoolArray = np.any(case.visible, axis=-2)
    len_q, len_k = case.visible.shape[-2:]
    if len_q != len_k or keys.all():
        return None
    if (case.visible == keys[..., None, :]).all():
        return keys[..., :, None]
    stairs = _stairs(case.visible)
    if stairs is None:
        return None
    return causal_mask(len_q, len_k, offset=stairs.offset) & keys[..., :, None]


def _stairs(visible: BoolArray) -> _Stairs | None:
    """Recognize a causal mask, combined with padding or not, by trying offsets."""
    len_q, len_k = visible.shape[-2:]
    every = np.ones((1, len_k), dtype=np.bool_)
    seen: BoolArray = np.any(visible, axis=-2, keepdims=True)
    offsets = (len_k - len_q, 0, *range(1 - len_q, len_k - 1))
    for keys, offset in itertools.product((every, seen), offsets):
        # A mask that hides nothing is causal only for a last query alone.
        hides = offset < len_k - 1 or len_q == 1
        stairs = _Stairs(offset, keys, len_q)
        if hides and (stairs.at(offset) == visible).all():
            return stairs
    return None
