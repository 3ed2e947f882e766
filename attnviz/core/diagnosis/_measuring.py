"""How far a result, as it is read, is from the right one or from an explanation."""

from dataclasses import dataclass, replace

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.checks._attention import check_case
from attnviz.core.checks._limits import Limits
from attnviz.core.checks._measures import differences
from attnviz.core.checks._result import (
    AttentionResult,
    Gaps,
    errors_of,
    gaps_between,
    limits_of,
    loop_gaps,
    value_size,
)
from attnviz.core.checks.case import AttentionCase
from attnviz.core.diagnosis._reading import Given
from attnviz.core.diagnosis._weighing import Evidence
from attnviz.core.faults import Outcome
from attnviz.core.faults.conventions import solve_guard


def weigh(case: AttentionCase, reading: AttentionResult) -> Evidence:
    """Check a result as it is read, and measure how far it is from the right one.

    A row without a right answer cannot be a wrong one.
    """
    checks = check_case(replace(case, query_valid=case.answered), reading)
    failed = any(check.verdict == "fail" for check in checks)
    gaps = loop_gaps(case, reading)
    rows = rows_to_explain(case, failed=failed)
    if not reading.has_table:
        return Evidence(checks, np.inf, explained=False)
    return Evidence(
        checks,
        right=float(gaps.measured.max(initial=0, where=rows)),
        explained=bool(gaps.explained.all(where=rows)),
    )


def is_guarded(case: AttentionCase, given: Given) -> bool:
    """Tell whether denominators hold a tiny number, as code against 0/0 adds."""
    for shifted in (True, False):
        made = solve_guard(case, given.weights, given.context, shifted=shifted)
        if made is None:
            continue
        measure = Measure(case, given.result, case.answered)
        if measure.fits(given, made, measure.limits(made)):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Measure:
    """One reading of a result, and the rows that an explanation must explain."""

    case: AttentionCase
    reading: AttentionResult
    rows: BoolArray

    def limits(self, made: Outcome, errors: FloatArray | None = None) -> Limits:
        """Bound how far the result may be from an explanation that is right."""
        if errors is None:
            errors = errors_of(self.case, self.reading)
        may = limits_of(self.case, self.reading, made.weights, errors)
        context = may.context
        if context.shape != made.context.shape:
            context = np.full(made.context.shape, context.max(initial=0))
        finite = np.isfinite(made.context)
        peak = float(np.abs(made.context).max(initial=0, where=finite))
        excess = max(peak - value_size(self.case), 0)
        return Limits(may.weights, context + self.reading.of_context.tolerance * excess)

    def gaps(self, given: Given, made: Outcome, may: Limits) -> tuple[Gaps, ...] | None:
        """Measure over what was given; None if that has another shape."""
        found = self._found(given)
        for mine, theirs in zip(found, (made.weights, made.context), strict=True):
            if mine is not None and mine.shape != theirs.shape:
                return None
        return gaps_between(self.case, found, (made.weights, made.context), may)

    def distance(self, given: Given, made: Outcome, size: float) -> float:
        """Give the largest difference, of a context over the largest value."""
        largest = 0.0
        parts = zip(
            self._found(given), (made.weights, made.context), (1.0, size), strict=True
        )
        for mine, theirs, unit in parts:
            if mine is None:
                continue
            if mine.shape != theirs.shape:
                return np.inf
            gaps = differences(mine, theirs)
            rows = self._counted(gaps)
            largest = max(largest, float(gaps.max(initial=0, where=rows)) / unit)
        return largest

    def _found(self, given: Given) -> tuple[FloatArray | None, FloatArray | None]:
        """Take of the reading what was given."""
        return (
            None if given.weights is None else self.reading.weights,
            None if given.context is None else self.reading.context,
        )

    def fits(self, given: Given, made: Outcome, may: Limits) -> bool:
        """Tell whether every number is explained."""
        gaps = self.gaps(given, made, may)
        return gaps is not None and all(
            bool(part.explained.all(where=self._counted(part.measured)))
            for part in gaps
        )

    def _counted(self, table: FloatArray) -> BoolArray:
        # Tables of another shape have other rows.
        alike = table.shape[:-1] == self.rows.shape
        return self.rows[..., None] if alike else np.ones((), dtype=np.bool_)


def rows_to_explain(case: AttentionCase, *, failed: bool) -> BoolArray:
    """Give the rows to explain: if one that has an answer is wrong, only such rows."""
    return case.answered if failed else np.ones_like(case.answered)
