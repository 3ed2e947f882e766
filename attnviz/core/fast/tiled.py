"""The same attention with less memory or less work, and only its result kept."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, FloatArray, bind_shapes, float_views
from attnviz.core.attention._settings import Settings
from attnviz.core.attention._visibility import (
    cover_scores,
    first_position,
    reach_of,
)
from attnviz.core.attention.scaled_dot_product import Score
from attnviz.core.fast._scores import scores_of
from attnviz.core.fast._tiles import attend_in_tiles
from attnviz.core.fast._visibility import Visibility


def tiled_attend(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    visible: BoolArray | None = None,
    causal: bool = False,
    left: int | None = None,
    right: int | None = None,
    offset: int | None = None,
    query_valid: BoolArray | None = None,
    bias: npt.ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    temperature: float = 1.0,
    dropout: npt.ArrayLike | None = None,
    score: Score | None = None,
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
    visible : BoolArray of shape (..., T_q, T_k), optional
        As in `attend`; a mask of shape (..., 1, T_k) takes no T² memory either.
    causal, left, right, offset : optional
        As in `attend`. Keys out of reach take no time either.
    query_valid : BoolArray of shape (..., T_q), optional
        False where a query is padding: its context is 0.
    bias, scale, softcap, temperature, dropout : optional
        As in `attend`.
    score : None
        Tiles take dot products alone; `attend` takes other rules.

    Returns
    -------
    context : FloatArray of shape (..., T_q, d_v)
        What `attend` returns as context, to rounding.

    Raises
    ------
    ShapeError
        If two arguments disagree about a dimension.
    MaskError
        If a mask is not boolean, or a mask or a bias that hides keys leaves its axes to
        be guessed.
    EmptyRowError
        If a query that is valid may see no key.
    ValueError
        If a number is out of its range, or `score` is given.

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
        visible=visible,
        causal=causal,
        left=left,
        right=right,
        offset=offset,
        query_valid=query_valid,
        bias=bias,
        scale=scale,
        softcap=softcap,
        temperature=temperature,
        dropout=dropout,
        score=score,
    )


def banded_attend(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    visible: BoolArray | None = None,
    causal: bool = False,
    left: int | None,
    right: int | None,
    offset: int | None = None,
    query_valid: BoolArray | None = None,
    bias: npt.ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    temperature: float = 1.0,
    dropout: npt.ArrayLike | None = None,
    score: Score | None = None,
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
    visible : BoolArray of shape (..., T_q, T_k), optional
        Hides keys within the window too, as in `attend`; most often a padding mask of
        shape (..., 1, T_k).
    causal : bool, default=False
        As in `attend`; the same as ``right=0``.
    left, right : int or None
        How many keys before and after its own position a query may see; None sets no
        limit on that side.
    offset : int, optional
        As in `attend`.
    query_valid : BoolArray of shape (..., T_q), optional
        False where a query is padding: its context is 0.
    bias, scale, softcap, temperature, dropout : optional
        As in `attend`.
    score : None
        As in `tiled_attend`.

    Returns
    -------
    context : FloatArray of shape (..., T_q, d_v)
        What `attend` returns as context with the same window, to rounding.

    Raises
    ------
    ShapeError
        If two arguments disagree about a dimension.
    MaskError
        If a mask is not boolean, or a mask or a bias that hides keys leaves its axes to
        be guessed.
    EmptyRowError
        If a query that is valid may see no key.
    ValueError
        If a number is out of its range, or `score` is given.

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
        visible=visible,
        causal=causal,
        left=left,
        right=right,
        offset=offset,
        query_valid=query_valid,
        bias=bias,
        scale=scale,
        softcap=softcap,
        temperature=temperature,
        dropout=dropout,
        score=score,
    )


def _context(
    operation: str,
    arrays: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
    *,
    visible: BoolArray | None,
    causal: bool,
    left: int | None,
    right: int | None,
    offset: int | None,
    query_valid: BoolArray | None,
    bias: npt.ArrayLike | None,
    scale: float | None,
    softcap: float | None,
    temperature: float,
    dropout: npt.ArrayLike | None,
    score: Score | None,
) -> FloatArray:
    """Check the arguments, spread the leading axes, and go through the tiles.

    Raises
    ------
    ValueError
        If scores are asked for that are no dot products.
    """
    if score is not None:
        raise ValueError(
            f"{operation}: `score` needs None, because tiles take dot products alone; "
            f"`attend` takes {score!r}"
        )
    q, k, v = float_views(operation, q=arrays[0], k=arrays[1], v=arrays[2])
    sizes = bind_shapes(operation, q=(q, "T_q d_k"), k=(k, "T_k d_k"), v=(v, "T_k d_v"))
    settings = Settings.checked(
        operation, q, scale=scale, softcap=softcap, temperature=temperature
    )
    before, after = reach_of(operation, causal=causal, left=left, right=right)
    first = first_position(operation, sizes["T_q"], sizes["T_k"], offset)
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
        scores=scores_of(operation, settings, bias, dropout, table, wide),
        visibility=Visibility(first, before, after, visible),
        query_valid=query_valid,
        out=context,
    )
    return context.astype(q.dtype, copy=False)


def _spread(array: FloatArray, leading: tuple[int, ...]) -> FloatArray:
    return np.broadcast_to(array, (*leading, *array.shape[-2:]))
