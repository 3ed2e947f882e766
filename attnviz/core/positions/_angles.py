"""Positions as angles: every pair of features turns at a rate of its own."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, IntArray, positive
from attnviz.core.errors import ShapeError


def as_positions(operation: str, positions: npt.ArrayLike) -> IntArray:
    """Take whole numbers of shape (..., T) as positions; others are a ShapeError."""
    try:
        array = np.asarray(positions)
    except ValueError as error:
        raise ShapeError(
            f"{operation}: `positions` needs rows of equal length; got a ragged list"
        ) from error
    if array.ndim == 0 or array.dtype.kind not in "iu":
        raise ShapeError(
            f"{operation}: `positions` needs whole numbers of shape (..., T); got "
            f"dtype {array.dtype} and shape {array.shape}"
        )
    return array


def angles(
    operation: str, positions: IntArray, width: int, *, base: float
) -> FloatArray:
    r"""Turn positions into one angle for each pair of features: (..., T, ⌈d/2⌉).

    An odd width leaves its last pair half used.

    Notes
    -----
    .. math:: \omega_i = \mathrm{base}^{-2i/d}, \qquad \theta_{p,i} = p\,\omega_i

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.5.
    .. [2] Course chapter, formula F6.

    Examples
    --------
    >>> angles("demo", np.array([0, 1]), 4, base=1e4)
    array([[0.  , 0.  ],
           [1.  , 0.01]])
    """
    rates = positive(operation, "base", base) ** (-np.arange(0, width, 2) / width)
    turned: FloatArray = positions[..., None] * rates
    return turned
