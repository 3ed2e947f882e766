"""How a diagnosis weighs one explanation against another."""

from collections.abc import Iterable
from dataclasses import dataclass

from attnviz.core.checks.check import Check
from attnviz.core.diagnosis.diagnosis import Candidate, DiagnosisVerdict

# As many explanations as are worth reading.
_AT_MOST = 5


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
    fits : bool
        Whether the digits that were given explain its distance.
    fitted : bool
        Whether it was made to fit the result.
    """

    candidate: Candidate
    fits: bool
    fitted: bool = False

    @property
    def rank(self) -> tuple[bool, bool, bool, float]:
        """Order: what fits unforced first, and of that what is done on purpose."""
        return (
            not self.fits,
            self.fits and self.fitted,
            self.fits and not self.candidate.convention,
            self.candidate.distance,
        )


def shortlist(trials: Iterable[Trial], evidence: Evidence) -> tuple[Trial, ...]:
    """Keep the explanations that beat the one that all is right.

    At most five, best first; of those that fit, what others do on purpose first.
    """
    if evidence.explained:
        return ()
    better = (t for t in trials if t.candidate.distance < evidence.right / 2)
    return tuple(sorted(better, key=lambda trial: trial.rank)[:_AT_MOST])


def conclude(trials: tuple[Trial, ...], evidence: Evidence) -> DiagnosisVerdict:
    """Weigh the explanations, best first, and the checks.

    What has a right answer, and is not right, is wrong unless others do just that on
    purpose; what has none is at most a convention.
    """
    if evidence.failed:
        meant = trials and trials[0].fits and trials[0].candidate.convention
        return "convention" if meant else "wrong"
    named = any(check.verdict == "convention" for check in evidence.checks)
    return "right" if evidence.explained and not named else "convention"
