"""Say whether attention was computed rightly, and if not, how it went wrong."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from attnviz.core.cases import AttentionCase, attention_case
from attnviz.core.checks.attention import check_case
from attnviz.core.checks.check import differences
from attnviz.core.checks.result import loop_gaps, result_of, score_size, value_size
from attnviz.core.diagnosis.diagnosis import (
    Candidate,
    Diagnosis,
    Evidence,
    conclude,
    resolution_of,
    shortlist,
)
from attnviz.core.faults import FAULTS, Fault, Outcome, Variant
from attnviz.core.faults.dropout import recognize_dropout
from attnviz.core.shapes import BoolArray, FloatArray


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
    given = _Given(
        None if weights is None else result.weights,
        None if context is None else result.context,
    )
    # A row without a right answer cannot be a wrong one.
    judged = check_case(replace(case, query_valid=case.answered), result)
    failed = any(check.verdict == "fail" for check in judged)
    rows = case.answered if failed else np.ones_like(case.answered)
    size = score_size(case)
    gaps = loop_gaps(case, result)
    evidence = Evidence(
        checks=judged,
        right=float(gaps.max(initial=0, where=rows)) if result.has_table else np.inf,
        limit=result.tolerance * size,
        resolution=result.tolerance * size
        + resolution_of(given.weights, given.context) * size,
    )
    candidates = shortlist(_candidates(case, given, rows), evidence)
    verdict = conclude(candidates, evidence)
    return Diagnosis(
        verdict=verdict,
        checks=check_case(case, result),
        candidates=() if verdict == "right" else candidates,
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """What someone gave to be diagnosed."""

    weights: FloatArray | None
    context: FloatArray | None


def _candidates(
    case: AttentionCase, given: _Given, rows: BoolArray
) -> Iterator[Candidate]:
    """Make every mistake with the same inputs, and see how near it comes."""
    for fault in FAULTS:
        for variant in fault.variants:
            if variant.subject != "attention":
                continue
            with np.errstate(all="ignore"):
                made = _make(case, given, fault, variant)
            if made is not None:
                distance = _distance(case, given, rows, made)
                yield Candidate(fault, distance, variant.name, variant.convention)


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


def _distance(
    case: AttentionCase, given: _Given, rows: BoolArray, made: Outcome
) -> float:
    """Measure as `loop_gaps` does, over what was given."""
    distance = 0.0
    if given.weights is not None:
        if given.weights.shape != made.weights.shape:
            return np.inf
        gaps = differences(given.weights, made.weights)
        counted = rows[..., None] if gaps.shape == case.visible.shape else True
        distance = float(gaps.max(initial=0, where=counted))
    if given.context is not None:
        gaps = differences(given.context, made.context) / value_size(case)
        distance = max(distance, float(gaps.max(initial=0, where=rows[..., None])))
    return distance
