"""The ways an example can tell its positions apart: where each acts, told once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.positions import (
    alibi_bias,
    learned_positions,
    rotate,
    sinusoidal_positions,
)
from attnviz.example.sources.drawn import MAX_LENGTH, MAX_WIDTH

PositionKind = Literal["none", "sinusoidal", "learned", "rotary", "alibi"]
POSITION_KINDS: tuple[PositionKind, ...] = get_args(PositionKind)
# Where it matters which number the first position has.
COUNTED = ("sinusoidal", "rotary")
# Learned rows are as long as sinusoidal ones, whose squares average ½.
_SPREAD = 0.5**0.5


@dataclass(frozen=True, slots=True)
class PositionRule:
    """How one kind tells positions apart; each acts in one place.

    Attributes
    ----------
    table : callable or None
        Takes the length T, the width d, the seed and the number of the first
        position; gives P of shape (T, d), which is added to the inputs.
    turn : callable or None
        Takes queries or keys of shape (..., T, d_k) and the number of the first
        position; gives them as they meet.
    bias : callable or None
        Takes the number of heads, of queries and of keys; gives what is added to the
        scores, of shape (H, T_q, T_k).
    """

    table: Callable[[int, int, int, int], FloatArray] | None = None
    turn: Callable[[FloatArray, int], FloatArray] | None = None
    bias: Callable[[int, int, int], FloatArray] | None = None


def _sinusoidal(length: int, d_model: int, seed: int, first: int) -> FloatArray:
    return sinusoidal_positions(length, d_model, start=first)


def _learned(length: int, d_model: int, seed: int, first: int) -> FloatArray:
    """Draw a table that stands for a learned one."""
    table = _SPREAD * draw(seed, "positions", (MAX_LENGTH, MAX_WIDTH))[:, :d_model]
    return learned_positions(length, table)


def _rotate(heads: FloatArray, first: int) -> FloatArray:
    return rotate(heads, first + np.arange(heads.shape[-2]))


def _alibi(n_heads: int, len_q: int, len_k: int) -> FloatArray:
    return alibi_bias(n_heads, len_q, len_k, offset=0)


POSITION_RULES: Mapping[PositionKind, PositionRule] = MappingProxyType(
    {
        "none": PositionRule(),
        "sinusoidal": PositionRule(table=_sinusoidal),
        "learned": PositionRule(table=_learned),
        "rotary": PositionRule(turn=_rotate),
        "alibi": PositionRule(bias=_alibi),
    }
)


def added_positions(
    kind: PositionKind, length: int, d_model: int, *, seed: int, first: int
) -> FloatArray | None:
    """Make the table P that is added to the inputs.

    Parameters
    ----------
    kind : PositionKind
        How positions are told apart.
    length, d_model : int
        Number of positions T and of features d.
    seed : int
        Seed of a table that stands for a learned one.
    first : int
        Number of the first position.

    Returns
    -------
    positions : FloatArray of shape (T, d), or None
        None where nothing is added to the inputs.
    """
    table = POSITION_RULES[kind].table
    return None if table is None else read_only(table(length, d_model, seed, first))


def turn_of(kind: PositionKind, first: int) -> Callable[[FloatArray], FloatArray]:
    """Choose what happens to queries and keys before they meet.

    Parameters
    ----------
    kind : PositionKind
        How positions are told apart.
    first : int
        Number of the first position.

    Returns
    -------
    turn : callable
        Takes and gives queries or keys of shape (..., T, d_k).
    """
    turn = POSITION_RULES[kind].turn
    return _leave if turn is None else lambda heads: turn(heads, first)


def rotation(length: int, d_k: int, first: int) -> tuple[FloatArray, FloatArray]:
    """Write down the factors with which each position turns pairs of features.

    Parameters
    ----------
    length, d_k : int
        Number of positions, and of features, which is even.
    first : int
        Number of the first position.

    Returns
    -------
    cos, sin : FloatArray of shape (T, d_k)
        Feature f of position t becomes its own number times cos[t, f] plus the number
        of its partner times sin[t, f].
    """
    pairs = np.broadcast_to(np.eye(2), (length, d_k // 2, 2, 2))
    own, other = (pairs[..., side, :].reshape(length, d_k) for side in (0, 1))
    even, odd = _rotate(own, first), _rotate(other, first)
    is_even = np.arange(d_k) % 2 == 0
    return np.where(is_even, even, odd), np.where(is_even, odd, even)


def bias_of(
    kind: PositionKind, n_heads: int, len_q: int, len_k: int
) -> FloatArray | None:
    """Choose what is added to the scores.

    Parameters
    ----------
    kind : PositionKind
        How positions are told apart.
    n_heads : int
        Number of heads H.
    len_q, len_k : int
        Number of queries and keys.

    Returns
    -------
    bias : FloatArray of shape (H, T_q, T_k), or None
        None where nothing is added.
    """
    bias = POSITION_RULES[kind].bias
    return None if bias is None else bias(n_heads, len_q, len_k)


def _leave(heads: FloatArray) -> FloatArray:
    return heads
