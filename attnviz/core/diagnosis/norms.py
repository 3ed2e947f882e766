"""Say whether Layer Normalization was computed rightly, and if not, what went wrong."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks._measures import differences
from attnviz.core.checks._norms import (
    NormBlur,
    NormCase,
    check_norm_case,
    norm_case,
    norm_gaps,
    norm_limits,
)
from attnviz.core.diagnosis._reading import norm_readings
from attnviz.core.diagnosis._weighing import (
    Evidence,
    Surprise,
    Trial,
    best_reading,
    conclude,
    shortlist,
)
from attnviz.core.diagnosis.diagnosis import Candidate, Diagnosis
from attnviz.core.faults import FAULTS, Fault, Variant


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
        If there is no number to diagnose, or `eps` is below 0, or 0 where the numbers
        of a position are all equal.

    Examples
    --------
    >>> found = diagnose_layer_norm([1.0, 2, 3, 6], [-0.92582, -0.46291, 0.0, 1.38873])
    >>> found.verdict, found.candidates[0].fault.id, found.candidates[0].variant
    ('wrong', 'P26', 'one_less')
    """
    case = norm_case(x, output, gamma=gamma, beta=beta, eps=eps)
    if case.output.size == 0:
        raise ValueError("diagnose_layer_norm: `output` holds no number to diagnose")
    with np.errstate(all="ignore"):
        return replace(_judge(case), checks=check_norm_case(case))


def _judge(case: NormCase) -> Diagnosis:
    """Weigh the ways to read the digits against the mistakes."""
    readings = tuple(norm_readings(case))
    strict, evidence, printed = best_reading(readings, _weigh, _is_printed)
    trials: tuple[Trial, ...] = ()
    surprise = _surprise(readings[0])
    if not printed and not evidence.explained:
        trials = shortlist(_trials(readings), strict)
    elif printed and not surprise.doubtful:
        # Rounding of the inputs explains it; a mistake must do so without.
        exact = [reading for reading in readings if not _is_printed(reading)]
        trials = surprise.beyond_doubt(shortlist(_trials(exact), strict))
        evidence = strict if trials else evidence
    verdict = conclude(trials, evidence)
    named = () if verdict == "right" else tuple(trial.candidate for trial in trials)
    return Diagnosis(verdict, (), named, strict.right)


def _is_printed(reading: NormCase) -> bool:
    return reading.blur != NormBlur()


def _weigh(reading: NormCase) -> Evidence:
    """Check an output as it is read, and measure how far it is from the right one."""
    gaps = norm_gaps(reading)
    return Evidence(
        checks=check_norm_case(reading),
        right=float(gaps.max(initial=0)),
        explained=bool((gaps <= norm_limits(reading)).all()),
    )


def _surprise(reading: NormCase) -> Surprise:
    """Compare the output with the right one, as one of its readings."""
    return Surprise.of(norm_gaps(reading), norm_limits(reading))


def _trials(readings: Sequence[NormCase]) -> Iterator[Trial]:
    """Make every mistake with the same input, and see how near it comes."""
    for fault in FAULTS:
        for variant in fault.variants:
            if variant.subject != "layer_norm":
                continue
            trial = _fixed(readings, fault, variant)
            solved = _solved(readings, fault, variant)
            if trial is not None and (trial.candidate.fits or solved is None):
                yield trial
            elif solved is not None:
                yield solved


def _fixed(
    readings: Sequence[NormCase], fault: Fault, variant: Variant
) -> Trial | None:
    """Make a mistake with the ε that was asked for."""
    if variant.name == "other_eps":
        return None
    case = readings[0]
    made = variant.run(case.answer)
    if made is None:
        return None
    distance = float(differences(case.output, made).max(initial=0))
    fits = any(_fits(reading, made) for reading in readings)
    return Trial(Candidate(fault, distance, variant.name, variant.convention, fits))


def _solved(
    readings: Sequence[NormCase], fault: Fault, variant: Variant
) -> Trial | None:
    """Make a mistake with the ε that the output tells."""
    if variant.solve is None:
        return None
    for reading in readings:
        found = variant.solve(reading.answer, reading.output)
        if found is None or not _fits(reading, found.made):
            continue
        if not _surprise(reading).telling(found.n_free):
            continue
        distance = float(differences(readings[0].output, found.made).max(initial=0))
        named = Candidate(
            fault, distance, variant.name, variant.convention, True, found.found
        )
        return Trial(named, found.n_free)
    return None


def _fits(reading: NormCase, made: FloatArray) -> bool:
    gaps = differences(reading.output, made)
    return bool((gaps <= norm_limits(reading)).all())
