"""What turns queries and keys before they meet, as a matrix for each position."""

from collections.abc import Callable

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, float_views
from attnviz.core.errors import ShapeError

Turn = Callable[[FloatArray], FloatArray]
"""Takes queries or keys of all heads and gives them as they meet."""


def apply_turn(
    operation: str, turn: object, x: FloatArray, *places: object
) -> FloatArray:
    """Turn queries or keys, and refuse what cannot be them afterwards.

    Parameters
    ----------
    operation : str
        Name that opens the message of an error.
    turn : callable
        What turns them.
    x : FloatArray of shape (..., T, n)
        Queries or keys of all heads.
    *places : object
        What else `turn` takes, such as positions.

    Returns
    -------
    turned : FloatArray of shape (..., T, m)
        The same after.

    Raises
    ------
    TypeError
        If `turn` cannot be called.
    ShapeError
        If what it gives are not as many rows.
    """
    if not callable(turn):
        raise TypeError(
            f"{operation}: `turn` needs a callable; got {type(turn).__name__}"
        )
    (turned,) = float_views(operation, turn=turn(x, *places))
    if turned.shape[:-1] != x.shape[:-1] or turned.ndim != x.ndim:
        raise ShapeError(
            f"{operation}: `turn` needs to give shape {(*x.shape[:-1], 'd_k')} for "
            f"{x.shape}; got {turned.shape}".replace("'", "")
        )
    return turned


def turn_matrix(turn: Turn, x: FloatArray, turned: FloatArray) -> FloatArray | None:
    """Write down how the features of each position are turned.

    Parameters
    ----------
    turn : callable
        What turned `x`.
    x : FloatArray of shape (..., T, n)
        Queries or keys before.
    turned : FloatArray of shape (..., T, m)
        The same after.

    Returns
    -------
    matrix : FloatArray of shape (..., T, n, m), or None
        Row f is what becomes of feature f alone: a position times its matrix is turned.
        None where it is not, because the turn mixes positions or is not linear.
    """
    width = x.shape[-1]
    each = np.eye(width, dtype=x.dtype)
    matrix = np.stack([turn(np.tile(f, (*x.shape[:-1], 1))) for f in each], axis=-2)
    with np.errstate(invalid="ignore", over="ignore"):
        found = (x[..., None, :] @ matrix)[..., 0, :]
        size = (np.abs(x)[..., None, :] @ np.abs(matrix))[..., 0, :]
        limit = 4 * width * np.finfo(x.dtype).eps * size
        return None if (np.abs(found - turned) > limit).any() else matrix
