"""Gradients of softmax and of attention, stage by stage."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    FloatArray,
    count,
    expect,
    float_views,
    read_only,
)
from attnviz.core.attention._products import mix_visible
from attnviz.core.attention.scaled_dot_product import AttentionTrace
from attnviz.core.errors import ShapeError
from attnviz.core.gradients._own import refuse_others
from attnviz.core.gradients._upstream import bind_upstream, sum_to_shape


@dataclass(frozen=True, slots=True, repr=False)
class AttentionGradients(Record):
    """Gradient of every stage of an attention; all arrays are read-only.

    Each field belongs to the field of `AttentionTrace` that has its name. What is
    hidden has the gradient 0.

    Attributes
    ----------
    q : FloatArray of shape (..., T_q, d_k), or None
        Of the queries. None where another rule than the dot product gave the scores:
        what is known ends at `raw_scores`.
    k : FloatArray of shape (..., T_k, d_k), or None
        Of the keys, likewise.
    v : FloatArray of shape (..., T_k, d_v)
        Of the values.
    bias : FloatArray of the shape of the bias, or None
        Of the bias, if there was one.
    raw_scores : FloatArray of shape (..., T_q, T_k)
        Of the dot products.
    scores : FloatArray of shape (..., T_q, T_k)
        Of the scaled, soft-capped and biased scores.
    masked_scores : FloatArray of shape (..., T_q, T_k)
        Of what the softmax takes.
    weights : FloatArray of shape (..., T_q, T_k)
        Of what the softmax gives.

    Examples
    --------
    >>> from attnviz.core import attend
    >>> trace = attend([[0.0]], [[1.0], [2.0]], [[0.0], [4.0]])
    >>> attend_backward([[1.0]], trace=trace).scores
    array([[-1.,  1.]])
    """

    q: FloatArray | None
    k: FloatArray | None
    v: FloatArray
    bias: FloatArray | None
    raw_scores: FloatArray
    scores: FloatArray
    masked_scores: FloatArray
    weights: FloatArray


def softmax_backward(
    d_weights: npt.ArrayLike, *, weights: npt.ArrayLike, axis: int = -1
) -> FloatArray:
    r"""Carry a gradient back through a softmax.

    Parameters
    ----------
    d_weights : array_like of the shape of weights
        Gradient with respect to the weights.
    weights : array_like of shape (..., n)
        What the softmax gave.
    axis : int, default=-1
        Axis along which the weights sum to one.

    Returns
    -------
    d_scores : FloatArray of the shape of weights
        Gradient with respect to the scores. Where a weight is 0 it is 0, whatever
        `d_weights` holds there, NaN included.

    Raises
    ------
    ShapeError
        If the shapes differ, or there is no such axis.
    ValueError
        If `axis` is not a whole number.

    Notes
    -----
    .. math:: ds_j = a_j \Bigl(da_j - \sum_{j'} a_{j'}\, da_{j'}\Bigr)

    which is the product with the Jacobian diag(a) − a aᵀ.

    References
    ----------
    .. [1] Course chapter, formula F3, differentiated.

    Examples
    --------
    >>> softmax_backward([1.0, 0.0], weights=[0.5, 0.5])
    array([ 0.25, -0.25])
    """
    (shares,) = float_views("softmax_backward", weights=weights)
    upstream = bind_upstream("softmax_backward", "d_weights", d_weights, shares)
    along = count("softmax_backward", "axis", axis, least=None)
    if not -shares.ndim <= along < shares.ndim:
        raise ShapeError(
            f"softmax_backward: `axis` needs one of the axes of `weights`; got {axis} "
            f"for shape {shares.shape}"
        )
    reached = np.where(shares == 0, 0, upstream)
    with np.errstate(invalid="ignore", over="ignore"):
        mean = (shares * reached).sum(axis=along, keepdims=True)
        d_scores: FloatArray = shares * (reached - mean)
    return d_scores.astype(shares.dtype, copy=False)


def attend_backward(
    d_context: npt.ArrayLike,
    *,
    trace: AttentionTrace,
    q: npt.ArrayLike | None = None,
    k: npt.ArrayLike | None = None,
    v: npt.ArrayLike | None = None,
) -> AttentionGradients:
    r"""Carry a gradient back from the context to queries, keys and values.

    Parameters
    ----------
    d_context : array_like of shape (..., T_q, d_v)
        Gradient with respect to the context.
    trace : AttentionTrace
        What `attend` returned.
    q, k, v : array_like, optional
        Queries, keys and values of the trace, and no others.

    Returns
    -------
    gradients : AttentionGradients
        Gradients of the arguments and of the stages, in the dtype of the trace.

    Raises
    ------
    ShapeError
        If an argument has not the shape it had in the forward pass.
    ValueError
        If an argument is not the trace's own.

    Notes
    -----
    .. math:: dV = A^\top dC, \quad dA = dC\, V^\top, \quad
              dS = A \odot (dA - \mathrm{rowsum}(A \odot dA)), \quad
              dQ = dS\, K / \sqrt{d_k}, \quad dK = dS^\top Q / \sqrt{d_k}

    Soft-cap, temperature and dropout add one factor each. An argument that was
    repeated along leading axes gets the sum over its uses.

    References
    ----------
    .. [1] Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with
       IO-Awareness", 2022, appendix B.2.
    .. [2] Course chapter, formula F3, differentiated.

    Examples
    --------
    >>> from attnviz.core import attend
    >>> trace = attend([[0.0]], [[1.0], [2.0]], [[0.0], [4.0]])
    >>> gradients = attend_backward([[1.0]], trace=trace)
    >>> gradients.q, gradients.v
    (array([[1.]]), array([[0.5],
           [0.5]]))
    """
    expect("attend_backward", "trace", trace, AttentionTrace)
    upstream = bind_upstream("attend_backward", "d_context", d_context, trace.context)
    for name, given in {"q": q, "k": k, "v": v}.items():
        refuse_others("attend_backward", name, given, getattr(trace, name))
    queries, keys, values = (
        array.astype(upstream.dtype) for array in (trace.q, trace.k, trace.v)
    )
    seen, seen_by = trace.visible, np.swapaxes(trace.visible, -1, -2)
    weights = trace.weights.astype(upstream.dtype)
    kept = 1.0 if trace.dropout is None else trace.dropout
    with np.errstate(invalid="ignore", over="ignore"):
        d_mixed = upstream @ np.swapaxes(values, -1, -2) * kept
        # Values may have leading axes that the weights lack.
        d_weights = sum_to_shape(np.where(seen, d_mixed, 0), weights.shape)
        d_masked = softmax_backward(d_weights, weights=weights)
        d_scores = d_masked / trace.temperature
        d_raw = np.where(seen, d_scores * _slope(trace, queries, keys), 0)
        d_q = sum_to_shape(mix_visible(d_raw, keys, seen), queries.shape)
        d_raw_by_key = np.swapaxes(d_raw, -1, -2)
        d_k = sum_to_shape(mix_visible(d_raw_by_key, queries, seen_by), keys.shape)
        d_v = mix_visible(np.swapaxes(weights * kept, -1, -2), upstream, seen_by)
    dtype = trace.context.dtype
    is_dot = trace.score is None
    stages = {
        "v": sum_to_shape(d_v, values.shape),
        "raw_scores": d_raw,
        "scores": d_scores,
        "masked_scores": d_masked,
        "weights": d_weights,
    }
    bias = None
    if trace.bias is not None:
        bias = read_only(sum_to_shape(d_scores, trace.bias.shape))
    return AttentionGradients(
        q=read_only(d_q.astype(dtype)) if is_dot else None,
        k=read_only(d_k.astype(dtype)) if is_dot else None,
        bias=bias,
        **{name: read_only(stage.astype(dtype)) for name, stage in stages.items()},
    )


def _slope(trace: AttentionTrace, q: FloatArray, k: FloatArray) -> FloatArray | float:
    """Differentiate scaled and soft-capped scores by the raw ones."""
    if trace.softcap is None:
        return trace.scale
    raw = trace.raw_scores
    if raw.dtype != q.dtype and trace.score is None:
        # Rounded to half precision they may be ∞.
        raw = q @ np.swapaxes(k, -1, -2)
    bent = np.tanh(raw * (trace.scale / trace.softcap))
    slope: FloatArray = trace.scale * (1 - np.square(bent))
    return slope
