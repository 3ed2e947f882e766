"""Heads: projected, cut out of joined features, put back, and shared."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    FloatArray,
    as_floats,
    bind_shapes,
    choice,
    count,
    float_views,
    quiet,
)
from attnviz.core.attention._products import multiply
from attnviz.core.errors import ShapeError

FusedLayout = Literal["blocks", "per_head"]


@quiet
def project_heads(
    x: FloatArray, w: FloatArray, b: FloatArray | None = None
) -> FloatArray:
    """Multiply inputs by the matrix of each head.

    Parameters
    ----------
    x : FloatArray of shape (..., T, d)
        Inputs.
    w : FloatArray of shape (H, d, n)
        One matrix a head.
    b : FloatArray of shape (H, n), optional
        One bias a head.

    Returns
    -------
    heads : FloatArray of shape (..., H, T, n)
        Projected inputs of each head.

    Raises
    ------
    ShapeError
        If the widths differ, or an array has another rank.
    """
    if w.ndim != 3:
        raise ShapeError(f"project_heads: `w` needs shape (H, d, n); got {w.shape}")
    bind_shapes("project_heads", w=(w[0], "d n"), x=(x, "T d"))
    if b is not None and b.shape != w.shape[::2]:
        raise ShapeError(
            f"project_heads: `b` needs shape (H, n) = {w.shape[::2]}; got {b.shape}"
        )
    heads = multiply(x[..., None, :, :], w)
    return heads if b is None else heads + b[:, None, :]


def split_heads(x: npt.ArrayLike, n_heads: int) -> FloatArray:
    """Cut the features into equal heads: reshape, then move the head axis forward.

    Parameters
    ----------
    x : array_like of shape (..., T, H·n)
        Features of all heads side by side.
    n_heads : int
        Number of heads.

    Returns
    -------
    heads : FloatArray of shape (..., H, T, n)
        Head h, row t is ``x[t, h·n:(h+1)·n]``.

    Raises
    ------
    ShapeError
        If the features cannot be cut into equal parts; nothing is rounded down.
    ValueError
        If the number of heads is not a whole number of at least 1.

    Examples
    --------
    >>> split_heads([[0, 1, 2, 3], [10, 11, 12, 13]], 2)[1]
    array([[ 2.,  3.],
           [12., 13.]])
    """
    (array,) = as_floats("split_heads", x=x)
    bind_shapes("split_heads", x=(array, "T d"))
    heads = count("split_heads", "n_heads", n_heads, least=1)
    if array.shape[-1] % heads:
        raise ShapeError(
            f"split_heads: `x` needs a width that H={heads} divides; got {array.shape}"
        )
    width = array.shape[-1] // heads
    return np.swapaxes(array.reshape(*array.shape[:-1], heads, width), -2, -3)


def merge_heads(x: npt.ArrayLike) -> FloatArray:
    """Put the features of all heads side by side again.

    Parameters
    ----------
    x : array_like of shape (..., H, T, n)
        Features of each head.

    Returns
    -------
    joined : FloatArray of shape (..., T, H·n)
        Row t holds head 1's features, then head 2's, and so on.

    Raises
    ------
    ShapeError
        If there is no head axis.

    Examples
    --------
    >>> merge_heads([[[0, 1]], [[2, 3]]])
    array([[0., 1., 2., 3.]])
    """
    (array,) = as_floats("merge_heads", x=x)
    bind_shapes("merge_heads", x=(array, "H T n"))
    *leading, heads, length, width = array.shape
    return np.swapaxes(array, -2, -3).reshape(*leading, length, heads * width)


def share_heads(x: npt.ArrayLike, n_heads: int) -> FloatArray:
    """Repeat each key–value head for the query heads that share it.

    Parameters
    ----------
    x : array_like of shape (..., H_kv, T, n)
        Keys or values.
    n_heads : int
        Number of query heads, a multiple of H_kv.

    Returns
    -------
    shared : FloatArray of shape (..., H, T, n)
        Heads in order 0, 0, 1, 1, ….

    Raises
    ------
    ShapeError
        If H_kv does not divide the number of query heads.
    ValueError
        If that is not a whole number of at least 1.

    References
    ----------
    .. [1] Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models
       from Multi-Head Checkpoints", 2023, section 2.2.
    """
    (array,) = float_views("share_heads", x=x)
    kv_heads = bind_shapes("share_heads", x=(array, "H_kv T n"))["H_kv"]
    heads = count("share_heads", "n_heads", n_heads, least=1)
    if kv_heads == heads:
        return array
    if kv_heads == 0 or heads % kv_heads:
        raise ShapeError(
            f"share_heads: `x` needs a number of heads that divides H={heads}; "
            f"got {array.shape}"
        )
    return np.repeat(array, heads // kv_heads, axis=-3)


def split_fused(
    qkv: npt.ArrayLike, n_heads: int, layout: FusedLayout = "blocks"
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Take queries, keys and values out of one fused projection.

    Parameters
    ----------
    qkv : array_like of shape (..., T, 3·H·n)
        Result of one product with a fused matrix.
    n_heads : int
        Number of heads.
    layout : {"blocks", "per_head"}, default="blocks"
        "blocks": all queries, then all keys, then all values; "per_head": query, key
        and value of head 1, then of head 2, and so on. Both have the same shape.

    Returns
    -------
    q, k, v : FloatArray of shape (..., H, T, n)
        The three parts of each head.

    Raises
    ------
    ShapeError
        If the width is not three equal parts of `n_heads` heads.
    ValueError
        If the layout has another name, or the number of heads is not a whole number of
        at least 1.

    References
    ----------
    .. [1] E. Bendersky, "Notes on implementing Attention", 2025 (vectorised form).

    Examples
    --------
    >>> q, k, v = split_fused([[1, 2, 3, 4, 5, 6]], n_heads=2)
    >>> q.tolist(), k.tolist(), v.tolist()
    ([[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]])
    >>> split_fused([[1, 2, 3, 4, 5, 6]], n_heads=2, layout="per_head")[0].tolist()
    [[[1.0]], [[4.0]]]
    """
    (array,) = as_floats("split_fused", qkv=qkv)
    heads = count("split_fused", "n_heads", n_heads, least=1)
    choice("split_fused", "layout", layout, ("blocks", "per_head"))
    bind_shapes("split_fused", qkv=(array, "T width"))
    if array.shape[-1] % (3 * heads):
        raise ShapeError(
            f"split_fused: `qkv` needs a width that 3·H={3 * heads} divides; "
            f"got {array.shape}"
        )
    if layout == "blocks":
        q, k, v = np.split(array, 3, axis=-1)
        return split_heads(q, heads), split_heads(k, heads), split_heads(v, heads)
    q, k, v = np.split(split_heads(array, heads), 3, axis=-1)
    return q, k, v
