"""One matrix of one's own: from a table to numbers to be shown."""

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray, read_only
from attnviz.core.errors import SettingError
from attnviz.example.edits import MAX_VALUE
from attnviz.example.own.shapes import fitting_shape
from attnviz.example.reading.names import UNNAMED, is_linear, written_name
from attnviz.example.reading.nested import counted
from attnviz.example.reading.result import Table

PROJECTIONS = frozenset({"w_q", "w_k", "w_v", "w_o"})


def is_turned(name: str, table: Table) -> bool:
    """Tell whether a table holds a projection as PyTorch's layers do, outputs first."""
    return name in PROJECTIONS and is_linear(table.title)


def matrix_of(name: str, table: Table) -> FloatArray:
    """Take the numbers of a table as a matrix.

    Parameters
    ----------
    name : str
        One of NAMES.
    table : Table
        From anyone.

    Returns
    -------
    matrix : FloatArray
        In float64, with an axis for each of its own; read-only.

    Raises
    ------
    SettingError
        If rows differ in length, something is no number, the shape does not fit, or a
        number is too large or, but for weights, which may have overflowed, not finite.
    """
    symbol = written_name(name)
    shape = table.source.shape(symbol)
    turned = is_turned(name, table) and len(shape) > 1
    if turned:
        shape = (*shape[:-2], shape[-1], shape[-2])
    shape = fitting_shape(name, shape)
    numbers = table.source.numbers(symbol)
    fits = np.abs(numbers) <= MAX_VALUE
    if name == UNNAMED:
        fits = fits | ~np.isfinite(numbers)
    _require(name, numbers, fits)
    if turned:
        numbers = numbers.swapaxes(-1, -2)
    return read_only(np.ascontiguousarray(numbers).reshape(shape))


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
        place=counted(tuple(int(at) for at in place)),
        most=f"{MAX_VALUE:.0f}",
    )
