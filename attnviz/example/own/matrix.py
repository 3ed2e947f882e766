"""One matrix of one's own: from a table to numbers to be shown."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.errors import SettingError
from attnviz.example.edits import MAX_VALUE
from attnviz.example.own.shapes import fitting_shape
from attnviz.example.reading.names import is_linear, written_name
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
        number is not finite or too large.
    """
    symbol = written_name(name)
    shape = table.source.shape(symbol)
    turned = is_turned(name, table) and len(shape) > 1
    if turned:
        shape = (*shape[:-2], shape[-1], shape[-2])
    shape = fitting_shape(name, shape)
    numbers = table.source.numbers(symbol)
    fits = np.abs(numbers) <= MAX_VALUE
    if not fits.all():
        place = np.unravel_index(int(np.argmin(fits)), numbers.shape)
        raise SettingError(
            "own_value",
            matrix=symbol,
            got=f"{numbers[place]:g}",
            place=counted(tuple(int(at) for at in place)),
            most=f"{MAX_VALUE:.0f}",
        )
    if turned:
        numbers = numbers.swapaxes(-1, -2)
    return read_only(np.ascontiguousarray(numbers).reshape(shape))
