"""Nested lists as numbers."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.reading.numbers import as_number

_LONGEST = 20


@dataclass(frozen=True, slots=True)
class Nested:
    """Lists of lists of numbers, or of what should be numbers; from anyone.

    Attributes
    ----------
    lists : list
        With texts or values of JSON in it.
    """

    lists: list[Any]

    def shape(self, symbol: str) -> tuple[int, ...]:
        """Give the shape that the first entries have."""
        shape = []
        level: Any = self.lists
        while isinstance(level, list):
            shape.append(len(level))
            level = level[0] if level else None
        return tuple(shape)

    def numbers(self, symbol: str) -> FloatArray:
        """Give the numbers.

        Raises
        ------
        SettingError
            If rows differ in length, or something is no number.
        """
        shape = self.shape(symbol)
        numbers: list[float] = []
        _collect(symbol, self.lists, shape, (), numbers)
        return np.array(numbers, dtype=np.float64).reshape(shape)


def counted(place: tuple[int, ...]) -> str:
    """Write a place counted from 1."""
    return ", ".join(str(at + 1) for at in place)


def _collect(
    symbol: str,
    nested: Any,  # noqa: ANN401 - a list, or what stands in its place
    shape: tuple[int, ...],
    place: tuple[int, ...],
    numbers: list[float],
) -> None:
    """Go through a list of a known shape, number by number."""
    depth = len(place)
    if depth == len(shape):
        numbers.append(_number(symbol, nested, place))
        return
    size = len(nested) if isinstance(nested, list) else 0
    if size != shape[depth]:
        raise SettingError(
            "own_ragged",
            matrix=symbol,
            place=counted(place),
            got=size,
            wanted=shape[depth],
        )
    for at, part in enumerate(nested):
        _collect(symbol, part, shape, (*place, at), numbers)


def _number(symbol: str, leaf: Any, place: tuple[int, ...]) -> float:  # noqa: ANN401
    """Read one number, which may still be too large."""
    if isinstance(leaf, str):
        number = as_number(leaf)
        if number is not None:
            return number
    elif isinstance(leaf, int | float):
        try:
            return float(leaf)
        except OverflowError:
            return math.inf
    text = str(leaf)
    got = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    raise SettingError("own_number", matrix=symbol, got=got, place=counted(place))
