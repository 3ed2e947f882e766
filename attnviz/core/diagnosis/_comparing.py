"""Compare matrices with right ones, and with what faulty code makes of the same."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.checks._measures import differences, worst
from attnviz.core.checks._rounding import (
    Precision,
    digits_precision,
    source_precision,
)
from attnviz.core.checks.check import Check
from attnviz.core.diagnosis._reading import middle
from attnviz.core.diagnosis._weighing import (
    FOUND,
    Evidence,
    Surprise,
    Trial,
    best_reading,
    conclude,
    shortlist,
)
from attnviz.core.diagnosis.diagnosis import Candidate, Diagnosis
from attnviz.core.errors import ShapeError
from attnviz.core.faults import Fault, Variant


def precision_of(found: FloatArray, *sources: FloatArray) -> Precision:
    """Read the precision of a result out of its digits, and of what it was made from.

    Parameters
    ----------
    found : FloatArray
        What someone computed.
    *sources : FloatArray
        What it was computed from.

    Returns
    -------
    precision : Precision
        The worse of both; inputs count where the result was printed.
    """
    own = digits_precision(found)
    return own.with_other(source_precision(*sources)) if own.printed else own


@dataclass(frozen=True, slots=True)
class Part:
    """One matrix that was given, and what it should be.

    Attributes
    ----------
    name : str
        What the argument is called.
    found, exact : FloatArray
        What was given, and the right one.
    precision : Precision
        What it was computed with and rounded to.
    error : callable
        Bounds what is lost before the last digit, with inputs off by so many times
        half of their last digits: 0, 1 or 2.
    counted : BoolArray
        Which numbers have a right answer.
    check : str
        Name of the check.
    """

    name: str
    found: FloatArray
    exact: FloatArray
    precision: Precision
    error: Callable[[int], FloatArray]
    counted: BoolArray = field(default_factory=lambda: np.ones((), dtype=np.bool_))
    check: str = "loop"

    @property
    def is_odd(self) -> bool:
        """Whether it has another shape than the right one."""
        return self.found.shape != self.exact.shape


@dataclass(frozen=True, slots=True)
class Attempt:
    """What faulty code gives for the parts, by name.

    Attributes
    ----------
    fault, variant : Fault and Variant
        The mistake.
    made : mapping of str to FloatArray
        What it gives; a part that is missing is not explained.
    convention : bool
        Whether others do this on purpose here.
    found : mapping of str to float
        Values taken from the result.
    n_free : int
        How many numbers of the result they are taken from.
    """

    fault: Fault
    variant: Variant
    made: Mapping[str, FloatArray]
    convention: bool
    found: Mapping[str, float | tuple[float, ...]] = field(default_factory=dict)
    n_free: int = 0


def compare(
    operation: str,
    parts: Sequence[Part],
    attempts: Callable[[], Iterator[Attempt]],
    *,
    inputs_printed: bool,
) -> Diagnosis:
    """Judge parts, and name the mistakes that explain all of them.

    Parameters
    ----------
    operation : str
        Function that was called.
    parts : sequence of Part
        What was given.
    attempts : callable
        Makes the mistakes.
    inputs_printed : bool
        Whether inputs may have lost digits.

    Returns
    -------
    diagnosis : Diagnosis
        Verdict, one check for each part, and candidates.

    Raises
    ------
    ShapeError
        If a part has a shape that no mistake gives it.
    ValueError
        If a part holds no number.
    """
    for part in parts:
        if part.found.size == 0:
            raise ValueError(f"{operation}: `{part.name}` holds no number to diagnose")
    with np.errstate(all="ignore"):
        readings = tuple(_readings(parts, inputs_printed=inputs_printed))
        checks = _checks(readings[0])
        if any(part.is_odd for part in parts):
            return _judge_odd(operation, readings, tuple(attempts()), checks)
        return _judge(readings, attempts, checks)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read all digits: rounded or cut off, from exact or printed inputs.

    Attributes
    ----------
    views : tuple of (Part, FloatArray, FloatArray)
        Each part, its numbers so read, and how far they may be off.
    is_printed : bool
        Whether inputs are taken for printed.
    """

    views: tuple[tuple[Part, FloatArray, FloatArray], ...]
    is_printed: bool

    @classmethod
    def of(
        cls, parts: Sequence[Part], *, cut_off: bool = False, times: int = 0
    ) -> "_Reading":
        """Read all parts in one way."""
        views = []
        for part in parts:
            found, known = part.found, part.precision
            if cut_off and known.printed and not part.is_odd:
                found = middle(found, part.exact, known)
            lost = known.floor + known.lost(part.exact)
            views.append((part, found, part.error(times) + lost))
        return cls(tuple(views), times > 0)

    def fits(self, attempt: Attempt) -> bool:
        """Tell whether a mistake explains every number."""
        slack = FOUND if attempt.n_free else 1.0
        return all(
            bool((gaps <= slack * _grown(may, made, part.exact)).all())
            for part, found, may in self.views
            for made in [attempt.made[part.name]]
            for gaps in [differences(found, made)]
        )


def _readings(parts: Sequence[Part], *, inputs_printed: bool) -> Iterator[_Reading]:
    cut_off = any(part.precision.printed for part in parts)
    yield _Reading.of(parts)
    if cut_off:
        yield _Reading.of(parts, cut_off=True)
    if inputs_printed:
        yield _Reading.of(parts, times=1)
        if cut_off:
            yield _Reading.of(parts, cut_off=True, times=2)


def _checks(reading: _Reading) -> tuple[Check, ...]:
    """Compare each part with the right one, where there is one."""
    return tuple(
        Check(part.check, "fail", np.inf, None, None)
        if part.is_odd
        else worst(
            part.check,
            np.where(part.counted, differences(found, part.exact), 0),
            np.broadcast_to(may, part.exact.shape),
        )
        for part, found, may in reading.views
    )


def _weigh(reading: _Reading) -> Evidence:
    """Measure how far all parts are from the right ones.

    What has no right answer cannot be wrong.
    """
    checks = _checks(reading)
    failed = any(check.verdict == "fail" for check in checks)
    right, explained = 0.0, True
    for part, found, may in reading.views:
        gaps = differences(found, part.exact)
        judged = part.counted | (not failed)
        right = max(right, float(gaps.max(initial=0, where=judged)))
        explained = explained and bool((gaps <= may).all(where=judged))
    return Evidence(checks, right, explained)


def _surprise(reading: _Reading) -> Surprise:
    terms = [
        Surprise.of(
            np.where(part.counted, differences(found, part.exact), 0), may
        ).terms
        for part, found, may in reading.views
    ]
    return Surprise(np.sort(np.concatenate(terms))[::-1])


def _judge(
    readings: Sequence[_Reading],
    attempts: Callable[[], Iterator[Attempt]],
    checks: tuple[Check, ...],
) -> Diagnosis:
    """Weigh the ways to read the digits against the mistakes."""
    strict, evidence, printed = best_reading(
        readings, _weigh, lambda reading: reading.is_printed
    )
    trials: tuple[Trial, ...] = ()
    surprise = _surprise(readings[0])
    if not printed and not evidence.explained:
        trials = shortlist(_trials(readings, attempts()), strict)
    elif printed and not surprise.doubtful:
        # Rounding of the inputs explains it; a mistake must do so without.
        exact = [reading for reading in readings if not reading.is_printed]
        nearest = shortlist(_trials(exact, attempts()), strict)
        trials = surprise.beyond_doubt(nearest)
        evidence = strict if trials else evidence
    verdict = conclude(trials, evidence)
    named = () if verdict == "right" else tuple(trial.candidate for trial in trials)
    return Diagnosis(verdict, checks, named, strict.right)


def _judge_odd(
    operation: str,
    readings: Sequence[_Reading],
    attempts: Sequence[Attempt],
    checks: tuple[Check, ...],
) -> Diagnosis:
    """Look for a mistake that gives a part another shape."""
    trials = tuple(_trials(readings, attempts))
    for part, _, _ in readings[0].views:
        shapes = {
            made.shape
            for attempt in attempts
            if (made := attempt.made.get(part.name)) is not None
        }
        if part.is_odd and part.found.shape not in shapes:
            raise ShapeError(
                f"{operation}: `{part.name}` needs shape {part.exact.shape}, or one "
                f"that a known mistake gives it; got {part.found.shape}"
            )
    lost = Evidence(checks, np.inf, explained=False)
    named = tuple(trial.candidate for trial in shortlist(trials, lost))
    return Diagnosis("wrong", checks, named, np.inf)


def _trials(
    readings: Sequence[_Reading], attempts: Iterator[Attempt] | Sequence[Attempt]
) -> Iterator[Trial]:
    """See how near each mistake comes; a fit by free numbers must be telling."""
    parts = [part for part, _, _ in readings[0].views]
    for attempt in attempts:
        if not all(
            part.name in attempt.made
            and attempt.made[part.name].shape == part.found.shape
            for part in parts
        ):
            continue
        fits = [reading for reading in readings if reading.fits(attempt)]
        if attempt.n_free and not (fits and _surprise(fits[0]).telling(attempt.n_free)):
            continue
        distance = max(
            float(differences(part.found, attempt.made[part.name]).max(initial=0))
            for part in parts
        )
        candidate = Candidate(
            attempt.fault,
            distance,
            attempt.variant.name,
            attempt.convention,
            bool(fits),
            attempt.found,
        )
        yield Trial(candidate, attempt.n_free)


def _grown(may: FloatArray, made: FloatArray, exact: FloatArray) -> FloatArray:
    """Allow larger numbers than the right ones more, and others the most there is."""
    peak, right = (
        float(np.abs(a).max(initial=0, where=np.isfinite(a))) for a in (made, exact)
    )
    growth = max(1.0, peak / right) if right else 1.0
    allowed = may if may.shape == made.shape else may.max(initial=0)
    grown: FloatArray = np.asarray(allowed * growth)
    return grown
