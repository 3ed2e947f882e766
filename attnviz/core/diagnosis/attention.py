"""Say whether attention was computed rightly, and if not, how it went wrong."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.checks._attention import check_case
from attnviz.core.checks._result import (
    AttentionResult,
    errors_of,
    gaps_between,
    limits_of,
    loop_gaps,
    result_of,
)
from attnviz.core.checks._rounding import Limits, digits_precision, source_precision
from attnviz.core.checks.case import AttentionCase, attention_case
from attnviz.core.diagnosis._weighing import Evidence, Trial, conclude, shortlist
from attnviz.core.diagnosis.diagnosis import Candidate, Diagnosis
from attnviz.core.faults import FAULTS, Fault, Outcome, Variant
from attnviz.core.faults.dropout import recognize_dropout


def diagnose_attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    context: npt.ArrayLike | None = None,
    visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    scale: float | None = None,
    bias: npt.ArrayLike | None = None,
    softcap: float | None = None,
) -> Diagnosis:
    """Check attention results, and compare them with what faulty code gives.

    Parameters
    ----------
    q, k, v : array_like
        As in `check_attention`.
    weights, context : array_like, optional
        Results to diagnose; what is left out takes no part.
    visible, query_valid, scale, bias, softcap : optional
        As in `check_attention`.

    Returns
    -------
    diagnosis : Diagnosis
        Rows of padding queries, and of queries that see no key, can make it a
        convention but never wrong.

    Raises
    ------
    ShapeError
        If arguments disagree about a dimension.
    MaskError
        If a mask is not boolean or leaves its axes to be guessed.
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> rounded = [[0.7311, 0.2689], [0.2689, 0.7311]]
    >>> found = diagnose_attention(np.eye(2), np.eye(2), np.eye(2), weights=rounded)
    >>> found.verdict, found.candidates[0].fault.id, found.candidates[0].variant
    ('wrong', 'P02', 'unscaled')
    """
    case = attention_case(
        q,
        k,
        v,
        visible=visible,
        query_valid=query_valid,
        scale=scale,
        bias=bias,
        softcap=softcap,
    )
    result = result_of(case, weights, context)
    given = _Given.of(
        case,
        result,
        weights=None if weights is None else result.weights,
        context=None if context is None else result.context,
    )
    # A row without a right answer cannot be a wrong one.
    judged = check_case(replace(case, query_valid=case.answered), given.result)
    gaps = loop_gaps(case, given.result)
    failed = any(check.verdict == "fail" for check in judged)
    rows = case.answered if failed else np.ones_like(case.answered)
    evidence = Evidence(
        checks=judged,
        right=float(gaps.measured.max(initial=0, where=rows)),
        explained=bool(gaps.explained.all(where=rows)),
    )
    if not result.has_table:
        evidence = replace(evidence, right=np.inf, explained=False)
    trials = shortlist(_trials(case, given, rows), evidence)
    verdict = conclude(trials, evidence)
    candidates = () if verdict == "right" else tuple(t.candidate for t in trials)
    return Diagnosis(verdict, check_case(case, result), candidates)


@dataclass(frozen=True, slots=True)
class _Given:
    """What someone gave to be diagnosed, and the result as precise as its digits."""

    weights: FloatArray | None
    context: FloatArray | None
    result: AttentionResult

    @classmethod
    def of(
        cls,
        case: AttentionCase,
        result: AttentionResult,
        *,
        weights: FloatArray | None,
        context: FloatArray | None,
    ) -> "_Given":
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
        return cls(weights, context, read)


def _trials(case: AttentionCase, given: _Given, rows: BoolArray) -> Iterator[Trial]:
    """Make every mistake with the same inputs, and see how near it comes."""
    asked = not (case.visible & case.query_valid[..., None]).all()
    errors = errors_of(case, given.result)
    plain = result_of(case)
    still = limits_of(case, plain, case.answer.weights, errors_of(case, plain))
    for fault in FAULTS:
        for variant in fault.variants:
            if variant.subject != "attention":
                continue
            with np.errstate(all="ignore"):
                made = _make(case, given, fault, variant)
            if made is None or _does_nothing(case, made, still):
                continue
            distance, fits = _distance(case, given, rows, made, errors)
            # Nobody reads a mask in another way where there is none.
            convention = variant.convention and (asked or fault.stage != "mask")
            candidate = Candidate(fault, distance, variant.name, convention)
            yield Trial(candidate, fits, fitted=fault.stage == "dropout")


def _make(
    case: AttentionCase, given: _Given, fault: Fault, variant: Variant
) -> Outcome | None:
    """Make one mistake; what dropout leaves is chance, so it is read off instead."""
    if fault.stage != "dropout":
        made: Outcome | None = variant.run(case)
        return made
    if given.weights is None or given.weights.shape != case.visible.shape:
        return None
    return recognize_dropout(case, given.weights, rescale=variant.convention)


def _does_nothing(case: AttentionCase, made: Outcome, still: Limits) -> bool:
    """Tell whether a mistake makes no difference to these inputs."""
    if made.weights.shape != case.answer.weights.shape:
        return False
    right = case.answer.weights, case.answer.context
    gaps = gaps_between(case, (made.weights, made.context), right, still)
    return all(part.explained.all() for part in gaps)


def _distance(
    case: AttentionCase,
    given: _Given,
    rows: BoolArray,
    made: Outcome,
    errors: FloatArray,
) -> tuple[float, bool]:
    """Measure as `loop_gaps` does, over what was given, and tell whether it fits."""
    if given.weights is not None and given.weights.shape != made.weights.shape:
        return np.inf, False
    gaps = gaps_between(
        case,
        (given.weights, given.context),
        (made.weights, made.context),
        limits_of(case, given.result, made.weights, errors),
    )
    distance, fits = 0.0, True
    for part in gaps:
        # Tables of another shape have other rows.
        alike = part.measured.shape[:-1] == rows.shape
        counted = rows[..., None] if alike else np.ones((), dtype=np.bool_)
        distance = max(distance, float(part.measured.max(initial=0, where=counted)))
        fits = fits and bool(part.explained.all(where=counted))
    return distance, fits
