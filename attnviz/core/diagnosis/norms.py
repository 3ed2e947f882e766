"""Say whether Layer Normalization was computed rightly, and if not, what went wrong."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from attnviz.core.checks._measures import differences
from attnviz.core.checks._norms import (
    NormCase,
    check_norm_case,
    norm_case,
    norm_gaps,
    norm_limits,
)
from attnviz.core.checks._rounding import Precision, digits_precision, source_precision
from attnviz.core.diagnosis._weighing import Evidence, Trial, conclude, shortlist
from attnviz.core.diagnosis.diagnosis import Candidate, Diagnosis
from attnviz.core.faults import FAULTS


def diagnose_layer_norm(
    x: npt.ArrayLike,
    output: npt.ArrayLike,
    *,
    gamma: npt.ArrayLike | None = None,
    beta: npt.ArrayLike | None = None,
    eps: float = 1e-5,
) -> Diagnosis:
    """Check a layer normalization, and compare it with what faulty code gives.

    Parameters
    ----------
    x, output, gamma, beta, eps : array_like and float
        As in `check_layer_norm`.

    Returns
    -------
    diagnosis : Diagnosis
        Verdict, checks, and the mistakes that explain the output.

    Raises
    ------
    ShapeError
        If an argument has another shape than `x` needs.
    ValueError
        If `eps` is not above 0.

    Examples
    --------
    >>> found = diagnose_layer_norm([1.0, 2, 3, 6], [-0.92582, -0.46291, 0.0, 1.38873])
    >>> found.verdict, found.candidates[0].fault.id, found.candidates[0].variant
    ('wrong', 'P26', 'one_less')
    """
    case = norm_case(x, output, gamma=gamma, beta=beta, eps=eps)
    checks = check_norm_case(case)
    given = replace(case, precision=_precision(case))
    gaps = norm_gaps(given)
    evidence = Evidence(
        checks=check_norm_case(given),
        right=float(gaps.max(initial=0)),
        explained=bool((gaps <= norm_limits(given)).all()),
    )
    trials = shortlist(_trials(given), evidence)
    verdict = conclude(trials, evidence)
    candidates = () if verdict == "right" else tuple(t.candidate for t in trials)
    return Diagnosis(verdict, checks, candidates)


def _precision(case: NormCase) -> Precision:
    """Read the precision out of the digits of the output."""
    read = digits_precision(case.output).with_other(case.precision)
    return read.with_other(source_precision(case.answer.x)) if read.printed else read


def _trials(case: NormCase) -> Iterator[Trial]:
    """Make every mistake with the same input, and see how near it comes."""
    limits = norm_limits(case)
    for fault in FAULTS:
        for variant in fault.variants:
            if variant.subject != "layer_norm":
                continue
            with np.errstate(all="ignore"):
                made = variant.run(case.answer)
            if made is None:
                continue
            gaps = differences(case.output, made)
            candidate = Candidate(
                fault, float(gaps.max(initial=0)), variant.name, variant.convention
            )
            yield Trial(candidate, bool((gaps <= limits).all()))
