"""Mistakes and conventions in turning queries and keys by their positions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray, IntArray
from attnviz.core.faults._solving import base_of, weight_noise
from attnviz.core.faults.fault import Solved
from attnviz.core.positions.rotary import Pairing, rotate

Turned = Mapping[str, FloatArray]
"""Queries, keys and values by name, as far as they were asked for."""

Turning = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, repr=False)
class RotationCase(Record):
    """Queries, keys and values that someone turned.

    Attributes
    ----------
    parts : mapping of str to FloatArray of shape (..., T, d)
        "q", "k" and "v" before they were turned, as far as results were given.
    positions : IntArray of shape (T,) or (..., T)
        Position of each row.
    base : float
        Base of the rates.
    pairing : {"interleaved", "half"}
        Which features form a pair.
    """

    parts: Turned
    positions: IntArray
    base: float
    pairing: Pairing

    def turn(self, x: FloatArray) -> FloatArray:
        """Turn rows as asked."""
        return rotate(x, self.positions, base=self.base, pairing=self.pairing)

    @property
    def answer(self) -> Turned:
        """Turned queries and keys, and values as they are."""
        return self.each(q=self.turn, k=self.turn)

    def each(
        self,
        *,
        q: Turning | None = None,
        k: Turning | None = None,
        v: Turning | None = None,
    ) -> Turned:
        """Turn what is there, each in its way or not at all."""
        turns = {"q": q, "k": k, "v": v}
        return {
            name: part if (turn := turns[name]) is None else turn(part)
            for name, part in self.parts.items()
        }


def other_pairing(case: RotationCase) -> Turned | None:
    """Pair halves where neighbours were meant, or neighbours where halves were.

    Parameters
    ----------
    case : RotationCase
        What is asked.

    Returns
    -------
    turned : mapping of str to FloatArray, or None
        A proper rotation, but not that of the checkpoint; None with one pair.
    """
    if _width(case) == 2:
        return None
    other: Pairing = "interleaved" if case.pairing == "half" else "half"
    return replace(case, pairing=other).answer


def turned_backwards(case: RotationCase) -> Turned:
    """Turn by the negative angle.

    Parameters
    ----------
    case : RotationCase
        What is asked.

    Returns
    -------
    turned : mapping of str to FloatArray
        Scores depend on the distance alone, but on that in the other direction.
    """
    return replace(case, positions=-case.positions).answer


def counted_otherwise(case: RotationCase, step: int) -> Turned:
    """Count positions from another first one.

    Parameters
    ----------
    case : RotationCase
        What is asked.
    step : int
        What is added to each position.

    Returns
    -------
    turned : mapping of str to FloatArray
        Other rows, but the same scores.
    """
    return replace(case, positions=case.positions + step).answer


def queries_alone(case: RotationCase) -> Turned | None:
    """Turn the queries, and leave the keys as they are.

    Parameters
    ----------
    case : RotationCase
        What is asked.

    Returns
    -------
    turned : mapping of str to FloatArray, or None
        Scores depend on the query's position; None where no keys were given.
    """
    return case.each(q=case.turn) if "k" in case.parts else None


def keys_alone(case: RotationCase) -> Turned | None:
    """Turn the keys, and leave the queries as they are.

    Parameters
    ----------
    case : RotationCase
        What is asked.

    Returns
    -------
    turned : mapping of str to FloatArray, or None
        None where no queries were given.
    """
    return case.each(k=case.turn) if "q" in case.parts else None


def values_too(case: RotationCase) -> Turned | None:
    """Turn the values as well.

    Parameters
    ----------
    case : RotationCase
        What is asked.

    Returns
    -------
    turned : mapping of str to FloatArray, or None
        None where no values were given.
    """
    if "v" not in case.parts:
        return None
    return case.each(q=case.turn, k=case.turn, v=case.turn)


def nothing_turned(case: RotationCase) -> Turned:
    """Leave everything as it is.

    Parameters
    ----------
    case : RotationCase
        What is asked.

    Returns
    -------
    turned : mapping of str to FloatArray
        What was given.
    """
    return case.each()


def angles_mixed_up(case: RotationCase) -> Turned | None:
    """Lay the angles out for one pairing, and turn by the other.

    Parameters
    ----------
    case : RotationCase
        What is asked.

    Returns
    -------
    turned : mapping of str to FloatArray, or None
        Rows whose length has changed; None with one pair.
    """
    width = _width(case)
    if width == 2:
        return None
    rates = case.base ** (-np.arange(0, width, 2) / width)
    angles = case.positions[..., None] * rates
    halves = case.pairing == "half"
    laid = np.repeat(angles, 2, axis=-1) if halves else np.tile(angles, 2)

    def turn(x: FloatArray) -> FloatArray:
        first, second = (
            np.split(x, 2, axis=-1) if halves else (x[..., ::2], x[..., 1::2])
        )
        other = (
            np.concatenate([-second, first], axis=-1)
            if halves
            else np.stack([-second, first], axis=-1).reshape(x.shape)
        )
        return x * np.cos(laid) + other * np.sin(laid)

    return case.each(q=turn, k=turn)


def along_heads(case: RotationCase) -> Turned | None:
    """Take the axis before the positions for that of the positions.

    Parameters
    ----------
    case : RotationCase
        What is asked.

    Returns
    -------
    turned : mapping of str to FloatArray, or None
        Each head is turned as if it were a position; None without heads.
    """
    if any(part.ndim < 3 for part in case.parts.values()):
        return None

    def turn(x: FloatArray) -> FloatArray:
        swapped = x.swapaxes(-2, -3)
        places = np.arange(x.shape[-3])
        found = rotate(swapped, places, base=case.base, pairing=case.pairing)
        return found.swapaxes(-2, -3)

    return case.each(q=turn, k=turn)


def exponents_halved(case: RotationCase) -> Turned | None:
    """Use i/d for the exponent of pair i instead of 2i/d.

    Parameters
    ----------
    case : RotationCase
        What is asked.

    Returns
    -------
    turned : mapping of str to FloatArray, or None
        As with the root of the base; None with one pair.
    """
    return None if _width(case) == 2 else other_base(case, case.base**0.5)


def exponents_doubled(case: RotationCase) -> Turned | None:
    """Use 4i/d for the exponent of pair i instead of 2i/d.

    Parameters
    ----------
    case : RotationCase
        What is asked.

    Returns
    -------
    turned : mapping of str to FloatArray, or None
        As with the square of the base; None with one pair.
    """
    return None if _width(case) == 2 else other_base(case, case.base**2)


def other_base(case: RotationCase, base: float = 5e5) -> Turned:
    """Use another base.

    Parameters
    ----------
    case : RotationCase
        What is asked.
    base : float, default=5e5
        The other base.

    Returns
    -------
    turned : mapping of str to FloatArray
        Turned at other rates.
    """
    return replace(case, base=base).answer


def solve_base(case: RotationCase, turned: Turned) -> Solved | None:
    """Find the base of a rotation from positions that turn least.

    Parameters
    ----------
    case : RotationCase
        What is asked.
    turned : mapping of str to FloatArray
        What someone computed.

    Returns
    -------
    solved : Solved or None
        ``base``; None where nothing tells it.
    """
    seen: list[tuple[FloatArray, IntArray, FloatArray]] = []
    for name, found in turned.items():
        if name == "v" or found.shape != case.parts[name].shape:
            continue
        before, after = (_points(x, case.pairing) for x in (case.parts[name], found))
        noise = weight_noise(found).max(initial=0) / np.maximum(np.abs(before), 1e-300)
        places = np.broadcast_to(case.positions, before.shape[:-1])
        flat = (-1, before.shape[-1])
        angles = np.angle(after * before.conj())
        seen.append((angles.reshape(flat), places.ravel(), noise.reshape(flat)))
    if not seen:
        return None
    angles, places, noise = map(np.concatenate, zip(*seen, strict=True))
    base = base_of(angles, places, _width(case), noise)
    if base is None:
        return None
    return Solved(other_base(case, base), {"base": base}, 1)


def _points(x: FloatArray, pairing: Pairing) -> npt.NDArray[np.complexfloating[Any]]:
    """See each pair of features as a point in the plane."""
    first, second = _halves(x) if pairing == "half" else _neighbours(x)
    return first + 1j * second


def _halves(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    width = x.shape[-1] // 2
    return x[..., :width], x[..., width:]


def _neighbours(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    return x[..., ::2], x[..., 1::2]


def _width(case: RotationCase) -> int:
    return int(next(iter(case.parts.values())).shape[-1])
