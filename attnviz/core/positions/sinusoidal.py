"""Positions to be added to the inputs: sinusoids, or rows of a learned table."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    FloatArray,
    IntArray,
    as_floats,
    as_mask,
    bind_shapes,
    choice,
    count,
)
from attnviz.core.errors import MaskError, ShapeError
from attnviz.core.positions._angles import angles, as_positions

Order = Literal["interleaved", "concatenated"]


def sinusoidal_positions(
    positions: int | npt.ArrayLike,
    d_model: int,
    *,
    start: int = 0,
    base: float = 1e4,
    order: Order = "interleaved",
) -> FloatArray:
    r"""Represent positions by sines and cosines of falling rates.

    Parameters
    ----------
    positions : int or array_like of int, shape (..., T)
        A number of positions counted from `start`, or the positions themselves.
    d_model : int
        Number of features d. An odd one drops the last cosine.
    start : int, default=0
        First position where `positions` is a number of them: 0 as in the authors'
        code, or 1 as the chapter counts.
    base : float, default=1e4
        Sets the rates base^(−2i/d) of the pairs.
    order : {"interleaved", "concatenated"}, default="interleaved"
        "interleaved" puts sine and cosine of a rate side by side, "concatenated" all
        sines before all cosines. The same numbers in another order.

    Returns
    -------
    table : FloatArray of shape (..., T, d)
        To be added to the embeddings.

    Raises
    ------
    ShapeError
        If the positions are not whole numbers.
    ValueError
        If a number is out of its range, `start` meets given positions, or the order
        has another name.

    Notes
    -----
    .. math:: p_{p,2i} = \sin(p\,\omega_i), \quad p_{p,2i+1} = \cos(p\,\omega_i),
       \quad \omega_i = \mathrm{base}^{-2i/d}

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.5.
    .. [2] Course chapter, formula F6.

    Examples
    --------
    >>> sinusoidal_positions(2, 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    known = ("interleaved", "concatenated")
    choice("sinusoidal_positions", "order", order, known)
    width = count("sinusoidal_positions", "d_model", d_model, least=1)
    places = _places("sinusoidal_positions", positions, start)
    turned = angles("sinusoidal_positions", places, width, base=base)
    sines = np.sin(turned)
    cosines = np.cos(turned[..., : width // 2])
    if order == "concatenated":
        return np.concatenate([sines, cosines], axis=-1)
    table = np.empty((*turned.shape[:-1], width))
    table[..., 0::2] = sines
    table[..., 1::2] = cosines
    return table


def positions_from_valid(key_valid: npt.ArrayLike) -> IntArray:
    """Count the positions of a padded batch by its tokens, not by its columns.

    Parameters
    ----------
    key_valid : array_like of bool, shape (..., T)
        True where there is a token, False where there is padding.

    Returns
    -------
    positions : IntArray of shape (..., T)
        0 for the first token of each row, wherever it stands; 0 for padding too.

    Raises
    ------
    MaskError
        If `key_valid` is not boolean or has no axis.

    References
    ----------
    .. [1] Course chapter, key padding and positions (R46, R77).

    Examples
    --------
    >>> positions_from_valid([[False, False, True, True], [True, True, True, False]])
    array([[0, 0, 0, 1],
           [0, 1, 2, 0]])
    """
    valid = as_mask("positions_from_valid", "key_valid", key_valid)
    if valid.ndim == 0:
        raise MaskError(
            "positions_from_valid: `key_valid` needs shape (..., T); got ()"
        )
    return np.where(valid, np.cumsum(valid, axis=-1) - 1, 0)


def learned_positions(
    positions: int | npt.ArrayLike, table: npt.ArrayLike, *, start: int = 0
) -> FloatArray:
    """Look positions up in a table of learned rows.

    Parameters
    ----------
    positions : int or array_like of int, shape (..., T)
        A number of positions counted from `start`, or the positions themselves.
    table : array_like of shape (T_max, d)
        One row a position; beyond it nothing has been learned.
    start : int, default=0
        First position where `positions` is a number of them.

    Returns
    -------
    rows : FloatArray of shape (..., T, d)
        To be added to the embeddings.

    Raises
    ------
    ShapeError
        If a position lies outside the table, or the table is not a matrix.
    ValueError
        If a number is out of its range, or `start` meets given positions.

    References
    ----------
    .. [1] Gehring et al., "Convolutional Sequence to Sequence Learning", 2017,
       section 3.1.
    .. [2] Course chapter, learned positions (R79).

    Examples
    --------
    >>> learned_positions(2, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    array([[1., 2.],
           [3., 4.]])
    """
    (rows,) = as_floats("learned_positions", table=table)
    limit = bind_shapes("learned_positions", table=(rows, "T_max d"))["T_max"]
    if rows.ndim != 2:
        raise ShapeError(
            f"learned_positions: `table` needs shape (T_max, d); got {rows.shape}"
        )
    places = _places("learned_positions", positions, start)
    outside = places[(places < 0) | (places >= limit)]
    if outside.size:
        raise ShapeError(
            f"learned_positions: `positions` needs positions from 0 to {limit - 1}, "
            f"the last row of `table`; got {outside[0]}"
        )
    return rows[places]


def _places(operation: str, positions: int | npt.ArrayLike, start: int) -> IntArray:
    """Take positions as given, or count them off from the first one."""
    if isinstance(positions, int | np.integer):
        first = count(operation, "start", start, least=None)
        return first + np.arange(count(operation, "positions", positions))
    if count(operation, "start", start, least=None) != 0:
        raise ValueError(
            f"{operation}: `start` needs `positions` to be a number of positions; got "
            f"start={start} with the positions themselves"
        )
    return as_positions(operation, positions)
