"""Matrices on screen with the rules behind them, for sections of a page."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation.arithmetic import carry, collect, then
from attnviz.core.derivation.pieces import Derivation, Rule
from attnviz.example.matrices import MATRICES
from attnviz.example.screen import Labels, Screen


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """What a section shows.

    Attributes
    ----------
    matrices : mapping of str to FloatArray
        Numbers by name on screen; names that the catalogue lacks are settings.
    rules : mapping of str to Rule
        How their cells come about, beyond the rules of the core.
    labels : mapping of str to tuple of str
        Words along the axes.
    """

    matrices: Mapping[str, FloatArray]
    rules: Mapping[str, Rule] = field(default_factory=dict)
    labels: Labels = field(default_factory=dict)

    def sheet(self) -> Sheet:
        """Lay out all matrices for derivations."""
        return Sheet(self.matrices, {}, self.rules)

    def screen(self) -> Screen:
        """Name all matrices as they stand on screen."""
        shown = {
            name: values
            for name, values in self.matrices.items()
            if name in MATRICES and values.ndim == len(MATRICES[name].axes)
        }
        return Screen(shown, self.labels)


def copy_of(name: str) -> Rule:
    """Read the same cell of another matrix."""

    def rule(sheet: Sheet, stage: str, index: Index) -> Derivation:
        return carry(stage, index, sheet.operand(name, index))

    return rule


def difference_of(first: str, second: str) -> Rule:
    """Subtract the same cells of two matrices."""

    def rule(sheet: Sheet, stage: str, index: Index) -> Derivation:
        work = carry(stage, index, sheet.operand(first, index))
        return then(work, "subtract", sheet.operand(second, index))

    return rule


def sum_along(name: str, axis: int) -> Rule:
    """Add up a matrix along one of its axes, which keeps its place."""

    def rule(sheet: Sheet, stage: str, index: Index) -> Derivation:
        size = sheet.shape(name)[axis]
        places = [(*index[:axis], at, *index[axis + 1 :]) for at in range(size)]
        terms = [(sheet.operand(name, place),) for place in places]
        return collect(stage, index, "sum", terms)

    return rule
