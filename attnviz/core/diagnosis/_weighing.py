"""How a diagnosis weighs one explanation against another."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.checks.check import Check
from attnviz.core.diagnosis.diagnosis import Candidate, DiagnosisVerdict

# As many explanations as are worth reading.
_AT_MOST = 5
# A value that is taken from a result explains it if all other numbers agree by more
# than chance: by this much in natural logarithms.
_TELLING = 5.0
# What rounding of the inputs would explain too is a mistake only beyond any doubt.
_BEYOND_DOUBT = 20.0
# A value that was found from rounded numbers is a little off itself: what follows from
# it may be off by so many times more.
FOUND = 1.5


Reading = TypeVar("Reading")


@dataclass(frozen=True, slots=True)
class Evidence:
    """How far a result is from the right one.

    Attributes
    ----------
    checks : tuple of Check
        Checks of what has a right answer, by the digits that were given.
    right : float
        Distance from the right result, over the rows that explanations must explain.
    explained : bool
        Whether the digits that were given explain that distance.
    """

    checks: tuple[Check, ...]
    right: float
    explained: bool

    @property
    def failed(self) -> bool:
        """Whether something that has a right answer is not right."""
        return any(check.verdict == "fail" for check in self.checks)


@dataclass(frozen=True, slots=True)
class Trial:
    """A mistake that was tried.

    Attributes
    ----------
    candidate : Candidate
        The mistake.
    n_free : int
        How many numbers of the result it was made to fit by.
    """

    candidate: Candidate
    n_free: int = 0

    @property
    def rank(self) -> tuple[bool, bool, bool, float]:
        """Order: what fits unforced first, and of that what is done on purpose."""
        fits = self.candidate.fits
        return (
            not fits,
            fits and self.n_free > 0,
            fits and not self.candidate.convention,
            self.candidate.distance,
        )


def shortlist(trials: Iterable[Trial], evidence: Evidence) -> tuple[Trial, ...]:
    """Keep the explanations that beat the one that all is right.

    At most five, best first; of those that fit, what others do on purpose first. What
    was made to fit is not needed where something fits by itself.
    """
    if evidence.explained:
        return ()
    better = sorted(
        (t for t in trials if t.candidate.distance < evidence.right / 2),
        key=lambda trial: trial.rank,
    )
    if any(trial.candidate.fits and not trial.n_free for trial in better):
        better = [trial for trial in better if not trial.n_free]
    return tuple(better[:_AT_MOST])


def conclude(trials: tuple[Trial, ...], evidence: Evidence) -> DiagnosisVerdict:
    """Weigh the explanations, best first, and the checks.

    What has a right answer, and is not right, is wrong unless others do just that on
    purpose; what has none is at most a convention.
    """
    if evidence.failed:
        meant = trials and trials[0].candidate.fits and trials[0].candidate.convention
        return "convention" if meant else "wrong"
    named = any(check.verdict == "convention" for check in evidence.checks)
    return "right" if evidence.explained and not named else "convention"


def best_reading(
    readings: Sequence[Reading],
    weigh: Callable[[Reading], Evidence],
    is_printed: Callable[[Reading], bool],
) -> tuple[Evidence, Evidence, bool]:
    """Weigh a result as it is, and by the first reading under which nothing is wrong.

    Returns
    -------
    strict, evidence : Evidence
        By the first reading, and by the one that helps; the first again if none does.
    printed : bool
        Whether that one takes the inputs for printed.
    """
    strict = weigh(readings[0])
    for reading in readings[1:] if strict.failed else ():
        evidence = weigh(reading)
        if not evidence.failed:
            return strict, evidence, is_printed(reading)
    return strict, strict, False


@dataclass(frozen=True, slots=True)
class Surprise:
    """How unlikely a result would be if it were right, number by number.

    Attributes
    ----------
    terms : FloatArray
        Logarithm of how many times the difference from the right result exceeds what
        the digits of the result allow; largest first.
    """

    terms: FloatArray

    @classmethod
    def of(
        cls,
        measured: FloatArray,
        allowed: FloatArray,
        *,
        whole: BoolArray | None = None,
    ) -> "Surprise":
        """Compare differences of shape (..., n) with what is allowed.

        ``whole``: rows of a known sum, whose last number follows from the others.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            times = np.log(np.clip(np.nan_to_num(measured / allowed), 1, 1e16))
        rows = np.sort(times, axis=-1)
        if whole is not None:
            rows[..., -1:] = np.where(whole[..., None], 0, rows[..., -1:])
        return cls(np.sort(rows.ravel())[::-1])

    def telling(self, n_free: int) -> bool:
        """Whether numbers remain that a fit by `n_free` of them did not have to hit."""
        return float(self.terms[n_free:].sum()) > _TELLING

    def beyond_doubt(self, trials: Iterable[Trial]) -> tuple[Trial, ...]:
        """Keep what fits though rounding of the inputs cannot have made it fit."""
        return tuple(
            trial
            for trial in trials
            if trial.candidate.fits
            and float(self.terms[trial.n_free :].sum()) > _BEYOND_DOUBT
        )

    @property
    def doubtful(self) -> bool:
        """Whether nothing could be beyond doubt."""
        return float(self.terms.sum()) <= _BEYOND_DOUBT
