"""Mistakes with the axes of heads, samples and positions."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, as_floats, bind_shapes, count
from attnviz.core.attention.heads import merge_heads, split_heads
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.checks.case import AttentionCase
from attnviz.core.errors import ShapeError
from attnviz.core.faults.fault import Outcome


def split_without_transpose(x: npt.ArrayLike, n_heads: int) -> FloatArray:
    """Cut memory into heads by a reshape alone.

    Parameters
    ----------
    x : array_like of shape (..., T, H·n)
        Features of all heads side by side.
    n_heads : int
        Number of heads H.

    Returns
    -------
    heads : FloatArray of shape (..., H, T, n)
        The right shape, but whole positions fall into one head.

    Raises
    ------
    ShapeError
        If the heads do not share the width evenly.
    ValueError
        If there is no head.
    """
    (array,) = as_floats("split_without_transpose", x=x)
    bind_shapes("split_without_transpose", x=(array, "T d"))
    count("split_without_transpose", "n_heads", n_heads, least=1)
    *leading, length, width = array.shape
    if width % n_heads:
        raise ShapeError(
            "split_without_transpose: `x` needs shape (..., T, H·n) with "
            f"H={n_heads}; got {array.shape}"
        )
    return array.reshape(*leading, n_heads, length, width // n_heads)


def merge_without_transpose(x: npt.ArrayLike) -> FloatArray:
    """Join heads by a reshape alone.

    Parameters
    ----------
    x : array_like of shape (..., H, T, n)
        Features of each head.

    Returns
    -------
    joined : FloatArray of shape (..., T, H·n)
        The right shape, but a row holds several positions of one head.

    Raises
    ------
    ShapeError
        If there is no head axis.
    """
    (array,) = as_floats("merge_without_transpose", x=x)
    bind_shapes("merge_without_transpose", x=(array, "H T n"))
    *leading, heads, length, width = array.shape
    return array.reshape(*leading, length, heads * width)


def tile_heads(x: npt.ArrayLike, n_heads: int) -> FloatArray:
    """Repeat key–value heads in the order 0, 1, 0, 1 instead of 0, 0, 1, 1.

    Parameters
    ----------
    x : array_like of shape (..., H_kv, T, n)
        Keys or values.
    n_heads : int
        Number of query heads, a multiple of H_kv.

    Returns
    -------
    tiled : FloatArray of shape (..., H, T, n)
        Query heads meet the key–value heads of others.

    Raises
    ------
    ShapeError
        If there is no head axis, or no head on it.
    ValueError
        If the number of query heads is no multiple of the key–value heads.
    """
    (array,) = as_floats("tile_heads", x=x)
    shared = bind_shapes("tile_heads", x=(array, "H_kv T n"))["H_kv"]
    if shared == 0:
        raise ShapeError(f"tile_heads: `x` needs H_kv of at least 1; got {array.shape}")
    repeats, rest = divmod(count("tile_heads", "n_heads", n_heads, least=1), shared)
    if rest:
        raise ValueError(
            f"tile_heads: `n_heads` needs a multiple of H_kv={shared}; got {n_heads}"
        )
    return np.concatenate([array] * repeats, axis=-3)


def heads_split_wrongly(case: AttentionCase) -> Outcome | None:
    """Attend with heads that were split without transposing.

    Parameters
    ----------
    case : AttentionCase
        What is asked, with heads that are split rightly.

    Returns
    -------
    outcome : Outcome or None
        None without a head axis.
    """
    if case.visible.ndim < 3:
        return None
    q, k, v = (_resplit(case, part) for part in (case.q, case.k, case.v))
    trace = case.again(q=q, k=k, v=v)
    return Outcome(trace.weights, trace.context)


def heads_split_and_merged_wrongly(case: AttentionCase) -> Outcome | None:
    """Split without transposing, attend, and merge without transposing.

    Parameters
    ----------
    case : AttentionCase
        What is asked, with heads that are split rightly.

    Returns
    -------
    outcome : Outcome or None
        The context as its reader would split it; None without a head axis.
    """
    split = heads_split_wrongly(case)
    if split is None:
        return None
    return Outcome(split.weights, _remerge(split.context))


def heads_merged_wrongly(case: AttentionCase) -> Outcome | None:
    """Attend rightly, but join the heads without transposing.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        The context as its reader would split it; None without a head axis.
    """
    if case.visible.ndim < 3:
        return None
    return Outcome(case.answer.weights, _remerge(case.answer.context))


def shared_heads_tiled(case: AttentionCase) -> Outcome | None:
    """Pair grouped key–value heads with query heads in the wrong order.

    Parameters
    ----------
    case : AttentionCase
        What is asked, with key–value heads repeated for their group already.

    Returns
    -------
    outcome : Outcome or None
        None where the heads do not come in groups.
    """
    if case.visible.ndim < 3:
        return None
    n_heads = case.visible.shape[-3]
    for kv_heads in range(2, n_heads // 2 + 1):
        keys, values = _ungroup(case.k, kv_heads), _ungroup(case.v, kv_heads)
        if keys is not None and values is not None:
            k, v = tile_heads(keys, n_heads), tile_heads(values, n_heads)
            trace = case.again(k=k, v=v)
            return Outcome(trace.weights, trace.context)
    return None


def samples_as_positions(case: AttentionCase) -> Outcome | None:
    """Attend across the samples of a batch instead of across positions.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Weights with samples for queries and keys; None without a leading axis, with
        a mask, or where queries and keys differ in number.
    """
    plain = case.bias is None and case.visible.all()
    if case.visible.ndim < 3 or case.q.shape[-2] != case.k.shape[-2] or not plain:
        return None
    q, k, v = (_lead(case, part).swapaxes(0, -2) for part in (case.q, case.k, case.v))
    trace = attend(q, k, v, scale=case.scale, softcap=case.softcap)
    return Outcome(trace.weights, trace.context.swapaxes(0, -2))


def heads_averaged(case: AttentionCase) -> Outcome | None:
    """Return the mean of the heads' weights beside the right context.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Weights without a head axis; None if they had none or one head only.
    """
    if case.visible.ndim < 3 or case.visible.shape[-3] == 1:
        return None
    return Outcome(case.answer.weights.mean(axis=-3), case.answer.context)


def average_applied(case: AttentionCase) -> Outcome | None:
    """Apply the mean of the heads' weights to the values of every head.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Not the context of any layer; None without several heads.
    """
    shown = heads_averaged(case)
    if shown is None:
        return None
    weights = np.broadcast_to(shown.weights[..., None, :, :], case.visible.shape)
    return Outcome(weights, weights @ case.v)


def _lead(case: AttentionCase, part: FloatArray) -> FloatArray:
    """Give a part all leading axes of the table."""
    return np.broadcast_to(part, (*case.visible.shape[:-2], *part.shape[-2:]))


def _resplit(case: AttentionCase, part: FloatArray) -> FloatArray:
    return split_without_transpose(
        merge_heads(_lead(case, part)), case.visible.shape[-3]
    )


def _remerge(context: FloatArray) -> FloatArray:
    return split_heads(merge_without_transpose(context), context.shape[-3])


def _ungroup(x: FloatArray, kv_heads: int) -> FloatArray | None:
    """Undo the repetition of key–value heads, if that is what it is."""
    if x.ndim < 3 or x.shape[-3] % kv_heads:
        return None
    group = x.shape[-3] // kv_heads
    heads = x[..., ::group, :, :]
    return heads if np.array_equal(np.repeat(heads, group, axis=-3), x) else None
