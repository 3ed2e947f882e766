"""Attention whose cost grows like T: a feature map in place of the softmax."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    IntArray,
    bind_shapes,
    float_views,
)
from attnviz.core.attention._visibility import (
    cover_scores,
    first_position,
    reach_of,
    refuse_empty_rows,
)
from attnviz.core.attention.scaled_dot_product import Score
from attnviz.core.errors import MaskError


def linear_attend(
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
    key_valid: BoolArray | None = None,
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
    visible : BoolArray of shape (..., 1, T_k), optional
        False where a key is hidden from all queries, as `padding_mask` has it.
    causal : bool, default=False
        Whether a query sees no key after its own position. Computed step by step with
        a state of d_k·(d_v + 1) numbers, like a recurrent network.
    left, right : None
        Refused, as all that needs a table of scores: a window has an end that no sum
        of features forgets.
    offset : int, optional
        Position of the first query, as in `attend`.
    query_valid : BoolArray of shape (..., T_q), optional
        False where a query is padding: its context is 0.
    bias, scale, softcap, temperature, dropout, score : None
        Refused, as all that needs a table of scores.
    key_valid : BoolArray of shape (..., T_k), optional
        False where a key is padding: the same as `visible`, without the axis of the
        queries.

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
    ValueError
        If an argument needs a table of scores, or a query and all its keys have no
        feature in common but such as are too small for the type.

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
    _refuse_what_needs_scores(
        left=left,
        right=right,
        bias=bias,
        scale=scale,
        softcap=softcap,
        temperature=None if _is_one(temperature) else temperature,
        dropout=dropout,
        score=score,
    )
    queries, keys, values = float_views("linear_attend", q=q, k=k, v=v)
    sizes = bind_shapes(
        "linear_attend",
        q=(queries, "T_q d_k"),
        k=(keys, "T_k d_k"),
        v=(values, "T_k d_v"),
    )
    arrays = (queries, keys, values)
    leading = np.broadcast_shapes(*(array.shape[:-2] for array in arrays))
    table = (*leading, sizes["T_q"], sizes["T_k"])
    key_counts = _valid("key_valid", key_valid, (*leading, sizes["T_k"]))
    if visible is not None:
        key_counts = key_counts & _shown_to_all(visible, table)
    query_counts = _valid("query_valid", query_valid, table[:-1])
    first = first_position("linear_attend", sizes["T_q"], sizes["T_k"], offset)
    _, after = reach_of("linear_attend", causal=causal, left=None, right=None)
    start = None if after is None else first
    empty = _count_valid(key_counts)[..., _n_seen(start, table)] == 0
    refuse_empty_rows("linear_attend", query_counts & empty, name="key_valid")
    sums = _sums(queries, keys, values, ~key_counts[..., None], start)
    _refuse_lost_sums(query_counts, sums[..., -1])
    with np.errstate(invalid="ignore", divide="ignore"):
        context = sums[..., :-1] / sums[..., -1:]
    return np.where(query_counts[..., None], context, 0).astype(queries.dtype)


def _n_seen(first: int | None, table: tuple[int, ...]) -> IntArray:
    """Count the keys up to the position of each query; all where it plays no part."""
    n_queries, n_keys = table[-2:]
    if first is None:
        return np.full(n_queries, n_keys)
    seen: IntArray = np.clip(first + np.arange(n_queries) + 1, 0, n_keys)
    return seen


def _sums(
    q: FloatArray, k: FloatArray, v: FloatArray, hidden: BoolArray, first: int | None
) -> FloatArray:
    """Sum the values by the products of features, and then the products alone."""
    wide = np.promote_types(q.dtype, np.float32)
    low = np.finfo(wide).min
    asked = np.where(hidden, low, k.astype(wide, copy=False))
    # A value of 1 beside the others makes the divisor come out as one more sum.
    ones = np.ones((*v.shape[:-1], 1), wide)
    mixed = np.where(hidden, 0, np.concatenate((v, ones), axis=-1, dtype=wide))
    with np.errstate(invalid="ignore"):
        features = _query_features(q.astype(wide, copy=False))
        if first is not None:
            return _recur(features, asked, hidden, mixed, first)
        tops = np.minimum(asked.max(axis=(-2, -1), keepdims=True, initial=low), 0)
        kept = np.where(hidden, 0, _features(asked, tops))
        sums: FloatArray = features @ (np.swapaxes(kept, -1, -2) @ mixed)
        return sums


def _is_one(temperature: object) -> bool:
    return isinstance(temperature, int | float) and temperature == 1


def _refuse_what_needs_scores(**given: object) -> None:
    """Name an argument of `attend` that has no meaning without a table of scores.

    Raises
    ------
    ValueError
        If one is given.
    """
    for name, value in given.items():
        if value is not None:
            rival = "attend" if name == "score" else "tiled_attend"
            raise ValueError(
                f"linear_attend: `{name}` needs to be left out, because products of "
                f"features leave no table of scores to use it on; `{rival}` takes it"
            )


def _valid(name: str, mask: BoolArray | None, shape: tuple[int, ...]) -> BoolArray:
    if mask is None:
        return np.ones(shape, dtype=np.bool_)
    return cover_scores("linear_attend", name, mask, shape)


def _shown_to_all(visible: BoolArray, table: tuple[int, ...]) -> BoolArray:
    """Take the one row of a mask that all queries share.

    Raises
    ------
    MaskError
        If queries see different keys.
    """
    mask = np.asarray(visible)
    shown = cover_scores("linear_attend", "visible", mask, table)
    if mask.shape[-2] != 1:
        raise MaskError(
            "linear_attend: `visible` needs one row for all queries, (..., 1, T_k), "
            "because no query has weights of its own; `causal` hides later keys, and "
            f"`attend` and `tiled_attend` take any mask; got {mask.shape}"
        )
    return shown[..., 0, :]


def _count_valid(key_counts: BoolArray) -> IntArray:
    """Count the valid ones among the first 0, 1, …, T_k keys."""
    none = np.zeros((*key_counts.shape[:-1], 1), dtype=np.int64)
    return np.concatenate((none, np.cumsum(key_counts, axis=-1)), axis=-1)


def _features(x: FloatArray, tops: FloatArray) -> FloatArray:
    """Give elu(x) + 1 over the exponential of a number that is 0 or below."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0) - tops))


def _query_features(q: FloatArray) -> FloatArray:
    """Give the features of each query over their largest, which cancels."""
    largest = q.max(axis=-1, keepdims=True, initial=np.finfo(q.dtype).min)
    features: FloatArray = _features(q, np.minimum(largest, 0))
    features /= np.maximum(largest + 1, 1)
    return features


def _recur(
    features: FloatArray, k: FloatArray, hidden: BoolArray, v: FloatArray, first: int
) -> FloatArray:
    """Let the queries come one by one, each after the key at its own position."""
    n_queries, n_keys = features.shape[-2], k.shape[-2]
    start = min(max(first, 0), n_keys)
    # Features are taken over the largest so far, so that no later key counts.
    largest = k.max(axis=-1, initial=np.finfo(k.dtype).min)
    tops = np.minimum(np.maximum.accumulate(largest, axis=-1), 0)
    tops[..., :start] = tops[..., start - 1 : start]
    kept = np.where(hidden, 0, _features(k, tops[..., None]))
    shrink = np.exp(tops[..., :-1] - tops[..., 1:])[..., None, None]
    shrinks = (shrink != 1).any()
    state = np.swapaxes(kept[..., :start, :], -1, -2) @ v[..., :start, :]
    leading = np.broadcast_shapes(features.shape[:-2], state.shape[:-2])
    sums = np.zeros((*leading, n_queries, v.shape[-1]), v.dtype)
    for row in range(max(-first, 0), n_queries):
        key = first + row
        if shrinks and 0 < key < n_keys:
            state *= shrink[..., key - 1, :, :]
        if key < n_keys:
            state += kept[..., key, :, None] * v[..., key, None, :]
        sums[..., row, :] = (features[..., row, None, :] @ state)[..., 0, :]
    return sums


def _refuse_lost_sums(query_counts: BoolArray, divisors: FloatArray) -> None:
    """Refuse a query whose products with all its keys are too small for the type."""
    limits = np.finfo(divisors.dtype)
    lost = query_counts & (divisors < limits.tiny / limits.eps)
    if lost.any():
        places = [tuple(map(int, row)) for row in np.argwhere(lost)[:5]]
        raise ValueError(
            "linear_attend: `q` and `k` need features whose products do not vanish in "
            f"{divisors.dtype}; got a sum of almost 0 for the queries at {places}"
        )
