"""Mistakes with positions: sines, rotations, slopes and a growing cache."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, as_floats, bind_shapes, count
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.errors import ShapeError
from attnviz.core.faults.fault import Outcome
from attnviz.core.positions.rotary import rotate
from attnviz.core.positions.sinusoidal import sinusoidal_positions


def sines_before_cosines(n_positions: int, d_model: int) -> FloatArray:
    """Order the same sines and cosines otherwise.

    Parameters
    ----------
    n_positions : int
        Number of positions.
    d_model : int
        Width.

    Returns
    -------
    table : FloatArray of shape (T, d)
        All sines, then all cosines.
    """
    return sinusoidal_positions(n_positions, d_model, order="concatenated")


def doubled_exponents(
    n_positions: int, d_model: int, *, base: float = 1e4
) -> FloatArray:
    """Use the feature's number where the pair's belongs.

    Parameters
    ----------
    n_positions : int
        Number of positions.
    d_model : int
        Width.
    base : float, default=1e4
        As in `sinusoidal_positions`.

    Returns
    -------
    table : FloatArray of shape (T, d)
        Sine and cosine of a pair at different rates, too slow from the second on.
    """
    features = np.arange(d_model)
    turned = np.arange(n_positions)[:, None] * base ** (-2.0 * features / d_model)
    return np.where(features % 2 == 0, np.sin(turned), np.cos(turned))


def rotated_by_halves(x: npt.ArrayLike, positions: npt.ArrayLike) -> FloatArray:
    """Pair features i and i + d/2 where neighbours were meant.

    Parameters
    ----------
    x : array_like of shape (..., T, d)
        Queries or keys.
    positions : array_like of int, shape (T,)
        Position of each row.

    Returns
    -------
    turned : FloatArray of shape (..., T, d)
        A proper rotation, but not that of the checkpoint.
    """
    return rotate(x, positions, pairing="half")


def mixed_pairings(
    x: npt.ArrayLike, positions: npt.ArrayLike, *, base: float = 1e4
) -> FloatArray:
    """Lay the angles out for halves, and turn neighbours.

    Parameters
    ----------
    x : array_like of shape (..., T, d)
        Queries or keys of an even width.
    positions : array_like of int, shape (T,)
        Position of each row.
    base : float, default=1e4
        As in `rotate`.

    Returns
    -------
    turned : FloatArray of shape (..., T, d)
        Rows whose length has changed.

    Raises
    ------
    ShapeError
        If the width is odd, or there is not one position for each row.
    """
    (rows,) = as_floats("mixed_pairings", x=x)
    length, width = bind_shapes("mixed_pairings", x=(rows, "T d")).values()
    if width % 2:
        raise ShapeError(
            f"mixed_pairings: `x` needs shape (..., T, d) with d even; got {rows.shape}"
        )
    if np.shape(positions) != (length,):
        raise ShapeError(
            f"mixed_pairings: `positions` needs shape (T,) with T={length}; "
            f"got {np.shape(positions)}"
        )
    rates = base ** (-np.arange(0, width, 2) / width)
    turned = np.tile(np.asarray(positions)[..., None] * rates, 2)
    neighbours = np.stack([-rows[..., 1::2], rows[..., 0::2]], axis=-1)
    mixed: FloatArray = rows * np.cos(turned)
    mixed += neighbours.reshape(rows.shape) * np.sin(turned)
    return mixed


def offset_forgotten(
    q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, *, base: float = 1e4
) -> Outcome:
    """Rotate the newest query as if it were the first.

    Parameters
    ----------
    q : array_like of shape (..., 1, d_k)
        The newest query, not rotated yet.
    k : array_like of shape (..., T_k, d_k)
        Keys of the cache and the newest, not rotated yet.
    v : array_like of shape (..., T_k, d_v)
        Their values.
    base : float, default=1e4
        As in `rotate`.

    Returns
    -------
    outcome : Outcome
        Far keys take the place of near ones.
    """
    keys = rotate(k, np.arange(np.shape(k)[-2]), base=base)
    trace = attend(rotate(q, [0], base=base), keys, v)
    return Outcome(trace.weights, trace.context)


def geometric_slopes(n_heads: int) -> FloatArray:
    """Take the one-line formula for any number of heads.

    Parameters
    ----------
    n_heads : int
        Number of heads.

    Returns
    -------
    slopes : FloatArray of shape (H,)
        Equal to the authors' only for a power of two.

    Raises
    ------
    ValueError
        If there is no head.
    """
    count("geometric_slopes", "n_heads", n_heads, least=1)
    return 2.0 ** (-8.0 * np.arange(1, n_heads + 1) / n_heads)


def slopes_from_zero(n_heads: int) -> FloatArray:
    """Start the exponents at 0.

    Parameters
    ----------
    n_heads : int
        Number of heads.

    Returns
    -------
    slopes : FloatArray of shape (H,)
        A first slope of 1.

    Raises
    ------
    ValueError
        If there is no head.
    """
    count("slopes_from_zero", "n_heads", n_heads, least=1)
    return 2.0 ** (-8.0 * np.arange(n_heads) / n_heads)
