"""What is said of a result."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import BoolArray
from attnviz.core.checks import Check
from attnviz.core.checks._rounding import digits_precision, printed_decimals
from attnviz.core.diagnosis import Diagnosis
from attnviz.example.check.apart import Apart
from attnviz.example.check.expecting import Placed

# The checks that compare a result with the right one.
_COMPARING = (
    *("loop", "turned_q", "turned_k", "gradient_q", "gradient_k", "gradient_v"),
    *("gradient_scores", "gradient_weights"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What was said of a result.

    Attributes
    ----------
    placed : Placed
        The result that is shown, beside what should come out.
    diagnosis : Diagnosis
        Verdict, checks and mistakes.
    checks : tuple of Check
        The single checks, as strict as the digits that were given allow.
    unit : float
        What distances are measured in, so that times it they are differences of cells.
    apart : tuple of Apart
        What tells the first mistake that fits from each other one that fits.
    results : tuple of Placed
        What was judged together.
    left_out : tuple of str
        Results that were not.
    """

    placed: Placed
    diagnosis: Diagnosis
    checks: tuple[Check, ...]
    unit: float
    apart: tuple[Apart, ...]
    results: tuple[Placed, ...]
    left_out: tuple[str, ...] = ()

    @property
    def limit(self) -> float:
        """How large a difference the digits explain."""
        allowed = [
            check.tolerance or 0.0 for check in self.checks if check.id in _COMPARING
        ]
        digit = digits_precision(self.placed.given).digit
        return max(max(allowed) * self.unit, digit)

    @property
    def decimals(self) -> int | None:
        """So many decimals the result was printed with; None if with all it has."""
        return printed_decimals(self.placed.given)

    @property
    def is_settled(self) -> bool:
        """Whether something explains the result: that it is right, or a mistake."""
        fits = any(candidate.fits for candidate in self.diagnosis.candidates)
        return self.diagnosis.verdict == "right" or fits

    @property
    def distance(self) -> float:
        """Largest difference from the right result."""
        return self.diagnosis.distance * self.unit

    @property
    def differs(self) -> BoolArray:
        """Cells that are not what they should be, of each table that was given."""
        if self.placed.values is None:
            return np.zeros((0, 0, 0), dtype=np.bool_)
        if self.diagnosis.verdict == "right":
            return np.zeros(self.placed.values.shape, dtype=np.bool_)
        # What was cut off may have lost twice as much as what was rounded.
        found: BoolArray = self.placed.gaps > 2 * self.limit
        return found
