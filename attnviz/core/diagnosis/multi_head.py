"""Say whether several heads were computed and joined rightly, and if not, why."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    as_floats,
    as_mask,
    expect,
    quiet,
)
from attnviz.core.attention._turning import Turn
from attnviz.core.attention.heads import merge_heads
from attnviz.core.attention.multi_head import (
    MultiHeadParameters,
    MultiHeadTrace,
    join_heads,
    multi_head_attend,
)
from attnviz.core.checks._limits import EXACT, Blur, limits, weight_errors
from attnviz.core.checks._loops import attend_by_query
from attnviz.core.checks._result import without_batch
from attnviz.core.checks._rounding import Precision
from attnviz.core.checks.case import AttentionCase, attention_case
from attnviz.core.diagnosis._comparing import Attempt, Part, compare, precision_of
from attnviz.core.diagnosis._reading import lost_digits
from attnviz.core.diagnosis._trying import meant
from attnviz.core.diagnosis.diagnosis import Diagnosis
from attnviz.core.faults import FAULTS

_NAME = "diagnose_multi_head"


@quiet
def diagnose_multi_head(
    x_q: npt.ArrayLike,
    x_k: npt.ArrayLike | None = None,
    x_v: npt.ArrayLike | None = None,
    *,
    output: npt.ArrayLike,
    parameters: MultiHeadParameters,
    visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    scale: float | None = None,
    bias: npt.ArrayLike | None = None,
    softcap: float | None = None,
    turn: Turn | None = None,
) -> Diagnosis:
    """Check what came out of a multi-head layer, and name what faulty code gives.

    Parameters
    ----------
    x_q, x_k, x_v : array_like
        As in `multi_head_attend`.
    output : array_like of shape (..., T_q, d)
        What came out, the output projection included.
    parameters : MultiHeadParameters
        As in `multi_head_attend`.
    visible, query_valid, scale, bias, softcap, turn : optional
        As in `multi_head_attend`; a query that sees no key is no error.

    Returns
    -------
    diagnosis : Diagnosis
        Verdict, the check ``loop``, and the mistakes that explain the output: those of
        attention, and those of the projections and of joining the heads.

    Raises
    ------
    ShapeError
        If arguments disagree about a dimension, or the output has a shape that no
        known mistake gives it.
    MaskError
        If a mask is not boolean or leaves its axes to be guessed.
    TypeError
        If `parameters` is no MultiHeadParameters.
    ValueError
        If there is no number to diagnose, or a number is out of its range.

    Examples
    --------
    >>> from attnviz.core import MultiHeadParameters, multi_head_attend
    >>> eye = np.eye(2)[None]
    >>> layer = MultiHeadParameters(eye, eye, eye, w_o=np.array([[1.0, 2], [3, 5]]))
    >>> joined = multi_head_attend(np.eye(2), parameters=layer).joined
    >>> found = diagnose_multi_head(np.eye(2), output=joined, parameters=layer)
    >>> found.verdict, found.candidates[0].variant
    ('wrong', 'left_out')
    """
    expect(_NAME, "parameters", parameters, MultiHeadParameters)
    (asking,) = as_floats("multi_head_attend", x_q=x_q)
    # Projections need no query that sees anything.
    blind = np.zeros(asking.shape[-2:-1], dtype=np.bool_)
    projected = multi_head_attend(
        asking, x_k, x_v, parameters=parameters, query_valid=blind, turn=turn
    )
    attention = projected.attention
    case = attention_case(
        attention.q,
        attention.k,
        attention.v,
        visible=visible,
        query_valid=_for_heads(query_valid, attention.q),
        scale=scale,
        bias=bias,
        softcap=softcap,
    )
    trace = join_heads(
        projected.q,
        projected.k,
        projected.v,
        case.answer,
        parameters,
        inputs=(projected.x_q, projected.x_k, projected.x_v),
        turn=turn,
    )
    (found,) = as_floats(_NAME, output=output)
    found = without_batch(found, trace.output.shape)
    layer = _Layer(case, trace, precision_of(found, *_sources(trace)))
    part = Part(
        "output",
        found,
        layer.project(attend_by_query(case)[1]),
        layer.precision,
        layer.error,
        np.all(case.answered, axis=-2)[..., None],
    )
    return compare(_NAME, [part], layer.attempts, inputs_printed=layer.blur.any)


def _for_heads(valid: BoolArray | None, q: FloatArray) -> BoolArray | None:
    """Let all heads share what is padding."""
    if valid is None:
        return None
    mask = as_mask(_NAME, "query_valid", valid)
    return mask[..., None, :] if 1 < mask.ndim == q.ndim - 2 else mask


def _sources(trace: MultiHeadTrace) -> list[FloatArray]:
    """List what was given to compute from."""
    p = trace.parameters
    given = [trace.x_q, trace.x_k, trace.x_v, p.w_q, p.w_k, p.w_v, p.w_o]
    return [part for part in given if part is not None]


@dataclass(frozen=True, slots=True)
class _Layer:
    """A layer that was asked for, and how precise its output is.

    Attributes
    ----------
    case : AttentionCase
        What its heads were asked.
    trace : MultiHeadTrace
        The core's answer.
    precision : Precision
        What the output was computed with and rounded to.
    """

    case: AttentionCase
    trace: MultiHeadTrace
    precision: Precision

    def project(self, context: FloatArray) -> FloatArray:
        """Join contexts and project them in double precision."""
        p = self.trace.parameters
        output: FloatArray = merge_heads(context) @ p.w_o.astype(np.float64)
        return output if p.b_o is None else output + p.b_o

    @property
    def blur(self) -> Blur:
        """How far projections may be off because inputs were printed."""
        digits = self.precision.step
        q, k, v = (
            0.0 if x is None else _carried(x, w, digits) for x, w in self._projected()
        )
        bias = self.case.bias
        return Blur(q, k, v, 0.0 if bias is None else lost_digits(bias, digits))

    def error(self, times: int) -> FloatArray:
        """Bound what is lost before the last digit, printed inputs counted or not."""
        trace, p, own = self.trace, self.trace.parameters, self.precision
        unit = min((8 + trace.x_q.shape[-1]) * own.unit, own.tolerance)
        blur = self.blur if times else EXACT
        q, k, v = (
            0.0 if x is None else unit * float(_products(x, w).max(initial=0))
            for x, w in self._projected()
        )
        lost = Blur(
            q + times * blur.q,
            k + times * blur.k,
            v + times * blur.v,
            times * blur.bias,
        )
        bare = Precision(own.unit, own.tolerance, own.growth, own.floor)
        context = limits(
            self.case,
            self.case.answer.weights,
            weight_errors(self.case, bare, lost),
            of_weights=bare,
            of_context=bare,
            blur=lost,
        ).context
        w_o, joined = np.abs(p.w_o.astype(np.float64)), np.abs(trace.joined)
        error: FloatArray = merge_heads(context) @ w_o + own.tolerance * (joined @ w_o)
        digits = own.step if times else 0.0
        error += times * lost_digits(p.w_o, digits) * joined.sum(-1, keepdims=True)
        if p.b_o is not None:
            error += own.tolerance * np.abs(p.b_o) + times * lost_digits(p.b_o, digits)
        return error

    def _projected(self) -> Iterator[tuple[FloatArray | None, FloatArray]]:
        """Give each input with the matrix it meets."""
        trace, p = self.trace, self.trace.parameters
        inputs = trace.x_q, trace.x_k, trace.x_v
        return zip(inputs, (p.w_q, p.w_k, p.w_v), strict=True)

    def attempts(self) -> Iterator[Attempt]:
        """Make all mistakes of attention and of what is around it."""
        right = self.case.answer.context.shape
        for fault in FAULTS:
            for variant in fault.variants:
                if variant.subject == "multi_head":
                    made = variant.run(self.trace)
                elif variant.subject in ("attention", "layout") and not variant.solve:
                    outcome = variant.run(self.case)
                    same = outcome is not None and outcome.context.shape == right
                    made = self.project(outcome.context) if same else None
                else:
                    continue
                if made is not None:
                    convention = meant(self.case, fault, variant)
                    yield Attempt(fault, variant, {"output": made}, convention)


def _carried(x: FloatArray, w: FloatArray, digits: float) -> float:
    """Bound what lost digits of inputs and matrices do to a projection."""
    of_x, of_w = lost_digits(x, digits), lost_digits(w, digits)
    rows = float(np.abs(x).sum(axis=-1).max(initial=0))
    columns = float(np.abs(w).sum(axis=-2).max(initial=0))
    return of_x * columns + of_w * rows + float(x.shape[-1]) * of_x * of_w


def _products(x: FloatArray, w: FloatArray) -> FloatArray:
    """Sum the sizes of the products that each projection is made of."""
    wide: FloatArray = np.abs(x.astype(np.float64))[..., None, :, :] @ np.abs(w)
    return wide
