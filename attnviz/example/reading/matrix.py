"""One matrix of one's own: from nested lists or an array to numbers to be shown."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, FloatArray, read_only
from attnviz.core.errors import SettingError
from attnviz.example.edits import MAX_VALUE
from attnviz.example.reading.names import UNNAMED, fitting_shape, written_name
from attnviz.example.reading.numbers import as_number

_LONGEST = 20


def from_lists(name: str, nested: list[Any]) -> FloatArray:
    """Take nested lists as a matrix.

    Parameters
    ----------
    name : str
        One of NAMES.
    nested : list
        Lists of lists of numbers, or of what should be numbers; from anyone.

    Returns
    -------
    matrix : FloatArray
        With an axis for each of its own.

    Raises
    ------
    SettingError
        If rows differ in length, something is no number, or the shape does not fit.
    """
    shape = []
    level: Any = nested
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0] if level else None
    fitting_shape(name, tuple(shape))
    numbers: list[float] = []
    _collect(name, nested, shape, (), numbers)
    return from_array(name, np.array(numbers).reshape(shape))


def from_array(name: str, array: npt.NDArray[Any]) -> FloatArray:
    """Take an array of real numbers as a matrix.

    Parameters
    ----------
    name : str
        One of NAMES.
    array : ndarray
        Integers or floats.

    Returns
    -------
    matrix : FloatArray
        In float64, with an axis for each of its own.

    Raises
    ------
    SettingError
        If the shape does not fit, or a number is too large or, but for weights, which
        may have overflowed, not finite.
    """
    shape = fitting_shape(name, array.shape)
    with np.errstate(all="ignore"):
        matrix = array.astype(np.float64)
        fits = np.abs(matrix) <= MAX_VALUE
    if name == UNNAMED:
        fits = fits | ~np.isfinite(matrix)
    _require(name, matrix, fits)
    return read_only(matrix.reshape(shape))


def require_finite(name: str, matrix: FloatArray) -> None:
    """Refuse NaN and ±∞ where they would have to be shown.

    Raises
    ------
    SettingError
        If a number is not finite.
    """
    _require(name, matrix, np.isfinite(matrix))


def _require(name: str, matrix: FloatArray, fits: BoolArray) -> None:
    """Refuse a matrix by the first number that does not fit."""
    if fits.all():
        return
    place = np.unravel_index(int(np.argmin(fits)), matrix.shape)
    raise SettingError(
        "own_value",
        matrix=written_name(name),
        got=f"{matrix[place]:g}",
        place=_counted(tuple(int(at) for at in place)),
        most=f"{MAX_VALUE:.0f}",
    )


def _collect(
    name: str,
    nested: Any,  # noqa: ANN401 - a list, or what stands in its place
    shape: list[int],
    place: tuple[int, ...],
    numbers: list[float],
) -> None:
    """Go through a list of a known shape, number by number."""
    depth = len(place)
    if depth == len(shape):
        numbers.append(_number(name, nested, place))
        return
    size = len(nested) if isinstance(nested, list) else 0
    if size != shape[depth]:
        raise SettingError(
            "own_ragged",
            matrix=written_name(name),
            place=_counted(place),
            got=size,
            wanted=shape[depth],
        )
    for at, part in enumerate(nested):
        _collect(name, part, shape, (*place, at), numbers)


def _number(name: str, leaf: Any, place: tuple[int, ...]) -> float:  # noqa: ANN401
    """Read one number, which may still be too large."""
    if isinstance(leaf, str):
        number = as_number(leaf)
        if number is not None:
            return number
    elif isinstance(leaf, int | float) and not isinstance(leaf, bool):
        try:
            return float(leaf)
        except OverflowError:
            return math.inf
    raise SettingError(
        "own_number",
        matrix=written_name(name),
        got=_shortened(str(leaf)),
        place=_counted(place),
    )


def _counted(place: tuple[int, ...]) -> str:
    """Write a place counted from 1."""
    return ", ".join(str(at + 1) for at in place)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
