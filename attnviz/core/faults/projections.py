"""Mistakes in the projections around attention, and in joining the heads."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.heads import merge_heads, split_heads
from attnviz.core.attention.multi_head import MultiHeadTrace
from attnviz.core.attention.scaled_dot_product import attend


def projection_left_out(trace: MultiHeadTrace) -> FloatArray:
    """Return the joined heads without the output projection.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, H·d_v)
        [C₁ … C_H] instead of [C₁ … C_H]·W_O.
    """
    return trace.joined


def projection_transposed(trace: MultiHeadTrace) -> FloatArray | None:
    """Multiply by W_Oᵀ, as whoever takes over a stored matrix of PyTorch as it is.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d) or None
        None where W_O is not square.
    """
    w_o = trace.parameters.w_o
    return None if w_o.shape[0] != w_o.shape[1] else _finish(trace, trace.joined, w_o.T)


def heads_reversed(trace: MultiHeadTrace) -> FloatArray | None:
    """Join the heads in the reverse order.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d) or None
        Each head meets rows of W_O that are another's; None with one head.
    """
    if trace.parameters.n_heads == 1:
        return None
    return _finish(trace, merge_heads(trace.attention.context[..., ::-1, :, :]))


def features_interleaved(trace: MultiHeadTrace) -> FloatArray | None:
    """Join the first feature of every head, then the second of every head, and so on.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d) or None
        None where that is the right order too.
    """
    *leading, heads, length, width = trace.attention.context.shape
    if 1 in (heads, width):
        return None
    mixed = np.moveaxis(trace.attention.context, -3, -1)
    return _finish(trace, mixed.reshape(*leading, length, heads * width))


def heads_merged_by_reshape(trace: MultiHeadTrace) -> FloatArray | None:
    """Join the heads by a reshape alone, though they are not split so.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (H·T_q, d_v) after the leading axes, or None
        Contexts below each other, without the projection; None with one head.
    """
    *leading, heads, length, width = trace.attention.context.shape
    if heads == 1:
        return None
    return trace.attention.context.reshape(*leading, heads * length, width)


def heads_not_joined(trace: MultiHeadTrace) -> FloatArray:
    """Return the context of each head, neither joined nor projected.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., H, T_q, d_v)
        The contexts.
    """
    return trace.attention.context


def contexts_averaged(trace: MultiHeadTrace) -> FloatArray | None:
    """Return the mean of the heads' contexts.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d_v) or None
        None with one head.
    """
    if trace.parameters.n_heads == 1:
        return None
    mean: FloatArray = trace.attention.context.mean(axis=-3)
    return mean


def outputs_averaged(trace: MultiHeadTrace) -> FloatArray | None:
    """Take the mean of what the heads add to the output instead of their sum.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d) or None
        Smaller by H, the bias apart; None with one head.
    """
    heads = trace.parameters.n_heads
    return None if heads == 1 else _finish(trace, trace.joined / heads)


def one_head_alone(trace: MultiHeadTrace) -> FloatArray | None:
    """Project the first head alone.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d) or None
        C₁ times its rows of W_O; None with one head.
    """
    if trace.parameters.n_heads == 1:
        return None
    width = trace.attention.context.shape[-1]
    first = np.arange(trace.joined.shape[-1]) < width
    return _finish(trace, np.where(first, trace.joined, 0))


def heads_not_split(trace: MultiHeadTrace) -> FloatArray | None:
    """Attend once over the whole width instead of once a head.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d) or None
        None with one head, with shared keys, or where heads see different things.
    """
    attention, visible = trace.attention, trace.attention.visible
    alike = (visible == visible[..., :1, :, :]).all()
    heads = trace.parameters.n_heads
    if heads == 1 or not alike or attention.bias is not None:
        return None
    seen = visible[..., 0, :, :]
    whole = attend(
        *(merge_heads(part) for part in (attention.q, attention.k, attention.v)),
        visible=seen,
        query_valid=np.any(seen, axis=-1, keepdims=True)[..., 0],
        softcap=attention.softcap,
    )
    return _finish(trace, whole.context)


def features_dealt_out(trace: MultiHeadTrace) -> FloatArray | None:
    """Deal the columns of the projections out to the heads one by one.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d) or None
        Head 1 gets columns 1, H + 1, 2H + 1, …; None with one head or shared keys.
    """
    heads = trace.parameters.n_heads
    if heads == 1 or trace.parameters.n_kv_heads != heads:
        return None
    return _attended(trace, [_dealt(part) for part in (trace.q, trace.k, trace.v)])


def projections_transposed(
    trace: MultiHeadTrace, *, all_of_them: bool = False
) -> FloatArray | None:
    """Multiply the inputs by the transposed matrices of all heads together.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.
    all_of_them : bool, default=False
        Whether W_O is transposed as well.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d) or None
        None unless all heads together are as wide as the model.
    """
    p, inputs = trace.parameters, (trace.x_q, trace.x_k, trace.x_v)
    projected = []
    for x, w, b in zip(
        inputs, (p.w_q, p.w_k, p.w_v), (p.b_q, p.b_k, p.b_v), strict=True
    ):
        heads, d_model, width = w.shape
        if x is None or heads * width != d_model:
            return None
        heads_of_x = split_heads(x @ merge_heads(w).T, heads)
        projected.append(heads_of_x if b is None else heads_of_x + b[:, None, :])
    if any(part.shape[-3] != p.n_heads for part in projected):
        return None
    w_o = p.w_o.T if all_of_them else p.w_o
    return None if w_o.shape != p.w_o.shape else _attended(trace, projected, w_o)


def bias_left_out(trace: MultiHeadTrace) -> FloatArray | None:
    """Leave out the bias of the output projection.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d) or None
        None where there is none.
    """
    if trace.parameters.b_o is None:
        return None
    product: FloatArray = trace.joined @ trace.parameters.w_o
    return product


def biases_left_out(trace: MultiHeadTrace) -> FloatArray | None:
    """Leave out the biases of queries, keys and values.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d) or None
        None where there is none, or with shared keys.
    """
    p = trace.parameters
    biases = p.b_q, p.b_k, p.b_v
    if all(b is None for b in biases) or p.n_kv_heads != p.n_heads:
        return None
    parts = [
        part if b is None else part - b[:, None, :]
        for part, b in zip((trace.q, trace.k, trace.v), biases, strict=True)
    ]
    return _attended(trace, parts)


def residual_added(trace: MultiHeadTrace) -> FloatArray:
    """Add the input to the output, as the layer around it does.

    Parameters
    ----------
    trace : MultiHeadTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T_q, d)
        X + MHA(X).
    """
    output: FloatArray = trace.x_q + trace.output
    return output


def _finish(
    trace: MultiHeadTrace, joined: FloatArray, w_o: FloatArray | None = None
) -> FloatArray:
    """Project joined heads, right or wrong."""
    p = trace.parameters
    output: FloatArray = joined @ (p.w_o if w_o is None else w_o)
    return output if p.b_o is None else output + p.b_o


def _dealt(heads: FloatArray) -> FloatArray:
    """Cut joined features into heads of every H-th one."""
    fused = merge_heads(heads)
    dealt = fused.reshape(*fused.shape[:-1], heads.shape[-1], heads.shape[-3])
    return np.moveaxis(dealt, -1, -3)


def _attended(
    trace: MultiHeadTrace, parts: list[FloatArray], w_o: FloatArray | None = None
) -> FloatArray:
    """Attend with other queries, keys and values as the trace does, and project."""
    attention, turn = trace.attention, trace.turn
    q, k, v = parts
    found = attend(
        q if turn is None else turn(q),
        k if turn is None else turn(k),
        v,
        visible=attention.visible,
        query_valid=np.any(attention.visible, axis=-1, keepdims=True)[..., 0],
        bias=attention.bias,
        scale=attention.scale,
        softcap=attention.softcap,
    )
    return _finish(trace, merge_heads(found.context), w_o)
