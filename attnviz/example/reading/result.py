"""What reading gives: tables with their titles, and all that was not taken for one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, Protocol

from attnviz.core.arrays.shapes import FloatArray

Comma = Literal["decimal", "between"]
"""What a comma between two digits is: part of a number, or between two numbers."""

_NONE: Mapping[str, Any] = MappingProxyType({})


class Source(Protocol):
    """Where the numbers of a table come from; they are looked at when asked for."""

    def shape(self, symbol: str) -> tuple[int, ...]:
        """Give its shape; what is wrong is said of the matrix of that symbol."""

    def numbers(self, symbol: str) -> FloatArray:
        """Give its numbers in float64, NaN and infinities included."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of numbers, of any number of axes.

    Attributes
    ----------
    title : str
        Its name as it was written; empty if it had none.
    source : Source
        Its numbers.
    rows, columns : tuple of str
        Words at its rows and at its columns; empty if there were none.
    """

    title: str
    source: Source
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was understood in one of several ways, for a sentence about it.

    Attributes
    ----------
    reason : str
        Which sentence.
    values : mapping of str to Any
        What belongs into it.
    """

    reason: str
    values: Mapping[str, Any] = field(default_factory=lambda: _NONE, hash=False)


@dataclass(frozen=True, slots=True)
class Read:
    """Everything that one file or text holds.

    Attributes
    ----------
    tables : tuple of Table
        In the order in which they stand there.
    labels : mapping of str to tuple of str
        Words at the queries ("query") and at the keys ("key").
    settings : mapping of str to Any
        Settings that an export of this app wrote down; from anyone, not checked.
    left_out : tuple of str
        Text with digits that is part of no table.
    notes : tuple of Note
        How it was understood, where another might have expected otherwise.
    commas : tuple of Comma
        Both readings of its commas, where both are possible; the first was taken.
    """

    tables: tuple[Table, ...]
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NONE)
    settings: Mapping[str, Any] = field(default_factory=lambda: _NONE)
    left_out: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    commas: tuple[Comma, ...] = ()
