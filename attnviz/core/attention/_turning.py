"""What turns queries and keys before they meet, as a matrix for each position."""

from collections.abc import Callable

import numpy as np

from attnviz.core.arrays.shapes import FloatArray

Turn = Callable[[FloatArray], FloatArray]
"""Takes queries or keys of all heads and gives them as they meet."""


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
