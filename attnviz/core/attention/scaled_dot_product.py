"""Scaled dot-product attention, with every stage kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    as_floats,
    bind_shapes,
    count,
    float_views,
    read_only,
)
from attnviz.core.arrays.sheet import Sheet, numbers_of
from attnviz.core.attention._products import mix_visible
from attnviz.core.attention._settings import Settings, table_of
from attnviz.core.attention._visibility import (
    band,
    cover_scores,
    hidden_by_bias,
    reach_of,
    refuse_empty_rows,
)
from attnviz.core.attention.weights import softmax_stages
from attnviz.core.errors import EmptyRowError, ShapeError

Score = Callable[[FloatArray, FloatArray], FloatArray]
"""Takes queries and keys and gives raw scores."""


@dataclass(frozen=True, slots=True, repr=False)
class AttentionTrace(Record):
    """Every stage of one attention computation; all arrays are read-only.

    Attributes
    ----------
    q : FloatArray of shape (..., T_q, d_k)
        Queries, as given.
    k : FloatArray of shape (..., T_k, d_k)
        Keys, as given.
    v : FloatArray of shape (..., T_k, d_v)
        Values, as given.
    raw_scores : FloatArray of shape (..., T_q, T_k)
        Dot products q·k, or what another rule gave each pair.
    scores : FloatArray of shape (..., T_q, T_k)
        Raw scores times scale, soft-capped, plus bias.
    masked_scores : FloatArray of shape (..., T_q, T_k)
        Scores over temperature; −∞ where the key is hidden.
    row_max : FloatArray of shape (..., T_q, 1)
        Largest visible entry of each row; −∞ where nothing is visible.
    exp_scores : FloatArray of shape (..., T_q, T_k)
        exp(masked_scores − row_max).
    row_sum : FloatArray of shape (..., T_q, 1)
        Sum of each row of exp_scores.
    weights : FloatArray of shape (..., T_q, T_k)
        exp_scores / row_sum; hidden keys have exactly 0.
    context : FloatArray of shape (..., T_q, d_v)
        Weighted sums of the values.
    visible : BoolArray of shape (..., T_q, T_k)
        What each query could see in the end.
    scale : float
        Factor of the raw scores.
    softcap : float or None
        Bound c of c·tanh(s / c), if one was used.
    bias : FloatArray or None
        What was added to the scaled scores.
    temperature : float
        Divisor just before the softmax.
    dropout : FloatArray or None
        Multiplier of the weights, if one was used.
    score : callable or None
        Rule that gave the raw scores, if they are no dot products.

    Examples
    --------
    >>> trace = attend(np.eye(2), np.eye(2), np.eye(2), causal=True)
    >>> trace.weights[0], trace.visible[0]
    (array([1., 0.]), array([ True, False]))
    """

    q: FloatArray
    k: FloatArray
    v: FloatArray
    raw_scores: FloatArray
    scores: FloatArray
    masked_scores: FloatArray
    row_max: FloatArray
    exp_scores: FloatArray
    row_sum: FloatArray
    weights: FloatArray
    context: FloatArray
    visible: BoolArray
    scale: float
    softcap: float | None
    bias: FloatArray | None
    temperature: float
    dropout: FloatArray | None
    score: Score | None = None

    def sheet(self) -> Sheet:
        """Lay out the matrices for derivations, settings included."""
        names = {"visible": "mask"}
        matrices = numbers_of(self, names) | {
            "mask": np.where(self.visible, 0.0, -np.inf),
            "d_k": np.array(float(self.q.shape[-1])),
        }
        sources = {} if self.score is None else {"raw_scores": ()}
        return Sheet(matrices, names, sources=sources)


def attend(
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
) -> AttentionTrace:
    r"""Mix values by how well each key matches each query.

    Parameters
    ----------
    q : array_like of shape (..., T_q, d_k)
        Queries.
    k : array_like of shape (..., T_k, d_k)
        Keys.
    v : array_like of shape (..., T_k, d_v)
        Values.
    visible : BoolArray of shape (..., T_q, T_k), optional
        True where a query may see a key. Either (T_q, T_k), or one axis for each axis
        of the scores, of the same size or 1; nothing is guessed.
    causal : bool, default=False
        Whether a query sees no key after its own position.
    left, right : int, optional
        How many keys before and after its own position a query may see; all if left
        out.
    offset : int, optional
        Position of the first query, counted from the first key; the last query stands
        at the last key if left out, as in `causal_mask`.
    query_valid : BoolArray of shape (..., T_q), optional
        False where a query is padding: its weights and its context are 0.
    bias : array_like of shape (..., T_q, T_k), optional
        Added to the scaled scores; −∞ hides the key. A bias that hides keys is a mask
        and has the axes of one, as `visible`.
    scale : float, optional
        Factor of the raw scores, 1/√d_k if left out.
    softcap : float, optional
        Bound c > 0: scores become c·tanh(scores / c).
    temperature : float, default=1.0
        Divisor of the scores just before the softmax, above 0.
    dropout : array_like of shape (..., T_q, T_k), optional
        Multiplier of the weights, such as 0 or 1/(1 − p); any numbers, even NaN.
    score : callable, optional
        Takes queries and keys and gives raw scores of shape (..., T_q, T_k); the dot
        products if left out. The scale applies to them too.

    Returns
    -------
    trace : AttentionTrace
        Scores, weights, context and all between, in the dtype of the arguments.

    Raises
    ------
    ShapeError
        If two arguments disagree about a dimension.
    MaskError
        If a mask is not boolean, or a mask or a bias that hides keys leaves its axes to
        be guessed.
    EmptyRowError
        If a query that is valid may see no key, or all it may see score −∞.
    TypeError
        If `score` cannot be called.
    ValueError
        If a number is out of its range.

    Notes
    -----
    .. math:: C = \mathrm{softmax}(Q K^\top / \sqrt{d_k} + M)\, V

    Order: raw → × scale → soft-cap → + bias → ÷ temperature → hide → softmax → · V.
    A hidden key or value never reaches the result, not even as NaN or ±∞. Half
    precision is computed in float32 and rounded at each stage on return, so a stage
    beyond ±65504 reads ±∞ there while the weights stay right. Dot products beyond the
    range of float32 or float64 itself are ±∞, and a visible +∞ makes its row NaN.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, eq. 1.
    .. [2] Course chapter, formulas F3 and F14.

    Examples
    --------
    >>> trace = attend([[1.0, 0.0]], np.eye(2), [[2.0, 0.0], [0.0, 4.0]])
    >>> trace.weights.round(4), trace.context.round(4)
    (array([[0.6698, 0.3302]]), array([[1.3395, 1.321 ]]))
    """
    queries, keys, values = as_floats("attend", q=q, k=k, v=v)
    bind_shapes(
        "attend",
        q=(queries, "T_q d_k"),
        k=(keys, "T_k d_k"),
        v=(values, "T_k d_v"),
    )
    settings = Settings.checked(
        "attend", queries, scale=scale, softcap=softcap, temperature=temperature
    )
    before, after = reach_of("attend", causal=causal, left=left, right=right)
    dtype = queries.dtype
    wide = np.promote_types(dtype, np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        raw = _raw_scores(
            queries.astype(wide, copy=False), keys.astype(wide, copy=False), score
        )
        added = table_of("attend", "bias", bias, raw.shape, wide)
        kept = table_of("attend", "dropout", dropout, raw.shape, wide)
        scores = settings.score(raw, added)
        near = None
        if (before, after, offset) != (None, None, None):
            near = band(
                "attend", *raw.shape[-2:], left=before, right=after, offset=offset
            )
        seen, valid = _visibility(visible, query_valid, added, raw.shape, near)
        masked = np.where(seen, scores / settings.temperature, -np.inf)
        soft = softmax_stages(masked)
        _refuse_empty(seen, valid, soft.row_max)
        mixed = soft.weights if kept is None else soft.weights * kept
        context = mix_visible(mixed, values.astype(wide, copy=False), seen)
    return AttentionTrace(
        q=read_only(queries),
        k=read_only(keys),
        v=read_only(values),
        raw_scores=_round(raw, dtype),
        scores=_round(scores, dtype),
        masked_scores=_round(masked, dtype),
        row_max=_round(soft.row_max, dtype),
        exp_scores=_round(soft.exp_scores, dtype),
        row_sum=_round(soft.row_sum, dtype),
        weights=_round(soft.weights, dtype),
        context=_round(context, dtype),
        visible=read_only(seen),
        scale=settings.scale,
        softcap=settings.softcap,
        bias=None if added is None else read_only(added),
        temperature=settings.temperature,
        dropout=None if kept is None else read_only(kept),
        score=score,
    )


def slice_head(trace: AttentionTrace, head: int) -> AttentionTrace:
    """Take one head out of a trace of several.

    Parameters
    ----------
    trace : AttentionTrace
        Stages of shape (H, T_q, T_k).
    head : int
        Which head, counted from 0.

    Returns
    -------
    trace : AttentionTrace
        The same stages of that head, of shape (T_q, T_k).

    Raises
    ------
    ShapeError
        If the stages have no head axis, or have more.
    ValueError
        If there is no such head.
    """
    if trace.weights.ndim != 3:
        raise ShapeError(
            f"slice_head: `trace` needs stages (H, T_q, T_k); got {trace.weights.shape}"
        )
    n_heads = trace.weights.shape[0]
    if count("slice_head", "head", head) >= n_heads:
        raise ValueError(
            f"slice_head: `head` needs a number below H={n_heads}; got {head}"
        )
    sliced: dict[str, Any] = {
        name: np.broadcast_to(array, (n_heads, *array.shape[-2:]))[head]
        for name, array in _arrays(trace).items()
    }
    return replace(trace, **sliced)


def stack_heads(traces: Sequence[AttentionTrace]) -> AttentionTrace:
    """Put the traces of single heads on one head axis.

    Parameters
    ----------
    traces : sequence of AttentionTrace
        Stages of shape (..., T_q, T_k), made with the same settings.

    Returns
    -------
    trace : AttentionTrace
        The same stages, of shape (..., H, T_q, T_k).

    Raises
    ------
    ShapeError
        If there is no trace, or their stages differ in shape.
    """
    if len({trace.weights.shape for trace in traces}) != 1:
        raise ShapeError(
            "stack_heads: `traces` need stages of one shape; got "
            f"{[trace.weights.shape for trace in traces]}"
        )
    stages = [_arrays(trace) for trace in traces]
    stacked: dict[str, Any] = {
        name: read_only(np.stack([stage[name] for stage in stages], axis=-3))
        for name in stages[0]
    }
    return replace(traces[0], **stacked)


def _arrays(trace: AttentionTrace) -> dict[str, Any]:
    """Collect the fields of a trace that are arrays."""
    fields = {name: getattr(trace, name) for name in trace.__slots__}
    return {name: a for name, a in fields.items() if isinstance(a, np.ndarray)}


def _raw_scores(
    q: FloatArray,
    k: FloatArray,
    score: Score | None,
) -> FloatArray:
    """Score each pair by the rule given, or by the dot product."""
    if score is None:
        dots: FloatArray = q @ np.swapaxes(k, -1, -2)
        return dots
    if not callable(score):
        raise TypeError(f"attend: `score` needs a callable; got {type(score).__name__}")
    (raw,) = float_views("attend", score=score(q, k))
    leading = np.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    wanted = (*leading, q.shape[-2], k.shape[-2])
    if raw.shape != wanted:
        raise ShapeError(
            f"attend: `score` needs to give shape (..., T_q, T_k) = {wanted}; "
            f"got {raw.shape}"
        )
    return raw


def _round(stage: FloatArray, dtype: np.dtype[Any]) -> FloatArray:
    """Give a stage the dtype of the arguments, and lock it."""
    if stage.dtype == dtype:
        return read_only(stage)
    with np.errstate(over="ignore"):
        return read_only(stage.astype(dtype))


def _visibility(
    visible: BoolArray | None,
    query_valid: BoolArray | None,
    bias: FloatArray | None,
    shape: tuple[int, ...],
    near: BoolArray | None,
) -> tuple[BoolArray, BoolArray]:
    """Spread all that hides a key over the table, and tell which queries count."""
    seen = np.ones(shape, dtype=np.bool_)
    if near is not None:
        seen &= near
    if visible is not None:
        seen &= cover_scores("attend", "visible", visible, shape)
    hidden = hidden_by_bias("attend", bias, shape)
    if hidden is not None:
        seen &= ~hidden
    valid = np.ones(shape[:-1], dtype=np.bool_)
    if query_valid is not None:
        valid = cover_scores("attend", "query_valid", query_valid, shape[:-1])
    return seen & valid[..., None], valid


def _refuse_empty(seen: BoolArray, valid: BoolArray, row_max: FloatArray) -> None:
    """Refuse valid queries that see no key, or whose scores are all −∞.

    Raises
    ------
    EmptyRowError
        If there is such a query.
    """
    empty = valid & (row_max[..., 0] == -np.inf)
    if empty.any():
        refuse_empty_rows("attend", empty & ~seen.any(axis=-1))
        place = tuple(map(int, np.argwhere(empty)[0]))
        raise EmptyRowError(
            "attend: `k` needs a score above −∞ with each valid query; all that are "
            f"visible are −∞ at {place}"
        )
