"""What a diagnosis says, and how it weighs one explanation against another."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnviz.core.checks.check import Check
from attnviz.core.faults import Fault
from attnviz.core.shapes import FloatArray

DiagnosisVerdict = Literal["right", "wrong", "convention"]

# As many explanations as are worth reading.
_AT_MOST = 5
# Single precision, for numbers of ordinary size.
_COARSE = 1e-5
# With fewer decimals than these, right and wrong numbers look alike.
_DECIMALS = range(2, 9)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mistake that could explain a result.

    Attributes
    ----------
    fault : Fault
        The mistake.
    distance : float
        Largest difference between the result and what the mistake gives, measured as
        the check ``loop`` measures.
    variant : str
        Which variant of the mistake.
    convention : bool
        Whether others do this on purpose.
    """

    fault: Fault
    distance: float
    variant: str
    convention: bool


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is the matter with a result.

    Attributes
    ----------
    verdict : {"right", "wrong", "convention"}
        "right": to the digits that were given, even where a check asks for more;
        "convention": not what the chapter does, but what others do on purpose.
    checks : tuple of Check
        The single checks.
    candidates : tuple of Candidate
        Mistakes that explain the result better than right code does, best first.
    """

    verdict: DiagnosisVerdict
    checks: tuple[Check, ...]
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """How far a result is from the right one, and how far it may be.

    Attributes
    ----------
    checks : tuple of Check
        Checks of what has a right answer.
    right : float
        Distance from the right result.
    limit : float
        Distance that rounding explains.
    resolution : float
        Distance that the digits of the result explain.
    """

    checks: tuple[Check, ...]
    right: float
    limit: float
    resolution: float


def shortlist(
    candidates: Iterable[Candidate], evidence: Evidence
) -> tuple[Candidate, ...]:
    """Keep the explanations that beat the one that all is right.

    Parameters
    ----------
    candidates : iterable of Candidate
        All mistakes that could be made.
    evidence : Evidence
        How far the result is from the right one.

    Returns
    -------
    candidates : tuple of Candidate
        At most five, best first; of those that fit, what others do on purpose first.
    """
    if evidence.right <= evidence.limit:
        return ()
    ranked = sorted(
        (c for c in candidates if c.distance < evidence.right / 2),
        key=lambda c: (
            max(c.distance, evidence.resolution),
            not c.convention,
            c.distance,
        ),
    )
    return tuple(ranked[:_AT_MOST])


def conclude(candidates: tuple[Candidate, ...], evidence: Evidence) -> DiagnosisVerdict:
    """Weigh the explanations and the checks.

    Parameters
    ----------
    candidates : tuple of Candidate
        Explanations that beat the right one, best first.
    evidence : Evidence
        How far the result is from the right one.

    Returns
    -------
    verdict : {"right", "wrong", "convention"}
        Right code with few digits is still right.
    """
    failed = {check.id for check in evidence.checks if check.verdict == "fail"}
    fits = [c for c in candidates if c.distance <= evidence.resolution]
    if fits and fits[0].convention:
        return "convention"
    if not failed:
        named = any(check.verdict == "convention" for check in evidence.checks)
        return "convention" if named else "right"
    exact = any(c.distance <= evidence.limit for c in fits)
    close = evidence.right <= evidence.resolution
    if close and not exact and "hidden_weights" not in failed:
        return "right"
    return "wrong"


def resolution_of(*arrays: FloatArray | None) -> float:
    """Tell how precise numbers are, from the digits they were given with.

    Parameters
    ----------
    *arrays : FloatArray or None
        Results that someone gave.

    Returns
    -------
    resolution : float
        Half a unit of the last decimal if all were rounded alike; else, and at least,
        what single precision resolves.

    Examples
    --------
    >>> resolution_of(np.array([0.6652, 0.2447, 0.0900]))
    5e-05
    """
    return max(
        (_resolution(array) for array in arrays if array is not None), default=_COARSE
    )


def _resolution(array: FloatArray) -> float:
    finite = array[np.isfinite(array)].astype(np.float64)
    for decimals in _DECIMALS:
        scaled = finite * 10.0**decimals
        if np.abs(scaled - np.rint(scaled)).max(initial=0) < 1e-4:
            return max(0.5 * 10.0**-decimals, _COARSE)
    return _COARSE
