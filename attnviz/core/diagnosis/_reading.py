"""The ways to read the digits of a result, and of what it was made from."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks._limits import Blur
from attnviz.core.checks._norms import NormBlur, NormCase
from attnviz.core.checks._result import AttentionResult
from attnviz.core.checks._rounding import (
    Precision,
    digits_precision,
    lost_in_print,
    source_precision,
)
from attnviz.core.checks.case import AttentionCase


@dataclass(frozen=True, slots=True)
class Given:
    """What someone gave to be diagnosed.

    Attributes
    ----------
    weights, context : FloatArray or None
        The result, as it was given.
    result : AttentionResult
        The same, as precise as its digits.
    """

    weights: FloatArray | None
    context: FloatArray | None
    result: AttentionResult

    def readings(self, case: AttentionCase) -> Iterator[AttentionResult]:
        """Read the result as rounded or cut off, from exact inputs or printed ones."""
        digits = self._digits()
        yield self.result
        if digits:
            yield self._cut_off(case)
        blur = Blur(
            *(
                0.0 if part is None else lost_digits(part, digits)
                for part in (case.q, case.k, case.v, case.bias)
            )
        )
        if blur.any:
            yield replace(self.result, blur=blur)
            if digits:
                twice = Blur(2 * blur.q, 2 * blur.k, 2 * blur.v, 2 * blur.bias)
                yield replace(self._cut_off(case), blur=twice)

    def _digits(self) -> float:
        """Give half a unit of the last decimal that was printed; 0 if none was."""
        parts = (
            (self.result.of_weights, self.weights),
            (
                self.result.of_context,
                self.context,
            ),
        )
        return max(
            (known.step for known, a in parts if a is not None),
            default=0.0,
        )

    def _cut_off(self, case: AttentionCase) -> AttentionResult:
        """Put numbers that lost their last digits in the middle of where they were."""
        read, answer = self.result, case.answer
        if self.weights is not None and read.has_table and read.of_weights.printed:
            counted = case.visible & case.query_valid[..., None]
            moved = middle(read.weights, answer.weights, read.of_weights)
            read = replace(read, weights=np.where(counted, moved, read.weights))
        same = read.context.shape == answer.context.shape
        if self.context is not None and same and read.of_context.printed:
            moved = middle(read.context, answer.context, read.of_context)
            read = replace(read, context=moved)
        return read


def read_attention(
    case: AttentionCase,
    result: AttentionResult,
    weights: FloatArray | None,
    context: FloatArray | None,
) -> Given:
    """Read the precision out of the digits of what was given."""
    precisions = [
        result.of_weights if array is None else digits_precision(array)
        for array in (weights, context)
    ]
    source = result.of_weights
    if any(precision.printed for precision in precisions):
        source = source.with_other(source_precision(case.q, case.k, case.v))
    of_weights, of_context = (
        own.with_other(other).with_other(source)
        for own, other in (precisions, precisions[::-1])
    )
    read = replace(result, of_weights=of_weights, of_context=of_context)
    return Given(weights, context, read)


def norm_readings(case: NormCase) -> Iterator[NormCase]:
    """Read an output as rounded or cut off, from exact inputs or printed ones."""
    precision = _norm_precision(case)
    rounded = replace(case, precision=precision)
    cut_off = replace(rounded, output=middle(case.output, case.exact, precision))
    digits = precision.step
    yield rounded
    if digits:
        yield cut_off
    trace = case.answer
    lost = [lost_digits(part, digits) for part in (trace.x, trace.gamma, trace.beta)]
    if any(lost):
        yield replace(rounded, blur=NormBlur(*lost))
        if digits:
            yield replace(cut_off, blur=NormBlur(*(2 * part for part in lost)))


def _norm_precision(case: NormCase) -> Precision:
    read = digits_precision(case.output).with_other(case.precision)
    return read.with_other(source_precision(case.answer.x)) if read.printed else read


def middle(found: FloatArray, right: FloatArray, known: Precision) -> FloatArray:
    """Move cut-off numbers away from 0 by half a unit; 0 to where it should be."""
    sign = np.sign(np.where(found == 0, np.nan_to_num(right), found))
    moved: FloatArray = found + known.lost(found) * np.nan_to_num(sign)
    return moved


def lost_digits(part: FloatArray, digits: float) -> float:
    """Tell how far printed inputs may be off.

    With a single decimal they are more often exact, unless the result has no more.
    """
    printed = lost_in_print(part)
    if printed is None or (printed[0] == 1 and digits < 0.05):
        return 0.0
    return printed[1]
