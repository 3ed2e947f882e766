"""The result of a reader, what it should be, and the difference, cell by cell."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation import Derivation, derive
from attnviz.core.derivation.arithmetic import carry, then
from attnviz.core.derivation.pieces import Rule
from attnviz.example.check.expecting import Expected, Placed, expect_all
from attnviz.example.check.judgement import Judgement
from attnviz.example.check.settings import CheckSettings
from attnviz.example.matrices import Matrix
from attnviz.example.screen import Screen
from attnviz.example.settings import Example

GIVEN, EXPECTED, DIFFERENCE = "given", "expected", "difference"


@dataclass(frozen=True, slots=True, eq=False)
class CheckTrace:
    """Everything the page Check mine shows.

    Attributes
    ----------
    wanted : Expected
        The result that should come out.
    placed : Placed or None
        The result that was given; None while there is none.
    judgement : Judgement or None
        What is said of it.
    """

    wanted: Expected
    placed: Placed | None = None
    judgement: Judgement | None = None

    @property
    def first(self) -> int:
        """The first head that was given, counted from 0."""
        return 0 if self.placed is None else self.placed.first

    @property
    def given(self) -> FloatArray | None:
        """The result table by table, whatever their shape; None without one."""
        if self.placed is None:
            return None
        if self.placed.values is not None:
            return self.placed.values
        found = self.placed.given
        return found.reshape(-1, *np.atleast_2d(found).shape[-2:])

    @property
    def expected(self) -> FloatArray:
        """What should come out, of the heads that were given."""
        values = self.wanted.values
        if self.placed is None or self.placed.values is None:
            return values
        return values[self.first : self.first + len(self.placed.values)]

    @property
    def difference(self) -> FloatArray | None:
        """Given minus expected; None where the shapes differ."""
        if self.placed is None or self.placed.values is None:
            return None
        with np.errstate(invalid="ignore"):
            return read_only(self.placed.values - self.expected)

    @property
    def n_heads(self) -> int:
        """How many tables can be looked at."""
        return len(self.expected)

    def sheet(self) -> Sheet:
        """Lay out the three, and behind them all that the expected ones come from."""
        behind = self.wanted.source.sheet()
        if self.placed is None:
            return behind
        found = {EXPECTED: self.expected}
        for name in (GIVEN, DIFFERENCE):
            values = getattr(self, name)
            if values is not None:
                found[name] = values
        rules: dict[str, Rule] = {
            **behind.rules,
            EXPECTED: partial(_expected, self.wanted, self.first),
            DIFFERENCE: _difference,
        }
        return replace(behind, matrices={**behind.matrices, **found}, rules=rules)

    def screen(self) -> Screen:
        """Name the three as they stand on screen; the inputs while nothing is given."""
        behind = self.wanted.source.screen()
        if self.placed is None:
            matrices = self.wanted.source.sheet().matrices
            inputs = {name: matrices[name] for name in self.wanted.rule.inputs}
            return replace(behind, matrices=inputs)
        matrices = self.sheet().matrices
        shown = {name: matrices[name] for name in _SHOWN if name in matrices}
        names = {**behind.names, **self._names(behind.names)}
        return replace(
            behind, matrices=shown, names=names, in_fractions=(), first_head=self.first
        )

    def _names(self, names: Mapping[str, Matrix]) -> dict[str, Matrix]:
        """Call them as the result is called, along its axes."""
        like = names[self.wanted.kind]
        own = replace(like, axes=("head", *like.axes[-2:]), entry="", edits=())
        odd = replace(own, axes=_ODD, kind="signed")
        is_odd = self.given is not None and self.difference is None
        return {
            EXPECTED: own,
            GIVEN: odd if is_odd else own,
            DIFFERENCE: replace(own, base=f"Δ{own.base}", kind="signed"),
        }


_SHOWN = (EXPECTED, GIVEN, DIFFERENCE)
# What nobody knows the axes of.
_ODD = ("head", "row", "column")


def empty_trace(
    example: Example, settings: CheckSettings, rows: FloatArray | None = None
) -> CheckTrace:
    """Show the inputs, before anything is given.

    Raises
    ------
    SettingError
        If nothing can be computed.
    """
    return CheckTrace(expect_all(example, settings, rows)[0])


def judged_trace(judgement: Judgement) -> CheckTrace:
    """Show a result beside what it should be."""
    return CheckTrace(judgement.placed.expected, judgement.placed, judgement)


def _expected(
    wanted: Expected, first: int, sheet: Sheet, stage: str, index: Index
) -> Derivation:
    """Derive a number that should come out as the core does."""
    head, *place = index
    at = (first + head, *place) if wanted.rule.has_heads else tuple(place)
    work = derive(wanted.source, wanted.kind, at)
    return replace(work, stage=stage, index=index)


def _difference(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand(GIVEN, index))
    return then(work, "subtract", sheet.operand(EXPECTED, index))
