"""Several attention heads side by side, joined by an output projection."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
import numpy.typing as npt

from attnviz.core.attention import AttentionTrace, attend, stack_heads
from attnviz.core.errors import ShapeError
from attnviz.core.shapes import (
    BoolArray,
    FloatArray,
    as_floats,
    as_mask,
    bind_shapes,
    count,
    float_views,
    read_only,
)

FusedLayout = Literal["blocks", "per_head"]


@dataclass(frozen=True, slots=True)
class MultiHeadParameters:
    """The learned matrices of a multi-head layer; all arrays are read-only copies.

    Fewer heads in `w_k` and `w_v` than in `w_q` make it grouped-query attention:
    query heads share key–value heads in order, 0, 0, 1, 1, ….

    Attributes
    ----------
    w_q : FloatArray of shape (H, d, d_k)
        Query projection of each head.
    w_k : FloatArray of shape (H_kv, d, d_k)
        Key projection of each key–value head.
    w_v : FloatArray of shape (H_kv, d, d_v)
        Value projection of each key–value head.
    w_o : FloatArray of shape (H·d_v, d)
        Output projection of the joined heads.
    b_q : FloatArray of shape (H, d_k), or None
        Bias of the query projection.
    b_k : FloatArray of shape (H_kv, d_k), or None
        Bias of the key projection.
    b_v : FloatArray of shape (H_kv, d_v), or None
        Bias of the value projection.
    b_o : FloatArray of shape (d,), or None
        Bias of the output projection.
    """

    w_q: FloatArray
    w_k: FloatArray
    w_v: FloatArray
    w_o: FloatArray
    b_q: FloatArray | None = None
    b_k: FloatArray | None = None
    b_v: FloatArray | None = None
    b_o: FloatArray | None = None

    def __post_init__(self) -> None:
        """Keep copies of one floating type, and check their sizes.

        Raises
        ------
        ShapeError
            If two matrices disagree, or heads cannot be shared evenly.
        """
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        present = {name: value for name, value in given.items() if value is not None}
        copies = as_floats("MultiHeadParameters", **present)
        for name, array in zip(present, copies, strict=True):
            object.__setattr__(self, name, read_only(array))
        for name in ("w_q", "w_k", "w_v"):
            if getattr(self, name).ndim != 3 or 0 in getattr(self, name).shape:
                raise ShapeError(
                    f"MultiHeadParameters: `{name}` needs shape (H, d, d_k or d_v), "
                    f"each at least 1; got {getattr(self, name).shape}"
                )
        bind_shapes(
            "MultiHeadParameters",
            w_q=(self.w_q[0], "d d_k"),
            w_k=(self.w_k[0], "d d_k"),
            w_v=(self.w_v[0], "d d_v"),
        )
        heads, shared = self.n_heads, self.n_kv_heads
        if heads % shared or self.w_v.shape[0] != shared:
            raise ShapeError(
                "MultiHeadParameters: `w_k` and `w_v` need one number of heads that "
                f"divides H={heads}; got {shared} and {self.w_v.shape[0]}"
            )
        _, d_model, d_k = self.w_q.shape
        d_v = self.w_v.shape[-1]
        wanted = {
            "w_o": (heads * d_v, d_model),
            "b_q": (heads, d_k),
            "b_k": (shared, d_k),
            "b_v": (shared, d_v),
            "b_o": (d_model,),
        }
        for name, shape in wanted.items():
            array = getattr(self, name)
            if array is not None and array.shape != shape:
                raise ShapeError(
                    f"MultiHeadParameters: `{name}` needs shape {shape} for "
                    f"H={heads}, d={d_model}, d_k={d_k}, d_v={d_v}; got {array.shape}"
                )

    @property
    def n_heads(self) -> int:
        """Number of query heads."""
        return int(self.w_q.shape[0])

    @property
    def n_kv_heads(self) -> int:
        """Number of key–value heads."""
        return int(self.w_k.shape[0])


@dataclass(frozen=True, slots=True)
class MultiHeadTrace:
    """Every stage of a multi-head layer; all arrays are read-only.

    Attributes
    ----------
    q : FloatArray of shape (..., H, T_q, d_k)
        Queries of each head.
    k : FloatArray of shape (..., H_kv, T_k, d_k)
        Keys of each key–value head.
    v : FloatArray of shape (..., H_kv, T_k, d_v)
        Values of each key–value head.
    attention : AttentionTrace
        Stages of all heads, of shape (..., H, T_q, T_k).
    joined : FloatArray of shape (..., T_q, H·d_v)
        Contexts of the heads side by side.
    output : FloatArray of shape (..., T_q, d)
        Joined contexts times w_o.
    """

    q: FloatArray
    k: FloatArray
    v: FloatArray
    attention: AttentionTrace
    joined: FloatArray
    output: FloatArray


def multi_head_attend(
    x_q: npt.ArrayLike,
    x_k: npt.ArrayLike | None = None,
    x_v: npt.ArrayLike | None = None,
    *,
    parameters: MultiHeadParameters,
    visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    bias: npt.ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    temperature: float = 1.0,
    dropout: npt.ArrayLike | None = None,
    turn: Callable[[FloatArray], FloatArray] | None = None,
) -> MultiHeadTrace:
    r"""Attend with several heads at once and project what they found.

    Parameters
    ----------
    x_q : array_like of shape (..., T_q, d)
        Inputs that ask.
    x_k : array_like of shape (..., T_k, d), optional
        Inputs that are asked; `x_q` (self-attention) if left out.
    x_v : array_like of shape (..., T_k, d), optional
        Inputs whose values are mixed; `x_k` if left out.
    parameters : MultiHeadParameters
        The projections.
    visible : BoolArray of shape (..., H, T_q, T_k), optional
        As in `attend`: (T_q, T_k) for all, or every axis, that of the heads too.
    query_valid : BoolArray of shape (..., T_q), optional
        False where a query is padding; all heads share it.
    bias : array_like of shape (..., H, T_q, T_k), optional
        As in `attend`.
    scale, softcap, temperature, dropout : optional
        As in `attend`.
    turn : callable, optional
        Applied to queries and keys of shape (..., H, T, d_k) before they meet, such
        as a rotary position encoding.

    Returns
    -------
    trace : MultiHeadTrace
        Projections, all attention stages, joined contexts and output.

    Raises
    ------
    ShapeError
        If an input does not fit the parameters.
    MaskError
        As in `attend`.
    EmptyRowError
        As in `attend`.
    ValueError
        As in `attend`.

    Notes
    -----
    .. math:: \mathrm{MHA}(X) = [\mathrm{head}_1, …, \mathrm{head}_H]\, W_O

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.
    .. [2] Course chapter, formulas F7 and F8.

    Examples
    --------
    >>> eye = np.eye(2)[None]
    >>> layer = MultiHeadParameters(w_q=eye, w_k=eye, w_v=eye, w_o=np.eye(2))
    >>> multi_head_attend(np.eye(2), parameters=layer).output.round(4)
    array([[0.6698, 0.3302],
           [0.3302, 0.6698]])
    """
    p = parameters
    asking, asked, mixed = _inputs(x_q, x_k, x_v, p)
    q = project_heads(asking, p.w_q, p.b_q)
    k = project_heads(asked, p.w_k, p.b_k)
    v = project_heads(mixed, p.w_v, p.b_v)
    if turn is not None:
        q, k = turn(q), turn(k)
    valid = query_valid
    if valid is not None:
        valid = as_mask("multi_head_attend", "query_valid", valid)
        if 1 < valid.ndim == asking.ndim - 1:
            valid = valid[..., None, :]
    attention = attend(
        q,
        share_heads(k, p.n_heads),
        share_heads(v, p.n_heads),
        visible=visible,
        query_valid=valid,
        bias=bias,
        scale=scale,
        softcap=softcap,
        temperature=temperature,
        dropout=dropout,
    )
    return join_heads(q, k, v, attention, p)


def multi_head_attend_by_list(
    x_q: npt.ArrayLike,
    x_k: npt.ArrayLike | None = None,
    x_v: npt.ArrayLike | None = None,
    *,
    parameters: MultiHeadParameters,
    visible: BoolArray | None = None,
) -> MultiHeadTrace:
    """Attend head by head with two-dimensional products, then join the list.

    The slow form of `multi_head_attend`, as an article would write it: one loop over
    lists of matrices. It exists to be compared with.

    Parameters
    ----------
    x_q : array_like of shape (T_q, d)
        Inputs that ask.
    x_k, x_v : array_like of shape (T_k, d), optional
        As in `multi_head_attend`.
    parameters : MultiHeadParameters
        The projections.
    visible : BoolArray of shape (T_q, T_k), optional
        True where a query may see a key, for every head.

    Returns
    -------
    trace : MultiHeadTrace
        The same stages as `multi_head_attend`.

    Raises
    ------
    ShapeError
        If an input does not fit the parameters.
    MaskError
        As in `attend`.
    EmptyRowError
        As in `attend`.

    References
    ----------
    .. [1] E. Bendersky, "Notes on implementing Attention", 2025 (list form).
    """
    p = parameters
    asking, asked, mixed = _inputs(x_q, x_k, x_v, p)
    group = p.n_heads // p.n_kv_heads
    heads = [
        attend(
            _project_one(asking, p.w_q, p.b_q, head),
            _project_one(asked, p.w_k, p.b_k, head // group),
            _project_one(mixed, p.w_v, p.b_v, head // group),
            visible=visible,
        )
        for head in range(p.n_heads)
    ]
    attention = stack_heads(heads)
    joined = np.concatenate([head.context for head in heads], axis=-1)
    return MultiHeadTrace(
        q=attention.q,
        k=attention.k[..., ::group, :, :],
        v=attention.v[..., ::group, :, :],
        attention=attention,
        joined=read_only(joined),
        output=read_only(_project_output(joined, p)),
    )


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
    heads = _product(x[..., None, :, :], w)
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


def join_heads(
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    attention: AttentionTrace,
    parameters: MultiHeadParameters,
) -> MultiHeadTrace:
    """Put what the heads found side by side, and project it.

    Parameters
    ----------
    q : FloatArray of shape (..., H, T_q, d_k)
        Queries of each head.
    k : FloatArray of shape (..., H_kv, T_k, d_k)
        Keys of each key–value head.
    v : FloatArray of shape (..., H_kv, T_k, d_v)
        Values of each key–value head.
    attention : AttentionTrace
        What came of them, with stages of shape (..., H, T_q, T_k).
    parameters : MultiHeadParameters
        The projections.

    Returns
    -------
    trace : MultiHeadTrace
        The given stages, the joined contexts and the output, all read-only.
    """
    joined = merge_heads(attention.context)
    return MultiHeadTrace(
        q=read_only(q),
        k=read_only(k),
        v=read_only(v),
        attention=attention,
        joined=read_only(joined),
        output=read_only(_project_output(joined, parameters)),
    )


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
    """
    (array,) = as_floats("split_fused", qkv=qkv)
    heads = count("split_fused", "n_heads", n_heads, least=1)
    bind_shapes("split_fused", qkv=(array, "T width"))
    if array.shape[-1] % (3 * heads):
        raise ShapeError(
            f"split_fused: `qkv` needs a width that 3·H={3 * heads} divides; "
            f"got {array.shape}"
        )
    if layout == "blocks":
        q, k, v = np.split(array, 3, axis=-1)
        return split_heads(q, heads), split_heads(k, heads), split_heads(v, heads)
    if layout == "per_head":
        q, k, v = np.split(split_heads(array, heads), 3, axis=-1)
        return q, k, v
    raise ValueError(
        f"split_fused: `layout` needs 'blocks' or 'per_head'; got {layout!r}"
    )


def _inputs(
    x_q: npt.ArrayLike,
    x_k: npt.ArrayLike | None,
    x_v: npt.ArrayLike | None,
    parameters: MultiHeadParameters,
) -> tuple[FloatArray, ...]:
    """Fill in self-attention's missing inputs, and fit all to the parameters."""
    x_k = x_q if x_k is None else x_k
    arrays = as_floats(
        "multi_head_attend", x_q=x_q, x_k=x_k, x_v=x_k if x_v is None else x_v
    )
    asking, asked, mixed = arrays
    bind_shapes(
        "multi_head_attend",
        w_q=(parameters.w_q[0], "d d_k"),
        x_q=(asking, "T_q d"),
        x_k=(asked, "T_k d"),
        x_v=(mixed, "T_k d"),
    )
    return arrays


def _product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Multiply matrices; a row that holds NaN or ±∞ spoils its own row alone."""
    with np.errstate(invalid="ignore"):
        product: FloatArray = a @ b
    return product


def _project_one(
    x: FloatArray, w: FloatArray, b: FloatArray | None, head: int
) -> FloatArray:
    projected = _product(x, w[head])
    return projected if b is None else projected + b[head]


def _project_output(joined: FloatArray, p: MultiHeadParameters) -> FloatArray:
    output = _product(joined, p.w_o)
    return output if p.b_o is None else output + p.b_o
