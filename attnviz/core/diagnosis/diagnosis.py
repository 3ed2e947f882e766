"""What a diagnosis says, and how it weighs one explanation against another."""

from dataclasses import dataclass
from typing import Literal

from attnviz.core.checks.check import Check
from attnviz.core.faults import Fault

DiagnosisVerdict = Literal["right", "wrong", "convention"]


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

    Examples
    --------
    >>> import numpy as np
    >>> from attnviz.core import diagnose_attention
    >>> rounded = [[0.7311, 0.2689], [0.2689, 0.7311]]
    >>> found = diagnose_attention(np.eye(2), np.eye(2), np.eye(2), weights=rounded)
    >>> found.candidates[0].fault.id, found.candidates[0].variant
    ('P02', 'unscaled')
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
