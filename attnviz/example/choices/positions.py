"""The ways an example can tell its positions apart: where each acts, told once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.positions import (
    Order,
    alibi_bias,
    learned_positions,
    relative_buckets,
    rotate,
    sinusoidal_positions,
)
from attnviz.example.sources.drawn import MAX_HEADS, MAX_WIDTH

PositionKind = Literal["none", "sinusoidal", "learned", "rotary", "alibi", "relative"]
POSITION_KINDS: tuple[PositionKind, ...] = get_args(PositionKind)
# Where it matters which number the first position has.
COUNTED = ("sinusoidal", "rotary")
# Positions that a table can be asked for.
MOST_POSITIONS = 64
# Buckets of distances, as T5 has them.
N_BUCKETS = 32
# Learned rows are as long as sinusoidal ones, whose squares average ½.
_SPREAD = 0.5**0.5


@dataclass(frozen=True, slots=True)
class Encoding:
    """How positions become numbers, where a convention leaves it open.

    Attributes
    ----------
    first : int
        Number of the first position.
    base : float
        Sets the rates base^(−2i/d) of sinusoids and rotations.
    order : Order
        Whether sines and cosines alternate or stand in two blocks.
    is_scaled : bool
        Whether inputs are multiplied by √d before positions are added.
    """

    first: int = 0
    base: float = 1e4
    order: Order = "interleaved"
    is_scaled: bool = False


@dataclass(frozen=True, slots=True)
class PositionRule:
    """How one kind tells positions apart; each acts in one place.

    Attributes
    ----------
    table : callable or None
        Takes the length T, the width d, the seed and the encoding; gives P of shape
        (T, d), which is added to the inputs.
    turn : callable or None
        Takes queries or keys of shape (..., T, d_k) and the encoding; gives them as
        they meet.
    bias : callable or None
        Takes the number of heads, of queries and of keys, the seed, and the position of
        the first query; gives what is added to the scores, of shape (H, T_q, T_k).
    """

    table: Callable[[int, int, int, Encoding], FloatArray] | None = None
    turn: Callable[[FloatArray, Encoding], FloatArray] | None = None
    bias: Callable[[int, int, int, int, int], FloatArray] | None = None


def _sinusoidal(length: int, d_model: int, seed: int, encoding: Encoding) -> FloatArray:
    return sinusoidal_positions(
        length,
        d_model,
        start=encoding.first,
        base=encoding.base,
        order=encoding.order,
    )


def _learned(length: int, d_model: int, seed: int, encoding: Encoding) -> FloatArray:
    """Draw a table that stands for a learned one."""
    table = _SPREAD * draw(seed, "positions", (MOST_POSITIONS, MAX_WIDTH))[:, :d_model]
    return learned_positions(length, table)


def _rotate(heads: FloatArray, encoding: Encoding) -> FloatArray:
    places = encoding.first + np.arange(heads.shape[-2])
    return rotate(heads, places, base=encoding.base)


def _alibi(n_heads: int, len_q: int, len_k: int, seed: int, offset: int) -> FloatArray:
    return alibi_bias(n_heads, len_q, len_k, offset=offset)


def _relative(
    n_heads: int, len_q: int, len_k: int, seed: int, offset: int
) -> FloatArray:
    buckets = relative_buckets(len_q, len_k, n_buckets=N_BUCKETS, offset=offset)
    return bucket_values(seed, n_heads)[:, 0, buckets]


def bucket_values(seed: int, n_heads: int) -> FloatArray:
    """Draw the numbers that stand for the learned ones of each bucket: (H, 1, 32)."""
    return draw(seed, "bucket_values", (MAX_HEADS, 1, N_BUCKETS))[:n_heads]


POSITION_RULES: Mapping[PositionKind, PositionRule] = MappingProxyType(
    {
        "none": PositionRule(),
        "sinusoidal": PositionRule(table=_sinusoidal),
        "learned": PositionRule(table=_learned),
        "rotary": PositionRule(turn=_rotate),
        "alibi": PositionRule(bias=_alibi),
        "relative": PositionRule(bias=_relative),
    }
)


def added_positions(
    kind: PositionKind, length: int, d_model: int, *, seed: int, encoding: Encoding
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
    encoding : Encoding
        Where conventions differ.

    Returns
    -------
    positions : FloatArray of shape (T, d), or None
        None where nothing is added to the inputs.
    """
    table = POSITION_RULES[kind].table
    return None if table is None else read_only(table(length, d_model, seed, encoding))


def turn_of(
    kind: PositionKind, encoding: Encoding
) -> Callable[[FloatArray], FloatArray]:
    """Choose what happens to queries and keys before they meet.

    Parameters
    ----------
    kind : PositionKind
        How positions are told apart.
    encoding : Encoding
        Where conventions differ.

    Returns
    -------
    turn : callable
        Takes and gives queries or keys of shape (..., T, d_k).
    """
    turn = POSITION_RULES[kind].turn
    return _leave if turn is None else lambda heads: turn(heads, encoding)


def rotation(
    length: int, d_k: int, encoding: Encoding
) -> tuple[FloatArray, FloatArray]:
    """Write down the factors with which each position turns pairs of features.

    Parameters
    ----------
    length, d_k : int
        Number of positions, and of features, which is even.
    encoding : Encoding
        Where conventions differ.

    Returns
    -------
    cos, sin : FloatArray of shape (T, d_k)
        Feature f of position t becomes its own number times cos[t, f] plus the number
        of its partner times sin[t, f].
    """
    pairs = np.broadcast_to(np.eye(2), (length, d_k // 2, 2, 2))
    own, other = (pairs[..., side, :].reshape(length, d_k) for side in (0, 1))
    even, odd = _rotate(own, encoding), _rotate(other, encoding)
    is_even = np.arange(d_k) % 2 == 0
    return np.where(is_even, even, odd), np.where(is_even, odd, even)


def bias_of(
    kind: PositionKind,
    n_heads: int,
    len_q: int,
    len_k: int,
    *,
    seed: int,
    offset: int = 0,
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
    seed : int
        Seed of numbers that stand for learned ones.
    offset : int, default=0
        Position of the first query.

    Returns
    -------
    bias : FloatArray of shape (H, T_q, T_k), or None
        None where nothing is added.
    """
    bias = POSITION_RULES[kind].bias
    return None if bias is None else bias(n_heads, len_q, len_k, seed, offset)


def _leave(heads: FloatArray) -> FloatArray:
    return heads
