"""A multi-head layer for speed: one fused projection, and only the output kept."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    as_mask,
    bind_shapes,
    expect,
    finite,
    float_views,
    read_only,
)
from attnviz.core.attention._products import mix_visible
from attnviz.core.attention._settings import Settings
from attnviz.core.attention._turning import Turn, apply_turn
from attnviz.core.attention._visibility import (
    cover_scores,
    first_position,
    reach_of,
    refuse_empty_rows,
)
from attnviz.core.attention.heads import share_heads
from attnviz.core.attention.multi_head import MultiHeadParameters
from attnviz.core.fast._scores import Scores, scores_of
from attnviz.core.fast._tiles import attend_in_tiles
from attnviz.core.fast._visibility import Visibility

_OPERATION = "fast_multi_head_attend"
# Up to so many scores, going through tiles costs more than it saves.
_FEW_SCORES = 1 << 13


@dataclass(frozen=True, slots=True, repr=False)
class FusedParameters(Record):
    """The matrices of a multi-head layer, side by side; all arrays are read-only.

    Attributes
    ----------
    w_qkv : FloatArray of shape (d, H·d_k + H_kv·d_k + H_kv·d_v)
        Projections of all queries, times 1/√d_k, then of all keys, then of all values;
        float32 at least.
    b_qkv : FloatArray of shape (H·d_k + H_kv·d_k + H_kv·d_v,), or None
        Their biases.
    w_o : FloatArray of shape (H·d_v, d)
        Output projection.
    b_o : FloatArray of shape (d,), or None
        Its bias.
    n_heads, n_kv_heads : int
        Number of query heads, and of key–value heads.
    d_k : int
        Width of a query or key.
    """

    w_qkv: FloatArray
    b_qkv: FloatArray | None
    w_o: FloatArray
    b_o: FloatArray | None
    n_heads: int
    n_kv_heads: int
    d_k: int


def fuse_parameters(parameters: MultiHeadParameters) -> FusedParameters:
    """Lay the projections of a layer side by side, once for many calls.

    Parameters
    ----------
    parameters : MultiHeadParameters
        The projections head by head.

    Returns
    -------
    fused : FusedParameters
        Copies of the same numbers, with the scale of the scores in the queries.

    Examples
    --------
    >>> eye = np.eye(2)[None]
    >>> layer = MultiHeadParameters(w_q=eye, w_k=eye, w_v=eye, w_o=np.eye(2))
    >>> fuse_parameters(layer).w_qkv.shape
    (2, 6)
    """
    expect("fuse_parameters", "parameters", parameters, MultiHeadParameters)
    p = parameters
    weights = [_side_by_side(w) for w in (p.w_q, p.w_k, p.w_v)]
    biases = [
        np.zeros(w.shape[-1], w.dtype) if b is None else b.reshape(-1)
        for w, b in zip(weights, (p.b_q, p.b_k, p.b_v), strict=True)
    ]
    has_bias = any(b is not None for b in (p.b_q, p.b_k, p.b_v))
    d_k = p.w_q.shape[-1]
    # Half precision would lose small weights in the division.
    wide = np.promote_types(p.w_q.dtype, np.float32)
    weights[0], biases[0] = (
        array.astype(wide, copy=False) / math.sqrt(d_k)
        for array in (weights[0], biases[0])
    )
    return FusedParameters(
        w_qkv=read_only(np.concatenate(weights, axis=-1)),
        b_qkv=read_only(np.concatenate(biases)) if has_bias else None,
        w_o=read_only(p.w_o.copy()),
        b_o=None if p.b_o is None else read_only(p.b_o.copy()),
        n_heads=p.n_heads,
        n_kv_heads=p.n_kv_heads,
        d_k=d_k,
    )


# A position that holds NaN or ±∞ spoils its own row alone, and no warning is due.
@np.errstate(invalid="ignore", over="ignore")
def fast_multi_head_attend(
    x: npt.ArrayLike,
    *,
    parameters: FusedParameters,
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
    turn: Turn | None = None,
) -> FloatArray:
    """Self-attend with several heads, fast, and keep nothing but the output.

    `multi_head_attend` shows every number; this one is for many or long sequences.

    Parameters
    ----------
    x : array_like of shape (..., T, d)
        Inputs.
    parameters : FusedParameters
        The projections, from `fuse_parameters`.
    visible : BoolArray of shape (..., H, T, T), optional
        As in `multi_head_attend`.
    causal, left, right, offset : optional
        As in `attend`.
    query_valid : BoolArray of shape (..., T), optional
        False where a position is padding as a query; all heads share it.
    bias, scale, softcap, temperature, dropout, turn : optional
        As in `multi_head_attend`.

    Returns
    -------
    output : FloatArray of shape (..., T, d)
        What `multi_head_attend` returns as output, to rounding.

    Raises
    ------
    ShapeError
        If the input does not fit the parameters.
    MaskError
        If a mask is not boolean or leaves its axes to be guessed.
    EmptyRowError
        If a query that is valid may see no key.
    ValueError
        If a number is out of its range.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.
    .. [2] Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with
       IO-Awareness", 2022.

    Examples
    --------
    >>> eye = np.eye(2)[None]
    >>> layer = MultiHeadParameters(w_q=eye, w_k=eye, w_v=eye, w_o=np.eye(2))
    >>> fast_multi_head_attend(np.eye(2), parameters=fuse_parameters(layer)).round(4)
    array([[0.6698, 0.3302],
           [0.3302, 0.6698]])
    """
    expect(_OPERATION, "parameters", parameters, FusedParameters)
    (array,) = float_views(_OPERATION, x=x)
    if array.ndim < 2 or array.shape[-1] != parameters.w_qkv.shape[0]:
        bind_shapes(_OPERATION, w_qkv=(parameters.w_qkv, "d width"), x=(array, "T d"))
    dtype = np.result_type(array, parameters.w_o)
    wide = array.astype(np.promote_types(dtype, np.float32), copy=False)
    q, k, v = _project(wide, parameters, turn)
    table = (*q.shape[:-1], q.shape[-2])
    # The queries have 1/√d_k already.
    factor = 1.0
    if scale is not None:
        factor = finite(_OPERATION, "scale", scale) * math.sqrt(parameters.d_k)
    settings = Settings.checked(
        _OPERATION, q, scale=factor, softcap=softcap, temperature=temperature
    )
    scores = scores_of(_OPERATION, settings, bias, dropout, table, q.dtype)
    if visible is not None:
        visible = cover_scores(_OPERATION, "visible", visible, table)
    if query_valid is not None:
        query_valid = _for_all_heads(query_valid, array.ndim, table[:-1])
    before, after = reach_of(_OPERATION, causal=causal, left=left, right=right)
    first = first_position(_OPERATION, table[-2], table[-1], offset)
    visibility = Visibility(first, before, after, visible)
    joined = _attend_and_join(q, k, v, scores, visibility, query_valid)
    output = _times(joined, parameters.w_o, parameters.b_o)
    return output.astype(dtype, copy=False)


def _for_all_heads(
    query_valid: BoolArray, n_axes: int, shape: tuple[int, ...]
) -> BoolArray:
    """Give the validity of positions the axis of the heads, if it has more than one."""
    mask = as_mask(_OPERATION, "query_valid", query_valid)
    if 1 < mask.ndim == n_axes - 1:
        mask = mask[..., None, :]
    return cover_scores(_OPERATION, "query_valid", mask, shape)


def _attend_and_join(
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    scores: Scores,
    visibility: Visibility,
    query_valid: BoolArray | None,
) -> FloatArray:
    """Put the contexts of all heads side by side, as (..., T, H·d_v)."""
    *leading, n_heads, length, _ = q.shape
    n_scores = math.prod(q.shape[:-1]) * length
    joined = np.empty((*leading, length, n_heads, v.shape[-1]), q.dtype)
    out = np.swapaxes(joined, -2, -3)
    if scores.is_plain and scores.dropout is None and 0 < n_scores <= _FEW_SCORES:
        factor = scores.settings.scale / scores.settings.temperature
        asking = q if factor == 1 else q * factor
        out[...] = _attend_at_once(asking, k, v, visibility, query_valid)
    else:
        attend_in_tiles(
            _OPERATION,
            q,
            k,
            v,
            scores=scores,
            visibility=visibility,
            query_valid=query_valid,
            out=out,
        )
    return joined.reshape(*leading, length, n_heads * v.shape[-1])


def _attend_at_once(
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    visibility: Visibility,
    query_valid: BoolArray | None,
) -> FloatArray:
    """Attend with the whole table: for few scores, tiles cost more than they save."""
    whole = slice(0, q.shape[-2])
    visible = visibility.tile(whole, whole)
    scores = q @ np.swapaxes(k, -1, -2)
    if visible is not None:
        np.copyto(scores, -np.inf, where=~visible)
    row_max = np.maximum.reduce(scores, axis=-1, keepdims=True)
    scores -= row_max
    weights = np.exp(scores, out=scores)
    weights /= np.add.reduce(weights, axis=-1, keepdims=True)
    context = weights @ v if visible is None else mix_visible(weights, v, visible)
    if np.fmin.reduce(row_max, axis=None) == -np.inf:
        empty: BoolArray = row_max[..., 0] == -np.inf
        if query_valid is not None:
            empty &= query_valid
        refuse_empty_rows(_OPERATION, empty)
    if query_valid is not None:
        context[~query_valid] = 0
    return context


def _side_by_side(w: FloatArray) -> FloatArray:
    return np.swapaxes(w, 0, 1).reshape(w.shape[1], -1)


def _times(x: FloatArray, w: FloatArray, b: FloatArray | None) -> FloatArray:
    """Multiply all positions by a matrix at once, whatever the leading axes."""
    product = (x.reshape(-1, x.shape[-1]) @ w).reshape(*x.shape[:-1], w.shape[-1])
    if b is not None:
        product += b
    return product


def _project(
    x: FloatArray, p: FusedParameters, turn: Turn | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Make queries, keys and values of all heads; none is copied unless shared."""
    projected = _times(x, p.w_qkv, p.b_qkv)
    keys, values = p.n_heads * p.d_k, (p.n_heads + p.n_kv_heads) * p.d_k
    q = _cut_heads(projected[..., :keys], p.n_heads)
    k = _cut_heads(projected[..., keys:values], p.n_kv_heads)
    v = _cut_heads(projected[..., values:], p.n_kv_heads)
    if turn is not None:
        root = math.sqrt(p.d_k)
        q = apply_turn(_OPERATION, turn, q * root) / root
        k = apply_turn(_OPERATION, turn, k)
    if p.n_heads != p.n_kv_heads:
        k, v = share_heads(k, p.n_heads), share_heads(v, p.n_heads)
    return q, k, v


def _cut_heads(x: FloatArray, n_heads: int) -> FloatArray:
    return np.swapaxes(
        x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads), -2, -3
    )
