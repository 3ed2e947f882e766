"""Results that someone computed, and how far they are from those of a loop."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import BoolArray, FloatArray, as_floats
from attnviz.core.checks._limits import EXACT, Blur, Limits, limits, weight_errors
from attnviz.core.checks._loops import attend_by_query
from attnviz.core.checks._measures import decisive, differences
from attnviz.core.checks._rounding import Precision, type_precision
from attnviz.core.checks.case import AttentionCase
from attnviz.core.errors import ShapeError


@dataclass(frozen=True, slots=True, repr=False)
class AttentionResult(Record):
    """What someone computed for a case.

    Attributes
    ----------
    weights : FloatArray
        Weights, of whatever shape they came.
    context : FloatArray of shape (..., T_q, d_v)
        Context.
    has_table : bool
        Whether the weights have the shape of the scores.
    from_core : bool
        Whether the weights are the core's, to the last bit.
    of_weights, of_context : Precision
        What both were computed with, and what each was rounded to.
    exact : tuple of (FloatArray, FloatArray)
        Weights and context of the loop.
    blur : Blur
        How far the inputs may be from what was computed with.
    """

    weights: FloatArray
    context: FloatArray
    has_table: bool
    from_core: bool
    of_weights: Precision
    of_context: Precision
    exact: tuple[FloatArray, FloatArray]
    blur: Blur = EXACT


def result_of(
    case: AttentionCase,
    weights: npt.ArrayLike | None = None,
    context: npt.ArrayLike | None = None,
) -> AttentionResult:
    """Take results to check; what is left out is the core's.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    weights, context : array_like, optional
        What someone computed; outer axes of size 1 may be more or fewer.

    Returns
    -------
    result : AttentionResult
        Both arrays, and what is known about them.

    Raises
    ------
    ShapeError
        If the context has another shape than the core's, or one is not numeric.
    """
    answer = case.answer
    found_weights, found_context = answer.weights, answer.context
    if weights is not None:
        (found_weights,) = as_floats("check_attention", weights=weights)
    if context is not None:
        (found_context,) = as_floats("check_attention", context=context)
    found_weights = without_batch(found_weights, answer.weights.shape)
    found_context = without_batch(found_context, answer.context.shape)
    if found_context.shape != answer.context.shape:
        raise ShapeError(
            "check_attention: `context` needs shape (..., T_q, d_v) = "
            f"{answer.context.shape}; got {found_context.shape}"
        )
    precision = type_precision(case.q, found_weights, found_context)
    return AttentionResult(
        weights=found_weights,
        context=found_context,
        has_table=found_weights.shape == answer.weights.shape,
        from_core=np.array_equal(found_weights, answer.weights, equal_nan=True),
        of_weights=precision,
        of_context=precision,
        exact=attend_by_query(case),
    )


def without_batch(found: FloatArray, wanted: tuple[int, ...]) -> FloatArray:
    """Take off, or put on, outer axes of size 1: a batch of one is no other result.

    Parameters
    ----------
    found : FloatArray
        What someone computed.
    wanted : tuple of int
        The shape it should have.

    Returns
    -------
    array : FloatArray
        As it was where the shapes differ otherwise.
    """
    extra = found.ndim - len(wanted)
    alike = (1,) * extra + wanted == found.shape if extra > 0 else False
    fewer = wanted == (1,) * -extra + found.shape if extra < 0 else False
    return found.reshape(wanted) if alike or fewer else found


@dataclass(frozen=True, slots=True)
class Gaps:
    """How far numbers are from where they should be, and how far they may be.

    Attributes
    ----------
    measured : FloatArray of shape (...)
        Differences.
    allowed : FloatArray of shape (...)
        What rounding may do to them.
    """

    measured: FloatArray
    allowed: FloatArray

    @property
    def explained(self) -> BoolArray:
        """Where rounding explains the difference."""
        return np.asarray(self.measured <= self.allowed)


def loop_gaps(case: AttentionCase, result: AttentionResult) -> Gaps:
    """Measure how far each row is from the loop's.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    result : AttentionResult
        What was computed.

    Returns
    -------
    gaps : Gaps of shape (..., T_q)
        For each row the largest difference of a weight, or of the context over the
        largest value, of those that rounding does not explain if there are any. Weights
        of another shape take no part.
    """
    found = result.weights if result.has_table else None
    may = limits_of(case, result, result.exact[0], errors_of(case, result))
    parts = gaps_between(case, (found, result.context), result.exact, may)
    rows = np.broadcast_shapes(*(part.measured.shape[:-1] for part in parts))
    # One more than there are to compare: without any, nothing is off.
    count = 1 + sum(part.measured.shape[-1] for part in parts)
    measured, allowed = np.zeros((2, *rows, count))
    start = 1
    for part in parts:
        stop = start + part.measured.shape[-1]
        measured[..., start:stop] = part.measured
        allowed[..., start:stop] = part.allowed
        start = stop
    place = decisive(measured, allowed, axis=-1)[..., 0]
    row = np.arange(place.size).reshape(rows)
    return Gaps(
        *(side.reshape(-1, count)[row, place] for side in (measured, allowed)),
    )


def errors_of(case: AttentionCase, result: AttentionResult) -> FloatArray:
    """Bound the relative errors of weights as precise as a result's.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    result : AttentionResult
        What was computed.

    Returns
    -------
    errors : FloatArray of shape (..., T_q, T_k)
        As `weight_errors` gives them.
    """
    return weight_errors(case, result.of_weights, result.blur)


def limits_of(
    case: AttentionCase,
    result: AttentionResult,
    weights: FloatArray,
    errors: FloatArray,
) -> Limits:
    """Bound how far a result as precise as this one may be from an explanation.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    result : AttentionResult
        What was computed.
    weights : FloatArray
        Weights of the explanation.
    errors : FloatArray of shape (..., T_q, T_k)
        What `errors_of` gives.

    Returns
    -------
    limits : Limits
        Of the weights and of the context.
    """
    return limits(
        case,
        weights,
        errors,
        of_weights=result.of_weights,
        of_context=result.of_context,
        blur=result.blur,
    )


def gaps_between(
    case: AttentionCase,
    found: tuple[FloatArray | None, FloatArray | None],
    explanation: tuple[FloatArray, FloatArray],
    may: Limits,
) -> tuple[Gaps, ...]:
    """Measure how far what was found is from what an explanation gives.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    found : tuple of (FloatArray or None, FloatArray or None)
        Weights and context; None takes no part.
    explanation : tuple of (FloatArray, FloatArray)
        Weights and context of the same shapes.
    may : Limits
        How far apart they may be.

    Returns
    -------
    gaps : tuple of Gaps
        Of each weight, and of each number of the context over the largest value.
    """
    allowed = may.weights, may.context
    sizes = 1.0, value_size(case)
    return tuple(
        Gaps(differences(mine, theirs) / size, limit / size)
        for mine, theirs, limit, size in zip(
            found, explanation, allowed, sizes, strict=True
        )
        if mine is not None
    )


def value_size(case: AttentionCase) -> float:
    """Give the size that differences of a context are measured by.

    Parameters
    ----------
    case : AttentionCase
        What was asked.

    Returns
    -------
    size : float
        The largest finite value that a query may see; 1 if all are 0.
    """
    read: BoolArray = np.any(case.visible, axis=-2)
    seen = read[..., None] & np.isfinite(case.v)
    values = np.broadcast_to(np.abs(case.v), seen.shape)
    return float(values.max(initial=0, where=seen)) or 1.0
