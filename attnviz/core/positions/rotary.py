"""Rotary positions: turn pairs of features so that a score knows the distance."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    FloatArray,
    as_floats,
    bind_shapes,
    choice,
    quiet,
)
from attnviz.core.errors import ShapeError
from attnviz.core.positions._angles import angles, as_positions

Pairing = Literal["interleaved", "half"]


def rotate(
    x: npt.ArrayLike,
    positions: npt.ArrayLike,
    *,
    base: float = 1e4,
    pairing: Pairing = "interleaved",
) -> FloatArray:
    r"""Turn queries or keys by angles that grow with their position.

    Parameters
    ----------
    x : array_like of shape (..., T, d)
        Queries or keys of an even width; time is the axis before the last.
    positions : array_like of int, shape (T,) or (..., T)
        Position of each row. Either one axis for all, or one axis for each axis of
        `x` but the last, of the same size or 1: with heads, ``positions[:, None, :]``.
    base : float, default=1e4
        Sets the rates base^(−2i/d) of the pairs.
    pairing : {"interleaved", "half"}, default="interleaved"
        "interleaved" turns features 2i and 2i+1 together, "half" features i and
        i + d/2. Checkpoints of one kind need a reordering to serve the other.

    Returns
    -------
    turned : FloatArray of shape (..., T, d)
        Rows of the same length as before, in the dtype of `x`.

    Raises
    ------
    ShapeError
        If the width is odd or 0, or the positions do not cover the rows.
    ValueError
        If the base is not above 0, or the pairing has another name.

    Notes
    -----
    .. math:: (R_m q)^\top (R_n k) = q^\top R_{n-m}\, k

    so a score depends on the distance alone.

    References
    ----------
    .. [1] Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding",
       2021, eqs. 14–16.
    .. [2] Course chapter, relative positions in the scores (R80).

    Examples
    --------
    >>> rotate([[1.0, 2.0, 3.0, 4.0]], [1]).round(4)
    array([[-1.1426,  1.9221,  2.9599,  4.0298]])
    >>> rotate([[1.0, 2.0, 3.0, 4.0]], [1], pairing="half").round(4)
    array([[-1.9841,  1.9599,  2.4624,  4.0198]])
    """
    (rows,) = as_floats("rotate", x=x)
    width = bind_shapes("rotate", x=(rows, "T d"))["d"]
    if width == 0 or width % 2:
        raise ShapeError(f"rotate: `x` needs an even width d; got {rows.shape}")
    place = as_positions("rotate", positions)
    _cover("rotate", "positions", place.shape, rows)
    turned = angles("rotate", place, width, base=base)
    return rotate_by(rows, np.cos(turned), np.sin(turned), pairing=pairing)


@quiet
def rotate_by(
    x: npt.ArrayLike,
    cos: npt.ArrayLike,
    sin: npt.ArrayLike,
    *,
    pairing: Pairing = "interleaved",
) -> FloatArray:
    """Turn pairs of features by angles whose cosines and sines are given.

    Parameters
    ----------
    x : array_like of shape (..., T, d)
        Queries or keys.
    cos, sin : array_like of shape (T, n) or (..., T, n)
        Cosine and sine of each pair's angle, for as many of the leading axes as
        `rotate` allows. The first 2n features turn; what is left of d stays.
    pairing : {"interleaved", "half"}, default="interleaved"
        Which of the 2n features form a pair, as in `rotate`.

    Returns
    -------
    turned : FloatArray of shape (..., T, d)
        Turned rows in the dtype of `x`.

    Raises
    ------
    ShapeError
        If `cos` and `sin` differ in shape, do not cover the rows, or hold more than
        d/2 angles.
    ValueError
        If the pairing has another name.

    References
    ----------
    .. [1] Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding",
       2021, eq. 34.
    .. [2] ONNX operator RotaryEmbedding, version 23.

    Examples
    --------
    >>> rotate_by([[1.0, 2.0, 3.0]], [[0.0]], [[1.0]])
    array([[-2.,  1.,  3.]])
    """
    (rows,) = as_floats("rotate_by", x=x)
    wide, cosines, sines = as_floats("rotate_by", x=rows, cos=cos, sin=sin)
    bind_shapes("rotate_by", x=(wide, "T d"), cos=(cosines, "T n"), sin=(sines, "T n"))
    _cover("rotate_by", "cos", cosines.shape[:-1], wide)
    _cover("rotate_by", "sin", sines.shape[:-1], wide)
    n_pairs = cosines.shape[-1]
    if 2 * n_pairs > wide.shape[-1]:
        raise ShapeError(
            f"rotate_by: `cos` needs at most d/2 angles for d={wide.shape[-1]}; "
            f"got {cosines.shape}"
        )
    turned = wide.copy()
    first, second = _pairs(wide, n_pairs, pairing)
    turned_first, turned_second = _pairs(turned, n_pairs, pairing)
    turned_first[...] = first * cosines - second * sines
    turned_second[...] = first * sines + second * cosines
    return turned.astype(rows.dtype, copy=False)


def _cover(operation: str, name: str, shape: tuple[int, ...], rows: FloatArray) -> None:
    """Refuse positions that leave open which axis of the rows they belong to."""
    wanted = rows.shape[:-1]
    fits = (
        len(shape) in (1, len(wanted))
        and shape[-1] == wanted[-1]
        and all(
            size in (1, full)
            for size, full in zip(shape, wanted[-len(shape) :], strict=True)
        )
    )
    if not fits:
        raise ShapeError(
            f"{operation}: `{name}` needs one entry a row, of shape ({wanted[-1]},) or "
            f"with every leading axis (head axis too) of {wanted}; got {shape}"
        )


def _pairs(
    x: FloatArray, n_pairs: int, pairing: Pairing
) -> tuple[FloatArray, FloatArray]:
    """View the first and the second feature of each pair."""
    choice("rotate_by", "pairing", pairing, ("interleaved", "half"))
    if pairing == "interleaved":
        return x[..., 0 : 2 * n_pairs : 2], x[..., 1 : 2 * n_pairs : 2]
    return x[..., :n_pairs], x[..., n_pairs : 2 * n_pairs]
