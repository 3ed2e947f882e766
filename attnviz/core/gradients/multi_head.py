"""Gradients of a multi-head layer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray, float_views, read_only
from attnviz.core.attention.heads import split_heads
from attnviz.core.attention.multi_head import MultiHeadParameters, MultiHeadTrace
from attnviz.core.errors import ShapeError
from attnviz.core.gradients._upstream import bind_upstream, sum_to_shape
from attnviz.core.gradients.attention import AttentionGradients, attend_backward


@dataclass(frozen=True, slots=True, repr=False)
class MultiHeadGradients(Record):
    """Gradients of a multi-head layer; all arrays are read-only.

    Attributes
    ----------
    x_q : FloatArray of shape (..., T_q, d)
        Of the inputs that ask. An input that was left out stood for another one, whose
        gradient then holds its share too.
    x_k, x_v : FloatArray of shape (..., T_k, d), or None
        Of the inputs that are asked and mixed; None where they were left out.
    parameters : MultiHeadParameters
        Of the matrices and biases, each in its own place.
    attention : AttentionGradients
        Of every stage of the heads.
    """

    x_q: FloatArray
    x_k: FloatArray | None
    x_v: FloatArray | None
    parameters: MultiHeadParameters
    attention: AttentionGradients


def multi_head_backward(
    d_output: npt.ArrayLike,
    *,
    x_q: npt.ArrayLike,
    x_k: npt.ArrayLike | None = None,
    x_v: npt.ArrayLike | None = None,
    parameters: MultiHeadParameters,
    trace: MultiHeadTrace,
    turn_back: Callable[[FloatArray], FloatArray] | None = None,
) -> MultiHeadGradients:
    r"""Carry a gradient back from the output of a multi-head layer.

    Parameters
    ----------
    d_output : array_like of shape (..., T_q, d)
        Gradient with respect to the output.
    x_q : array_like of shape (..., T_q, d)
        Inputs that asked.
    x_k, x_v : array_like of shape (..., T_k, d), optional
        The other inputs, if they were given in the forward pass.
    parameters : MultiHeadParameters
        The projections.
    trace : MultiHeadTrace
        What `multi_head_attend` returned.
    turn_back : callable, optional
        Transpose of the `turn` of the forward pass; for a rotation, the rotation by
        the opposite angles.

    Returns
    -------
    gradients : MultiHeadGradients
        Gradients of inputs, parameters and stages.

    Raises
    ------
    ShapeError
        If an argument has not the shape it had in the forward pass.

    Notes
    -----
    A product Y = X W gives dX = dY Wᵀ and dW = Xᵀ dY. Heads that share keys and
    values add their gradients.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2,
       differentiated.
    """
    p, stages = parameters, trace.attention
    upstream = bind_upstream("multi_head_backward", "d_output", d_output, trace.output)
    d_joined = upstream @ p.w_o.T
    attention = attend_backward(
        split_heads(d_joined, p.n_heads),
        q=stages.q,
        k=stages.k,
        v=stages.v,
        trace=stages,
    )
    d_q, d_k = attention.q, _sum_groups(attention.k, p.n_kv_heads)
    if turn_back is not None:
        d_q, d_k = turn_back(d_q), turn_back(d_k)
    d_v = _sum_groups(attention.v, p.n_kv_heads)
    x_k_used = x_q if x_k is None else x_k
    asking = _project_backward(d_q, "x_q", x_q, p.w_q)
    asked = _project_backward(d_k, "x_k", x_k_used, p.w_k)
    mixed = _project_backward(d_v, "x_v", x_k_used if x_v is None else x_v, p.w_v)
    gradients = MultiHeadParameters(
        w_q=asking.w,
        w_k=asked.w,
        w_v=mixed.w,
        w_o=sum_to_shape(np.swapaxes(trace.joined, -1, -2) @ upstream, p.w_o.shape),
        b_q=None if p.b_q is None else asking.b,
        b_k=None if p.b_k is None else asked.b,
        b_v=None if p.b_v is None else mixed.b,
        b_o=None if p.b_o is None else sum_to_shape(upstream, p.b_o.shape),
    )
    d_x_q, d_x_k, d_x_v = _share_out(asking.x, asked.x, mixed.x, x_k, x_v)
    return MultiHeadGradients(d_x_q, d_x_k, d_x_v, gradients, attention)


class _Projected(NamedTuple):
    """Gradients of one projection: input, matrices, and what a bias would get."""

    x: FloatArray
    w: FloatArray
    b: FloatArray


def _project_backward(
    d_heads: FloatArray, name: str, x: npt.ArrayLike, w: FloatArray
) -> _Projected:
    """Go back from the heads to the input and the matrix of each head."""
    (rows,) = float_views("multi_head_backward", **{name: x})
    wanted = (*d_heads.shape[:-3], d_heads.shape[-2], w.shape[-2])
    if rows.shape != wanted:
        raise ShapeError(
            f"multi_head_backward: `{name}` needs the shape it had in the forward "
            f"pass, {wanted}; got {rows.shape}"
        )
    # A position that holds NaN or ±∞ counts only where it was seen, and there its
    # gradient is NaN already.
    rows = np.where(np.isfinite(rows), rows, 0)[..., None, :, :]
    return _Projected(
        x=(d_heads @ np.swapaxes(w, -1, -2)).sum(axis=-3),
        w=sum_to_shape(np.swapaxes(rows, -1, -2) @ d_heads, w.shape),
        b=sum_to_shape(d_heads.sum(axis=-2), (w.shape[0], w.shape[-1])),
    )


def _sum_groups(d_shared: FloatArray, n_kv_heads: int) -> FloatArray:
    """Add up the gradients of the query heads that share a key–value head."""
    *leading, n_heads, length, width = d_shared.shape
    groups = (*leading, n_kv_heads, n_heads // n_kv_heads, length, width)
    summed: FloatArray = d_shared.reshape(groups).sum(axis=-3)
    return summed


def _share_out(
    d_q: FloatArray,
    d_k: FloatArray,
    d_v: FloatArray,
    x_k: npt.ArrayLike | None,
    x_v: npt.ArrayLike | None,
) -> tuple[FloatArray, FloatArray | None, FloatArray | None]:
    """Give the share of an input that was left out to the one that stood for it."""
    if x_v is None:
        d_k = d_k + d_v
    if x_k is None:
        d_q = d_q + d_k
    return (
        read_only(d_q),
        None if x_k is None else read_only(d_k),
        None if x_v is None else read_only(d_v),
    )
