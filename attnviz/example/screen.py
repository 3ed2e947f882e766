"""Everything that is on screen, by name: numbers, symbols, and words along the axes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.example.matrices import MATRICES, Matrix, find

Labels = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Screen:
    """The matrices of one page as its figures, tables and files read them.

    Attributes
    ----------
    matrices : mapping of str to FloatArray
        Numbers by name, with an axis for each in the catalogue.
    labels : mapping of str to tuple of str
        Words along an axis, by what the axis counts.
    padding : mapping of str to BoolArray
        True where a position is padding, by what the axis counts.
    names : mapping of str to Matrix
        The catalogue, as this example has it.
    in_fractions : tuple of str
        Matrices whose numbers were made to be simple fractions.
    first_head : int
        How many heads there are before the first of these.
    moved : mapping of str to (str, tuple of int)
        Axes along which the indices of another one stand in an order of their own.
    """

    matrices: Mapping[str, FloatArray]
    labels: Labels
    padding: Mapping[str, BoolArray] = field(default_factory=dict)
    names: Mapping[str, Matrix] = field(default_factory=lambda: MATRICES)
    in_fractions: tuple[str, ...] = ()
    first_head: int = 0
    moved: Mapping[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        """Tell whether there is a matrix, or a slice, of that name."""
        return find(name)[0] in self.matrices

    def matrix(self, name: str) -> Matrix:
        """Describe a matrix, or one slice of it, whose number becomes its subscript."""
        whole, place = find(name)
        named = self.names[whole]
        if place is None:
            return named
        first = self.first_head if named.is_per_head else 0
        return replace(named, sub=str(first + place + 1), axes=named.axes[1:])

    def hides(self, name: str, head: int = 0) -> BoolArray | None:
        """Tell which cells of the weights belong to keys that the mask hides."""
        whole, place = find(name)
        if whole != "weights" or "mask" not in self.matrices:
            return None
        slice_ = "" if place is None else f"_{place + 1}"
        hidden: BoolArray = np.isinf(self.table(f"mask{slice_}", head))
        return hidden

    def table(self, name: str, head: int = 0) -> FloatArray:
        """Give a matrix as rows and columns: of one head, if each has its own."""
        whole, place = find(name)
        named, values = self.names[whole], self.matrices[whole]
        if named.is_per_head:
            values = values[head if place is None or len(named.axes) > 3 else place]
        if place is not None and len(named.axes) > 3:
            values = values[place]
        if values.ndim == 2:
            return values
        return values[:, None] if named.is_column else values[None]
