"""Results that someone computed, and how far they are from those of a loop."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.cases import AttentionCase
from attnviz.core.checks.check import differences, tolerance_for
from attnviz.core.checks.loops import attend_by_query
from attnviz.core.errors import ShapeError
from attnviz.core.shapes import FloatArray, as_floats


@dataclass(frozen=True, slots=True)
class AttentionResult:
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
    tolerance : float
        What the least precise array needs, for numbers of ordinary size.
    """

    weights: FloatArray
    context: FloatArray
    has_table: bool
    from_core: bool
    tolerance: float


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
        What someone computed.

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
    if found_context.shape != answer.context.shape:
        raise ShapeError(
            "check_attention: `context` needs shape (..., T_q, d_v) = "
            f"{answer.context.shape}; got {found_context.shape}"
        )
    return AttentionResult(
        weights=found_weights,
        context=found_context,
        has_table=found_weights.shape == answer.weights.shape,
        from_core=np.array_equal(found_weights, answer.weights, equal_nan=True),
        tolerance=tolerance_for(case.q, found_weights, found_context),
    )


def loop_gaps(case: AttentionCase, result: AttentionResult) -> FloatArray:
    """Measure how far each row is from the loop's.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    result : AttentionResult
        What was computed.

    Returns
    -------
    gaps : FloatArray of shape (..., T_q)
        Largest difference of a weight, or of the context over the largest value.
    """
    weights, context = attend_by_query(case)
    gaps: FloatArray = differences(result.context, context).max(axis=-1, initial=0)
    gaps = gaps / value_size(case)
    if result.has_table:
        of_weights = differences(result.weights, weights).max(axis=-1, initial=0)
        gaps = np.maximum(gaps, of_weights)
    return gaps


def score_size(case: AttentionCase) -> float:
    """Give the factor by which rounding errors grow with the scores.

    Parameters
    ----------
    case : AttentionCase
        What was asked.

    Returns
    -------
    size : float
        1 for small scores, a tenth of the largest visible one for large scores.
    """
    scores = np.abs(case.answer.scores)
    counted = case.visible & np.isfinite(scores)
    return 1 + 0.1 * float(scores.max(initial=0, where=counted))


def value_size(case: AttentionCase) -> float:
    """Give the factor by which rounding errors grow with the values.

    Parameters
    ----------
    case : AttentionCase
        What was asked.

    Returns
    -------
    size : float
        The largest finite value, at least 1.
    """
    return float(np.abs(case.v).max(initial=1, where=np.isfinite(case.v)))
