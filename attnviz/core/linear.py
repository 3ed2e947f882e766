"""Attention whose cost grows like T: a feature map in place of the softmax."""

import numpy as np
import numpy.typing as npt

from attnviz.core.masks import cover_scores, refuse_empty_rows
from attnviz.core.shapes import (
    BoolArray,
    FloatArray,
    IntArray,
    bind_shapes,
    float_views,
)


def linear_attend(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    causal: bool = False,
    key_valid: BoolArray | None = None,
    query_valid: BoolArray | None = None,
) -> FloatArray:
    r"""Mix values by products of positive features, without any table of scores.

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
        the last key, as in `causal_mask`. Computed step by step with a state of
        d_k·(d_v + 1) numbers, like a recurrent network.
    key_valid : BoolArray of shape (..., T_k), optional
        False where a key is padding, and hidden.
    query_valid : BoolArray of shape (..., T_q), optional
        False where a query is padding: its context is 0.

    Returns
    -------
    context : FloatArray of shape (..., T_q, d_v)
        Weighted means of the values. The weights are others than those of `attend`:
        this is another model, not a faster softmax.

    Raises
    ------
    ShapeError
        If two arguments disagree about a dimension.
    MaskError
        If a mask is not boolean or leaves its axes to be guessed.
    EmptyRowError
        If a query that is valid may see no key.

    Notes
    -----
    .. math:: c_i = \frac{\phi(q_i)^\top \sum_j \phi(k_j) v_j^\top}
                         {\phi(q_i)^\top \sum_j \phi(k_j)}, \qquad
              \phi(x) = \mathrm{elu}(x) + 1

    References
    ----------
    .. [1] Katharopoulos et al., "Transformers are RNNs: Fast Autoregressive
       Transformers with Linear Attention", 2020, eq. 5, 7 and 18 to 20.
    .. [2] Course chapter, linear attention (R135).

    Examples
    --------
    >>> linear_attend([[0.0]], [[1.0], [0.0]], [[3.0], [6.0]])
    array([[4.]])
    """
    queries, keys, values = float_views("linear_attend", q=q, k=k, v=v)
    sizes = bind_shapes(
        "linear_attend",
        q=(queries, "T_q d_k"),
        k=(keys, "T_k d_k"),
        v=(values, "T_k d_v"),
    )
    arrays = (queries, keys, values)
    leading = np.broadcast_shapes(*(array.shape[:-2] for array in arrays))
    key_counts = _valid("key_valid", key_valid, (*leading, sizes["T_k"]))
    query_counts = _valid("query_valid", query_valid, (*leading, sizes["T_q"]))
    n_seen = np.full(sizes["T_q"], sizes["T_k"])
    if causal:
        n_seen = np.arange(sizes["T_k"] - sizes["T_q"], sizes["T_k"]) + 1
    empty = _count_valid(key_counts)[..., np.maximum(n_seen, 0)] == 0
    refuse_empty_rows("linear_attend", query_counts & empty, name="key_valid")
    wide = np.promote_types(queries.dtype, np.float32)
    features = _features(queries.astype(wide, copy=False))
    hidden = ~key_counts[..., None]
    kept = np.where(hidden, 0, _features(keys.astype(wide, copy=False)))
    # A value of 1 beside the others makes the divisor come out as one more sum.
    ones = np.ones((*values.shape[:-1], 1), wide)
    mixed = np.where(hidden, 0, np.concatenate((values, ones), axis=-1, dtype=wide))
    sums = _recur(features, kept, mixed) if causal else _sum_all(features, kept, mixed)
    with np.errstate(invalid="ignore", divide="ignore"):
        context = sums[..., :-1] / sums[..., -1:]
    return np.where(query_counts[..., None], context, 0).astype(queries.dtype)


def _valid(name: str, mask: BoolArray | None, shape: tuple[int, ...]) -> BoolArray:
    if mask is None:
        return np.ones(shape, dtype=np.bool_)
    return cover_scores("linear_attend", name, mask, shape)


def _count_valid(key_counts: BoolArray) -> IntArray:
    """Count the valid ones among the first 0, 1, …, T_k keys."""
    none = np.zeros((*key_counts.shape[:-1], 1), dtype=np.int64)
    return np.concatenate((none, np.cumsum(key_counts, axis=-1)), axis=-1)


def _features(x: FloatArray) -> FloatArray:
    """Give elu(x) + 1, which is positive."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def _sum_all(features: FloatArray, k: FloatArray, v: FloatArray) -> FloatArray:
    sums: FloatArray = features @ (np.swapaxes(k, -1, -2) @ v)
    return sums


def _recur(features: FloatArray, k: FloatArray, v: FloatArray) -> FloatArray:
    """Let the queries come one by one, each after the key at its own position."""
    n_queries, first = features.shape[-2], k.shape[-2] - features.shape[-2]
    earlier = slice(0, max(first, 0))
    state = np.swapaxes(k[..., earlier, :], -1, -2) @ v[..., earlier, :]
    leading = np.broadcast_shapes(features.shape[:-2], state.shape[:-2])
    sums = np.zeros((*leading, n_queries, v.shape[-1]), v.dtype)
    for row in range(max(-first, 0), n_queries):
        key = first + row
        state += k[..., key, :, None] * v[..., key, None, :]
        sums[..., row, :] = (features[..., row, None, :] @ state)[..., 0, :]
    return sums
