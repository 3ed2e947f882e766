"""What would tell two mistakes apart that explain a result equally well."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnviz.core.checks import AttentionCase
from attnviz.core.checks._measures import differences
from attnviz.core.diagnosis import Candidate, Diagnosis
from attnviz.core.faults import Outcome

# More decimals than a number in double precision has tell nothing.
_MOST = 15
_PARTS = ("weights", "context")


@dataclass(frozen=True, slots=True)
class Apart:
    """How two mistakes differ.

    Attributes
    ----------
    first, second : Candidate
        Two that fit.
    distance : float
        Largest difference between what both give, where the result is.
    decimals : int or None
        So many decimals of the result would show it; None if none would.
    other : str
        The result that differs where this one does not: "weights", "context" or "".
    """

    first: Candidate
    second: Candidate
    distance: float
    decimals: int | None
    other: str


def tell_apart(
    case: AttentionCase, diagnosis: Diagnosis, given: Sequence[str]
) -> tuple[Apart, ...]:
    """Compare the first mistake that fits with each other one.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    diagnosis : Diagnosis
        Its mistakes.
    given : sequence of str
        Which results there are.

    Returns
    -------
    apart : tuple of Apart
        Nothing of mistakes whose values were found from the result, nor of two
        variants of one mistake.
    """
    numbers = {
        each.fault.id: each for each in reversed(diagnosis.candidates) if each.fits
    }
    fitting = [each for each in diagnosis.candidates if each in numbers.values()]
    made = [(each, _made(case, each)) for each in fitting if not each.found]
    found = [(each, outcome) for each, outcome in made if outcome is not None]
    if len(found) < 2:
        return ()
    (first, one), *others = found
    return tuple(_compare(first, one, each, made, given) for each, made in others)


def _made(case: AttentionCase, candidate: Candidate) -> Outcome | None:
    variants = candidate.fault.variants
    named = next(each for each in variants if each.name == candidate.variant)
    with np.errstate(all="ignore"):
        outcome: Outcome | None = named.run(case)
    return outcome


def _compare(
    first: Candidate,
    one: Outcome,
    second: Candidate,
    two: Outcome,
    given: Sequence[str],
) -> Apart:
    gaps = {part: _gap(getattr(one, part), getattr(two, part)) for part in _PARTS}
    distance = max(gaps[part] for part in given)
    decimals = None
    if distance > 0:
        # The first digit in which they differ, and one more.
        needed = 1 + max(1, math.ceil(-math.log10(min(distance, 1.0))))
        decimals = needed if needed <= _MOST else None
    others = [part for part in _PARTS if part not in given and gaps[part] > distance]
    return Apart(first, second, distance, decimals, others[0] if others else "")


def _gap(one: np.ndarray, two: np.ndarray) -> float:
    if one.shape != two.shape:
        return math.inf
    return float(differences(one, two).max(initial=0))
