"""What someone asked attention to compute, checked, with the core's own answer."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import BoolArray, FloatArray, as_floats
from attnviz.core.attention.scaled_dot_product import (
    AttentionTrace,
    attend,
)
from attnviz.core.attention.scores import default_scale
from attnviz.core.errors import EmptyRowError


# Without slots, so that what every check asks for is worked out once.
@dataclass(frozen=True, repr=False)
class AttentionCase(Record):
    """Arguments of one attention computation, spread over the whole table.

    Attributes
    ----------
    q : FloatArray of shape (..., T_q, d_k)
        Queries.
    k : FloatArray of shape (..., T_k, d_k)
        Keys.
    v : FloatArray of shape (..., T_k, d_v)
        Values.
    visible : BoolArray of shape (..., T_q, T_k)
        True where the mask and the bias let a query see a key, padding queries too.
    query_valid : BoolArray of shape (..., T_q)
        False where a query is padding.
    bias : FloatArray or None
        What is added to the scaled scores.
    scale : float
        Factor of the raw scores.
    softcap : float or None
        Bound of the scores.
    answer : AttentionTrace
        What the core computes; a query that sees no key gets zeros.
    """

    q: FloatArray
    k: FloatArray
    v: FloatArray
    visible: BoolArray
    query_valid: BoolArray
    bias: FloatArray | None
    scale: float
    softcap: float | None
    answer: AttentionTrace

    @cached_property
    def answered(self) -> BoolArray:
        """Rows that have an answer: valid queries that see a key."""
        return self.query_valid & self.visible.any(axis=-1)

    @cached_property
    def undefined(self) -> BoolArray:
        """Rows that NaN or ±∞ in a query or key leaves without an answer."""
        defined: BoolArray = np.all(np.isfinite(self.answer.weights), axis=-1)
        return ~defined

    @cached_property
    def products(self) -> FloatArray:
        """Products q · k in double precision, of shape (..., T_q, T_k)."""
        q, k = self.q.astype(np.float64), self.k.astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            products: FloatArray = q @ k.swapaxes(-1, -2)
        return products

    @cached_property
    def sizes(self) -> FloatArray:
        """Sums |q| · |k|, never below |q · k|; NaN and ±∞ stay what they are."""
        q, k = np.abs(self.q.astype(np.float64)), np.abs(self.k.astype(np.float64))
        with np.errstate(invalid="ignore", over="ignore"):
            sizes: FloatArray = q @ k.swapaxes(-1, -2)
        return sizes

    @property
    def default_scale(self) -> float:
        """The factor 1/√d_k; without features, the one in use."""
        return default_scale(self.q) if self.q.shape[-1] else self.scale

    def again(
        self,
        *,
        q: FloatArray | None = None,
        k: FloatArray | None = None,
        v: FloatArray | None = None,
        scale: float | None = None,
    ) -> AttentionTrace:
        """Attend with other arrays or another scale, and all else as it is.

        Parameters
        ----------
        q, k, v : FloatArray, optional
            Arrays to use instead.
        scale : float, optional
            Factor to use instead.

        Returns
        -------
        trace : AttentionTrace
            The core's answer to the changed question.
        """
        return attend(
            self.q if q is None else q,
            self.k if k is None else k,
            self.v if v is None else v,
            visible=self.visible,
            query_valid=self.answered,
            scale=self.scale if scale is None else scale,
            bias=self.bias,
            softcap=self.softcap,
        )


def attention_case(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    scale: float | None = None,
    bias: npt.ArrayLike | None = None,
    softcap: float | None = None,
) -> AttentionCase:
    """Check arguments as `attend` does, but accept a query that sees no key.

    Parameters
    ----------
    q : array_like of shape (..., T_q, d_k)
        Queries.
    k : array_like of shape (..., T_k, d_k)
        Keys.
    v : array_like of shape (..., T_k, d_v)
        Values.
    visible : BoolArray of shape (..., T_q, T_k), optional
        As in `attend`.
    query_valid : BoolArray of shape (..., T_q), optional
        As in `attend`.
    scale, bias, softcap : optional
        As in `attend`.

    Returns
    -------
    case : AttentionCase
        The arguments and the core's answer.

    Raises
    ------
    ShapeError
        If two arguments disagree about a dimension.
    MaskError
        If a mask is not boolean or leaves its axes to be guessed.
    ValueError
        If a number is out of its range.
    """
    queries, keys, values = as_floats("attend", q=q, k=k, v=v)

    def answer(valid: BoolArray | None) -> AttentionTrace:
        return attend(
            queries,
            keys,
            values,
            visible=visible,
            query_valid=valid,
            scale=scale,
            bias=bias,
            softcap=softcap,
        )

    try:
        trace = answer(query_valid)
    except EmptyRowError:
        # Every shape is known to be right by now: empty rows are looked for last.
        leading = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
        trace = answer(np.zeros((*leading, queries.shape[-2]), dtype=np.bool_))
        seen, valid = _spread(trace, visible, query_valid)
        trace = answer(valid & seen.any(axis=-1))
    seen, valid = _spread(trace, visible, query_valid)
    return AttentionCase(
        q=queries,
        k=keys,
        v=values,
        visible=seen,
        query_valid=valid,
        bias=trace.bias,
        scale=trace.scale,
        softcap=trace.softcap,
        answer=trace,
    )


def _spread(
    trace: AttentionTrace, visible: BoolArray | None, query_valid: BoolArray | None
) -> tuple[BoolArray, BoolArray]:
    """Spread both masks over the whole table, apart from each other."""
    shape = trace.raw_scores.shape
    seen = np.broadcast_to(True if visible is None else visible, shape)
    valid = np.broadcast_to(True if query_valid is None else query_valid, shape[:-1])
    if trace.bias is not None:
        seen = seen & ~np.isneginf(trace.bias)
    return seen, valid
