"""The eight checks of attention."""

from collections.abc import Callable

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, quiet
from attnviz.core.checks._divisor import check_divisor
from attnviz.core.checks._measures import (
    beyond_shares,
    differences,
    fewest_keys,
    not_applicable,
    worst,
)
from attnviz.core.checks._result import AttentionResult, loop_gaps
from attnviz.core.checks.case import AttentionCase
from attnviz.core.checks.check import Check, CheckVerdict

# Factor on the scores under which a softmax without its maximum overflows.
_BLOW_UP = 1e4


@quiet
def check_case(case: AttentionCase, result: AttentionResult) -> tuple[Check, ...]:
    """Run the eight checks of `check_attention`, in its order."""
    return (
        _by_weights("row_sums", _row_sums, case, result),
        _by_weights("hidden_weights", _hidden_weights, case, result),
        _by_weights("constant_values", _constant_values, case, result),
        _visible_keys(case, result),
        _by_weights("divisor", _divisor, case, result),
        _by_weights("max_subtracted", _max_subtracted, case, result),
        _score_table(case, result),
        _loop(case, result),
    )


def _by_weights(
    name: str,
    check: Callable[[AttentionCase, AttentionResult], Check],
    case: AttentionCase,
    result: AttentionResult,
) -> Check:
    """Run a check that needs a weight for each score."""
    return check(case, result) if result.has_table else not_applicable(name)


def _row_sums(case: AttentionCase, result: AttentionResult) -> Check:
    gaps = np.maximum(_sum_gaps(case, result.weights), _beyond(case, result.weights))
    return worst("row_sums", gaps, _sum_limits(case, result))


def _sum_limits(case: AttentionCase, result: AttentionResult) -> FloatArray:
    """Allow each weight that is seen, or is not 0, the digits it lost."""
    lost = result.of_weights.floor + result.of_weights.lost(result.weights)
    losing = case.visible | (result.weights != 0)
    limits: FloatArray = result.of_weights.tolerance + lost.sum(axis=-1, where=losing)
    return limits


def _sum_gaps(case: AttentionCase, weights: FloatArray) -> FloatArray:
    """Measure |Σ − 1| of the valid rows; a row without keys may also be all zero."""
    with np.errstate(invalid="ignore", over="ignore"):
        sums = weights.sum(axis=-1, dtype=np.float64)
    empty = ~case.answered & (sums == 0)
    settled = ~case.query_valid | empty | case.undefined
    return np.where(settled, 0, differences(sums, np.ones(sums.shape)))


def _beyond(case: AttentionCase, weights: FloatArray) -> FloatArray:
    """Measure how far the valid rows reach out of [0, 1], which no sum shows."""
    settled = ~case.query_valid | case.undefined
    return np.where(settled, 0, beyond_shares(weights))


def _hidden_weights(case: AttentionCase, result: AttentionResult) -> Check:
    hidden = ~case.visible & case.query_valid[..., None]
    return worst("hidden_weights", np.where(hidden, result.weights, 0), 0)


def _constant_values(case: AttentionCase, result: AttentionResult) -> Check:
    """Mix values that are all the row (1, …, d_v), which must come out again."""
    row = np.arange(1, case.v.shape[-1] + 1, dtype=np.float64)
    values = np.broadcast_to(row, case.v.shape[-2:])
    with np.errstate(invalid="ignore", over="ignore"):
        mixed = result.weights.astype(np.float64, copy=False) @ values
    gaps = differences(mixed / row, np.ones(mixed.shape))
    return worst(
        "constant_values",
        np.where((case.answered & ~case.undefined)[..., None], gaps, 0),
        _sum_limits(case, result)[..., None],
    )


def _divisor(case: AttentionCase, result: AttentionResult) -> Check:
    return check_divisor(case, result.weights, result.of_weights, result.blur)


def _visible_keys(case: AttentionCase, result: AttentionResult) -> Check:
    """Count the keys of each query; one without any weight saw none, mask or not."""
    seen = case.visible
    if result.has_table:
        seen = seen & (result.weights != 0).any(axis=-1, keepdims=True)
    return fewest_keys(seen, case.query_valid)


def _max_subtracted(case: AttentionCase, result: AttentionResult) -> Check:
    if not result.from_core:
        defined = case.answered & ~case.undefined
        broken = ~np.isfinite(result.weights) & defined[..., None]
        check = worst("max_subtracted", np.where(broken, np.inf, 0), 0)
        return check if check.verdict == "fail" else not_applicable("max_subtracted")
    if not _can_blow_up(case):
        return not_applicable("max_subtracted")
    blown_up = case.again(scale=case.scale * _BLOW_UP)
    gaps = _sum_gaps(case, blown_up.weights)
    return worst("max_subtracted", gaps, _sum_limits(case, result))


def _can_blow_up(case: AttentionCase) -> bool:
    """Tell whether scores that are finite stay so, softmax or not."""
    seen = case.visible & np.isfinite(case.sizes)
    largest = float(case.sizes.max(initial=0, where=seen))
    room = float(np.finfo(np.promote_types(case.q.dtype, np.float32)).max)
    return largest * max(abs(case.scale) * _BLOW_UP, 1) < room


def _score_table(case: AttentionCase, result: AttentionResult) -> Check:
    verdict: CheckVerdict = "pass" if result.has_table else "fail"
    found, wanted = int(result.weights.size), int(case.visible.size)
    return Check("score_table", verdict, found, None, None, wanted)


def _loop(case: AttentionCase, result: AttentionResult) -> Check:
    """Compare with the loop; rows that nobody reads may hold anything."""
    gaps = loop_gaps(case, result)
    judged = np.where(case.answered, gaps.measured, 0)
    allowed = np.where(case.answered, gaps.allowed, np.max(gaps.allowed, initial=0))
    check = worst("loop", judged, allowed)
    if check.verdict == "fail":
        return check
    other = worst("loop", gaps.measured, gaps.allowed)
    if other.verdict == "pass":
        return check
    return Check("loop", "convention", other.measured, other.tolerance, other.where)
