"""Gradients of a multi-head layer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    FloatArray,
    expect,
    read_only,
)
from attnviz.core.attention.heads import split_heads
from attnviz.core.attention.multi_head import MultiHeadParameters, MultiHeadTrace
from attnviz.core.gradients._own import refuse_others
from attnviz.core.gradients._upstream import bind_upstream, sum_to_shape
from attnviz.core.gradients.attention import AttentionGradients, attend_backward

_OPERATION = "multi_head_backward"
TurnBack = Callable[[FloatArray], FloatArray]
"""Carries a gradient of turned queries or keys back to what they were."""


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
    trace: MultiHeadTrace,
    x_q: npt.ArrayLike | None = None,
    x_k: npt.ArrayLike | None = None,
    x_v: npt.ArrayLike | None = None,
    parameters: MultiHeadParameters | None = None,
    turn_back: TurnBack | None = None,
) -> MultiHeadGradients:
    r"""Carry a gradient back from the output of a multi-head layer.

    Parameters
    ----------
    d_output : array_like of shape (..., T_q, d)
        Gradient with respect to the output.
    trace : MultiHeadTrace
        What `multi_head_attend` returned.
    x_q, x_k, x_v, parameters : optional
        Inputs and projections of the trace, and no others.
    turn_back : callable, optional
        Transpose of what turned queries and keys, such as the rotation by the opposite
        angles. It is needed only where the turn mixes positions or is not linear;
        elsewhere it must agree with the transpose found from the trace.

    Returns
    -------
    gradients : MultiHeadGradients
        Gradients of inputs, parameters and stages.

    Raises
    ------
    ShapeError
        If an argument has not the shape it had in the forward pass.
    ValueError
        If an argument is not the trace's own, keys and values were kept in a cache,
        another rule than the dot product gave the scores, or what turned queries and
        keys has no transpose that is known.

    Notes
    -----
    A product Y = X W gives dX = dY Wᵀ and dW = Xᵀ dY. Heads that share keys and
    values add their gradients.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2,
       differentiated.

    Examples
    --------
    >>> from attnviz.core import multi_head_attend
    >>> eye = np.eye(2)[None]
    >>> layer = MultiHeadParameters(w_q=eye, w_k=eye, w_v=eye, w_o=np.eye(2))
    >>> trace = multi_head_attend(np.eye(2), parameters=layer)
    >>> multi_head_backward(np.ones((2, 2)), trace=trace).parameters.w_v[0].round(4)
    array([[1., 1.],
           [1., 1.]])
    """
    expect("multi_head_backward", "trace", trace, MultiHeadTrace)
    p = trace.parameters
    upstream = bind_upstream(_OPERATION, "d_output", d_output, trace.output)
    given = {"x_q": x_q, "x_k": x_k, "x_v": x_v, "parameters": parameters}
    for name, value in given.items():
        refuse_others(_OPERATION, name, value, getattr(trace, name))
    attention = attend_backward(
        split_heads(upstream @ p.w_o.T, p.n_heads), trace=trace.attention
    )
    if trace.x_k is None or trace.x_v is None:
        raise ValueError(
            f"{_OPERATION}: `trace` needs keys and values projected from its inputs; "
            "got some that were kept in a cache"
        )
    if attention.q is None or attention.k is None:
        raise ValueError(
            f"{_OPERATION}: `trace` needs scores that are dot products; got another "
            "rule, whose gradient ends at `raw_scores` of `attend_backward`"
        )
    d_k = _sum_groups(attention.k, p.n_kv_heads)
    d_v = _sum_groups(attention.v, p.n_kv_heads)
    d_q, d_k = _turn_back(trace, attention.q, d_k, turn_back)
    asking = _project_backward(d_q, trace.x_q, p.w_q)
    asked = _project_backward(d_k, trace.x_k, p.w_k)
    mixed = _project_backward(d_v, trace.x_v, p.w_v)
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
    d_x_q, d_x_k, d_x_v = _share_out(trace, asking.x, asked.x, mixed.x)
    return MultiHeadGradients(d_x_q, d_x_k, d_x_v, gradients, attention)


def _turn_back(
    trace: MultiHeadTrace,
    d_q: FloatArray,
    d_k: FloatArray,
    turn_back: TurnBack | None,
) -> tuple[FloatArray, FloatArray]:
    """Multiply by the transpose of what turned queries and keys."""
    if trace.turn is None:
        if turn_back is not None:
            raise ValueError(
                f"{_OPERATION}: `turn_back` needs a `trace` whose queries and keys "
                "were turned; got one whose were not"
            )
        return d_q, d_k
    q_turn, k_turn = trace.q_turn, trace.k_turn
    if q_turn is None or k_turn is None:
        if turn_back is None:
            raise ValueError(
                f"{_OPERATION}: `turn_back` needs to be given where queries and keys "
                "are turned by no matrix for each position; got None"
            )
        return turn_back(d_q), turn_back(d_k)
    for d_turned, matrix in ((d_q, q_turn), (d_k, k_turn)):
        if turn_back is not None and not _agree(turn_back, d_turned, matrix):
            raise ValueError(
                f"{_OPERATION}: `turn_back` needs the transpose of what turned queries "
                "and keys; got another"
            )
    return (
        (q_turn @ d_q[..., None])[..., 0],
        (k_turn @ d_k[..., None])[..., 0],
    )


def _agree(turn_back: TurnBack, d_turned: FloatArray, matrix: FloatArray) -> bool:
    """Tell whether a rule is the product with a transpose, to rounding."""
    wanted = (matrix @ d_turned[..., None])[..., 0]
    size = (np.abs(matrix) @ np.abs(d_turned)[..., None])[..., 0]
    limit = 8 * matrix.shape[-1] * np.finfo(d_turned.dtype).eps * size
    with np.errstate(invalid="ignore"):
        return not (np.abs(turn_back(d_turned) - wanted) > limit).any()


class _Projected(NamedTuple):
    """Gradients of one projection: input, matrices, and what a bias would get."""

    x: FloatArray
    w: FloatArray
    b: FloatArray


def _project_backward(d_heads: FloatArray, x: FloatArray, w: FloatArray) -> _Projected:
    """Go back from the heads to the input and the matrix of each head."""
    # A position that holds NaN or ±∞ counts only where it was seen, and there its
    # gradient is NaN already.
    rows = np.where(np.isfinite(x), x, 0)[..., None, :, :]
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
    trace: MultiHeadTrace, d_q: FloatArray, d_k: FloatArray, d_v: FloatArray
) -> tuple[FloatArray, FloatArray | None, FloatArray | None]:
    """Give the share of an input that was left out to the one that stood for it."""
    has_k, has_v = trace.x_k is not trace.x_q, trace.x_v is not trace.x_k
    d_k = d_k if has_v else d_k + d_v
    d_q = d_q if has_k else d_q + d_k
    return (
        read_only(d_q),
        read_only(d_k) if has_k else None,
        read_only(d_v) if has_v else None,
    )
