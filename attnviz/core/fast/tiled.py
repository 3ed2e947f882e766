"""The same attention with less memory or less work, and only its result kept."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    bind_shapes,
    count,
    finite,
    float_views,
)
from attnviz.core.attention._visibility import cover_scores
from attnviz.core.attention.scaled_dot_product import default_scale
from attnviz.core.fast._tiles import attend_in_tiles
from attnviz.core.fast._visibility import Visibility


def tiled_attend(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    causal: bool = False,
    visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    scale: float | None = None,
) -> FloatArray:
    """Attend to all keys with memory that grows like T, not like T².

    Parameters
    ----------
    q : array_like of shape (..., T_q, d_k)
        Queries.
    k : array_like of shape (..., T_k, d_k)
        Keys.
    v : array_like of shape (..., T_k, d_v)
        Values.
    causal : bool, default=False
        Whether a query sees no key after its own position; the last query stands at
        the last key, as in `causal_mask`.
    visible : BoolArray of shape (..., T_q, T_k), optional
        As in `attend`; a mask of shape (..., 1, T_k) takes no T² memory either.
    query_valid : BoolArray of shape (..., T_q), optional
        False where a query is padding: its context is 0.
    scale : float, optional
        Factor of the dot products, 1/√d_k if left out.

    Returns
    -------
    context : FloatArray of shape (..., T_q, d_v)
        What `attend` returns as context, to rounding.

    Raises
    ------
    ShapeError
        If two arguments disagree about a dimension.
    MaskError
        If a mask is not boolean or leaves its axes to be guessed.
    EmptyRowError
        If a query that is valid may see no key.
    ValueError
        If `scale` is not finite.

    References
    ----------
    .. [1] Rabe and Staats, "Self-attention Does Not Need O(n²) Memory", 2021.
    .. [2] Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with
       IO-Awareness", 2022.

    Examples
    --------
    >>> tiled_attend([[1.0, 0.0]], np.eye(2), [[2.0, 0.0], [0.0, 4.0]]).round(4)
    array([[1.3395, 1.321 ]])
    """
    return _context(
        "tiled_attend",
        (q, k, v),
        right=0 if causal else None,
        visible=visible,
        query_valid=query_valid,
        scale=scale,
    )


def banded_attend(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    left: int | None,
    right: int | None,
    offset: int | None = None,
    visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    scale: float | None = None,
) -> FloatArray:
    """Attend to near keys only, with time and memory that grow like T·w.

    Parameters
    ----------
    q : array_like of shape (..., T_q, d_k)
        Queries.
    k : array_like of shape (..., T_k, d_k)
        Keys.
    v : array_like of shape (..., T_k, d_v)
        Values.
    left, right : int or None
        How many keys before and after its own position a query may see; None sets no
        limit on that side.
    offset : int, optional
        Position of the first query, as in `causal_mask`.
    visible : BoolArray of shape (..., T_q, T_k), optional
        Hides keys within the window too, as in `attend`; most often a padding mask of
        shape (..., 1, T_k).
    query_valid : BoolArray of shape (..., T_q), optional
        False where a query is padding: its context is 0.
    scale : float, optional
        Factor of the dot products, 1/√d_k if left out.

    Returns
    -------
    context : FloatArray of shape (..., T_q, d_v)
        What `attend` returns as context with `window_mask`, to rounding.

    Raises
    ------
    ShapeError
        If two arguments disagree about a dimension.
    MaskError
        If a mask is not boolean or leaves its axes to be guessed.
    EmptyRowError
        If a query that is valid may see no key.
    ValueError
        If a number is out of its range.

    References
    ----------
    .. [1] Beltagy, Peters and Cohan, "Longformer: The Long-Document Transformer",
       2020, section 3.1.
    .. [2] Course chapter, local attention (R133, R136).

    Examples
    --------
    >>> x = np.ones((4, 1))
    >>> banded_attend(x, x, [[1.0], [2.0], [3.0], [4.0]], left=1, right=0)
    array([[1. ],
           [1.5],
           [2.5],
           [3.5]])
    """
    return _context(
        "banded_attend",
        (q, k, v),
        left=None if left is None else count("banded_attend", "left", left),
        right=None if right is None else count("banded_attend", "right", right),
        offset=offset,
        visible=visible,
        query_valid=query_valid,
        scale=scale,
    )


def _context(
    operation: str,
    arrays: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
    *,
    left: int | None = None,
    right: int | None = None,
    offset: int | None = None,
    visible: BoolArray | None,
    query_valid: BoolArray | None,
    scale: float | None,
) -> FloatArray:
    """Check the arguments, spread the leading axes, and go through the tiles."""
    q, k, v = float_views(operation, q=arrays[0], k=arrays[1], v=arrays[2])
    sizes = bind_shapes(operation, q=(q, "T_q d_k"), k=(k, "T_k d_k"), v=(v, "T_k d_v"))
    first = sizes["T_k"] - sizes["T_q"]
    if offset is not None:
        first = count(operation, "offset", offset, least=None)
    wide = np.promote_types(q.dtype, np.float32)
    leading = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    table = (*leading, sizes["T_q"], sizes["T_k"])
    if visible is not None:
        visible = cover_scores(operation, "visible", visible, table)
    if query_valid is not None:
        query_valid = cover_scores(operation, "query_valid", query_valid, table[:-1])
    context = np.empty((*table[:-1], sizes["d_v"]), wide)
    attend_in_tiles(
        operation,
        *(_spread(array, leading).astype(wide, copy=False) for array in (q, k, v)),
        scale=finite(operation, "scale", default_scale(q) if scale is None else scale),
        visibility=Visibility(first, left, right, visible),
        query_valid=query_valid,
        out=context,
    )
    return context.astype(q.dtype, copy=False)


def _spread(array: FloatArray, leading: tuple[int, ...]) -> FloatArray:
    return np.broadcast_to(array, (*leading, *array.shape[-2:]))
