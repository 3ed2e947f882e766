"""What a diagnosis says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from attnviz.core.checks.check import Check
from attnviz.core.faults import Fault

DiagnosisVerdict = Literal["right", "wrong", "convention"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mistake, or a convention, that could explain a result.

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
    fits : bool
        Whether it explains every number that was given, within rounding. If not, it
        is only nearer than the right result.
    found : mapping of str to float or tuple of float
        What the result says about a value that the mistake leaves free, such as
        ``eps``, ``temperature``, ``sink`` or ``slope``; one for each head where heads
        differ.

    Examples
    --------
    >>> import numpy as np
    >>> from attnviz.core import diagnose_attention
    >>> rounded = [[0.7311, 0.2689], [0.2689, 0.7311]]
    >>> found = diagnose_attention(np.eye(2), np.eye(2), np.eye(2), weights=rounded)
    >>> named = found.candidates[0]
    >>> named.fault.id, named.variant, named.fits
    ('P02', 'unscaled', True)
    """

    fault: Fault
    distance: float
    variant: str
    convention: bool
    fits: bool
    found: Mapping[str, float | tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is the matter with a result.

    Attributes
    ----------
    verdict : {"right", "wrong", "convention"}
        "right": to the digits of all that was given, even where a check asks for more;
        "convention": not what the chapter does, but what others do on purpose.
    checks : tuple of Check
        The single checks.
    candidates : tuple of Candidate
        Mistakes that explain the result better than right code does, best first: those
        that fit, then those that are only nearer.
    distance : float
        Largest difference from the right result, as the check ``loop`` measures; ∞ if
        it has another shape.

    Examples
    --------
    >>> import numpy as np
    >>> from attnviz.core import attend, diagnose_attention
    >>> right = attend(np.eye(2), np.eye(2), np.eye(2)).weights
    >>> diagnose_attention(np.eye(2), np.eye(2), np.eye(2), weights=right).verdict
    'right'
    """

    verdict: DiagnosisVerdict
    checks: tuple[Check, ...]
    candidates: tuple[Candidate, ...]
    distance: float
