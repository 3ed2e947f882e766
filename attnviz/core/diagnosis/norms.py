"""Say whether Layer Normalization was computed rightly, and if not, what went wrong."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from attnviz.core.checks.check import differences
from attnviz.core.checks.norms import NormCase, check_norm_case, norm_case, norm_gaps
from attnviz.core.diagnosis.diagnosis import (
    Candidate,
    Diagnosis,
    Evidence,
    conclude,
    resolution_of,
    shortlist,
)
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
    evidence = Evidence(
        checks=checks,
        right=float((norm_gaps(case) / case.size).max(initial=0)),
        limit=case.tolerance,
        resolution=case.tolerance + resolution_of(case.output),
    )
    candidates = shortlist(_candidates(case), evidence)
    verdict = conclude(candidates, evidence)
    return Diagnosis(verdict, checks, () if verdict == "right" else candidates)


def _candidates(case: NormCase) -> Iterator[Candidate]:
    """Make every mistake with the same input, and see how near it comes."""
    for fault in FAULTS:
        for variant in fault.variants:
            if variant.subject != "layer_norm":
                continue
            with np.errstate(all="ignore"):
                made = variant.run(case.answer)
            if made is not None:
                gaps = differences(case.output, made) / case.size
                distance = float(gaps.max(initial=0))
                yield Candidate(fault, distance, variant.name, variant.convention)
