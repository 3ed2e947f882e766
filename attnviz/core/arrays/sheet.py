"""The matrices of a trace by the names they have on screen."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import ShapeError

Index = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Operand:
    """One number and the cell it was read from.

    Attributes
    ----------
    name : str
        Matrix, or single setting, the number stands in.
    index : tuple of int
        Its place there, counted from 0; empty for a single setting.
    value : float
        The number.
    """

    name: str
    index: Index
    value: float


@dataclass(frozen=True, slots=True, repr=False)
class Sheet(Record):
    """Everything a trace holds, by the names on screen.

    Attributes
    ----------
    matrices : mapping of str to FloatArray
        The arrays; single settings have no axes.
    synonyms : mapping of str to str
        Fields of the trace that have another name on screen.
    rules : mapping of str to callable
        How the cells of further matrices come about, beyond the rules that `derive`
        knows: from sheet, stage and index to a `Derivation`.
    sources : mapping of str to tuple of str
        Matrices whose cells are those of others at the same place: of one, a copy; of
        two, their sum; of none, given from outside.
    operators : mapping of str to Operator
        What is done to each cell of such a copy or sum.
    parts : mapping of str to Sheet
        Sheets of traces within the trace. Their matrices are called ``part.name``.
    prefix : str
        What the names of this sheet begin with where it is a part of another.
    """

    matrices: Mapping[str, FloatArray]
    synonyms: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, Callable[["Sheet", str, Index], Any]] = field(
        default_factory=dict
    )
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    operators: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, "Sheet"] = field(default_factory=dict)
    prefix: str = ""

    def __contains__(self, name: str) -> bool:
        """Tell whether there is a matrix of that name."""
        return name in self.matrices or (bool(self.parts) and name in self.names)

    @property
    def names(self) -> list[str]:
        """Names of all matrices, those of the parts too."""
        inner = [
            f"{part}.{name}"
            for part, sheet in self.parts.items()
            for name in sheet.names
        ]
        return [*self.matrices, *inner]

    def owner(self, name: str) -> tuple["Sheet", str]:
        """Find the part that holds a matrix, and what it is called there."""
        part, _, rest = name.partition(".")
        if part not in self.parts:
            return self, name
        inside = replace(self.parts[part], prefix=f"{self.prefix}{part}.")
        return inside.owner(rest)

    def matrix(self, name: str) -> FloatArray:
        """Give a matrix."""
        sheet = self
        while name not in sheet.matrices and "." in name:
            part, _, name = name.partition(".")
            sheet = sheet.parts[part]
        return sheet.matrices[name]

    def shape(self, name: str) -> tuple[int, ...]:
        """Give the shape of a matrix."""
        return self.matrix(name).shape

    def value(self, name: str, index: Index = ()) -> float:
        """Read one cell."""
        return float(self.matrix(name)[index])

    def is_given(self, name: str) -> bool:
        """Tell whether a matrix is known to come from outside."""
        return self.sources.get(name) == ()

    def operand(
        self, name: str, index: Index = (), within: tuple[int, ...] = ()
    ) -> Operand:
        """Read the cell that a computation over a larger shape meets.

        Parameters
        ----------
        name : str
            Matrix to read.
        index : tuple of int
            Place in the computation: first along the axes of `within`, then along the
            last axes of the matrix itself.
        within : tuple of int
            Shape over which the matrix is spread: axes it lacks or has once are
            broadcast, and heads are shared in order 0, 0, 1, 1, ….

        Returns
        -------
        operand : Operand
            The number with its own place in the matrix.
        """
        shape = self.shape(name)
        n_shared = len(shape) - (len(index) - len(within))
        first = len(within) - n_shared
        shared = (
            place * size // full
            for place, size, full in zip(
                index[first : len(within)],
                shape[:n_shared],
                within[first:],
                strict=True,
            )
        )
        own = (*shared, *index[len(within) :])
        return Operand(f"{self.prefix}{name}", own, self.value(name, own))

    def locate(self, stage: str, index: Index) -> tuple[str, Index]:
        """Check a stage and a place, and give both their usual form.

        Parameters
        ----------
        stage : str
            Name on screen, or field of the trace.
        index : tuple of int
            Place in that matrix.

        Returns
        -------
        stage, index : str, tuple of int
            The name on screen, and the place in plain whole numbers.

        Raises
        ------
        ValueError
            If there is no such stage.
        ShapeError
            If there is no such place.
        """
        sheet, own = self.owner(stage)
        own = sheet.synonyms.get(own, own)
        name = f"{sheet.prefix}{own}"
        if own not in sheet.matrices:
            raise ValueError(
                f"derive: `stage` needs one of {', '.join(sorted(self.names))}; "
                f"got {stage!r}"
            )
        shape = sheet.shape(own)
        try:
            place = tuple(map(operator.index, index))
            is_there = all(
                0 <= each < size for each, size in zip(place, shape, strict=True)
            )
        except (TypeError, ValueError):
            is_there = False
        if not is_there:
            raise ShapeError(
                f"derive: `index` needs a place in {name} of shape {shape}, counted "
                f"from 0; got {index}"
            )
        return name, place


def numbers_of(
    record: Record, names: Mapping[str, str] | None = None
) -> dict[str, FloatArray]:
    """Take every field of a record that holds numbers, under its name on screen."""
    known = names or {}
    return {
        known.get(each.name, each.name): np.asarray(value)
        for each in fields(record)
        if isinstance(value := getattr(record, each.name), np.ndarray | float)
    }
