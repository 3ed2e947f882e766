"""What should come out of an example, and where a result belongs beside it."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.heads import split_heads
from attnviz.core.checks._measures import differences
from attnviz.core.errors import SettingError
from attnviz.example.check.kinds import KIND_RULES, KINDS, Kind, KindRule, Source
from attnviz.example.check.settings import ANY, CheckSettings
from attnviz.example.settings import Example


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """One result, as it should be.

    Attributes
    ----------
    kind : Kind
        Which result.
    source : trace
        What it was computed by.
    values : FloatArray of shape (H, rows, columns)
        The numbers; what has no heads has one table.
    """

    kind: Kind
    source: Source
    values: FloatArray

    @property
    def rule(self) -> KindRule:
        """What there is to know of its kind."""
        return KIND_RULES[self.kind]

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape, as people write it: a single head needs no axis."""
        whole = self.values.shape
        return whole[1:] if whole[0] == 1 else whole


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A result beside the numbers it should have.

    Attributes
    ----------
    expected : Expected
        All that should come out.
    given : FloatArray
        The result as it was written, without outer axes of size 1.
    values : FloatArray of shape (n, rows, columns), or None
        The result, table by table; None where it has another shape.
    first : int
        The head of its first table, counted from 0.
    """

    expected: Expected
    given: FloatArray
    values: FloatArray | None
    first: int = 0

    @property
    def gaps(self) -> FloatArray:
        """Differences from what should come out; ∞ where the shapes differ."""
        if self.values is None:
            return np.full((1, 1, 1), np.inf)
        last = self.first + len(self.values)
        return differences(self.values, self.expected.values[self.first : last])


def expect_all(
    example: Example,
    settings: CheckSettings,
    rows: FloatArray | None = None,
    named: Collection[str] = (),
    d_context: FloatArray | None = None,
) -> tuple[Expected, ...]:
    """Compute every result that the reader may have computed.

    Parameters
    ----------
    example : Example
        Gives the inputs.
    settings : CheckSettings
        Which result, and what is normalized how.
    rows : FloatArray of shape (T, d), optional
        What is normalized instead.
    named : collection of str, optional
        Kinds that somebody named, besides the usual ones.
    d_context : FloatArray, optional
        What gradients start from.

    Returns
    -------
    expected : tuple of Expected
        Those that can be computed of what is asked for; not empty.

    Raises
    ------
    SettingError
        If there is none, or none of those that somebody named.
    """
    wanted = [
        kind
        for kind in KINDS
        if kind == settings.kind
        or (settings.kind == ANY and (kind in named or KIND_RULES[kind].is_usual))
    ]
    norm = settings.norm(rows)
    found: list[Expected] = []
    refused: SettingError | None = None
    for kind in wanted:
        rule = KIND_RULES[kind]
        try:
            source = rule.compute(example, norm, d_context)
        except SettingError as error:
            refused = error if kind in named else refused or error
        else:
            found.append(Expected(kind, source, rule.values(source, kind)))
    asked = [one for one in found if not named or one.kind in named]
    if not asked and refused is not None:
        raise refused
    return tuple(found)


def place(given: FloatArray, expected: Expected) -> Placed:
    """Put a result beside what should come out, head by head.

    One table of several that should be there belongs to the head it is nearest to. The
    contexts of all heads may stand side by side.
    """
    heads, rows, columns = expected.values.shape
    bare = given
    while bare.ndim > 2 and bare.shape[0] == 1:
        bare = bare[0]
    tables = bare
    if expected.kind == "context" and bare.shape == (rows, heads * columns):
        tables = split_heads(bare, heads)
    while tables.ndim < 3:
        tables = tables[None]
    if tables.shape == expected.values.shape:
        return Placed(expected, bare, tables)
    if tables.shape != (1, rows, columns):
        return Placed(expected, bare, None)
    each = [Placed(expected, bare, tables, head) for head in range(heads)]
    return min(each, key=lambda one: float(one.gaps.max()))
