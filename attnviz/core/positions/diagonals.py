"""How far a table is from seeing the distance of row and column alone."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, as_floats, bind_shapes
from attnviz.core.errors import ShapeError


def diagonal_spread(table: npt.ArrayLike) -> FloatArray:
    r"""Measure how much the numbers along each diagonal of a table differ.

    Parameters
    ----------
    table : array_like of shape (..., M, N)
        Scores, a bias, or products of positions.

    Returns
    -------
    spread : FloatArray of shape (..., M + N − 1)
        Largest minus smallest number on each diagonal, from j − i = −(M − 1) to N − 1.
        All 0, but for rounding, where a number depends on the distance alone: then the
        table is a Toeplitz matrix.

    Raises
    ------
    ShapeError
        If the table has no rows or no columns.

    References
    ----------
    .. [1] Course chapter, products of sinusoidal positions (R78), scores of rotary ones
       (R80).

    Examples
    --------
    >>> diagonal_spread([[1.0, 2.0], [3.0, 5.0]])
    array([0., 4., 0.])
    """
    (numbers,) = as_floats("diagonal_spread", table=table)
    sizes = bind_shapes("diagonal_spread", table=(numbers, "M N"))
    if 0 in (sizes["M"], sizes["N"]):
        raise ShapeError(
            "diagonal_spread: `table` needs at least one row and one column; got "
            f"{numbers.shape}"
        )
    lines = [
        np.diagonal(numbers, offset, -2, -1)
        for offset in range(1 - sizes["M"], sizes["N"])
    ]
    return np.stack([line.max(-1) - line.min(-1) for line in lines], axis=-1)
