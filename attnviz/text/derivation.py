"""A derivation as the pieces a page sets: symbols, numbers, links."""

import math
from dataclasses import dataclass
from typing import Any

from attnviz.core.derivation import Derivation, Operand, Step, Term
from attnviz.example.matrices import MATRICES, find
from attnviz.text.cells import Cell, Names, cell_of, places_of
from attnviz.text.numbers import brief, counted, fixed

# Most terms that are written without a fold, and those before and behind one.
_LONGEST, _BEFORE, _BEHIND = 9, 4, 3
# Rounding that is smaller than this does not show in any displayed digit.
_INVISIBLE = 1e-9
_SIGNS = {
    "add": "+",
    "subtract": "−",
    "multiply": "×",
    "divide": "÷",
    "mask": "+",
}


def derivation_words(
    derivation: Derivation,
    *,
    names: Names = MATRICES,
    head: int | None = None,
    first_head: int = 0,
    decimals: int = 4,
    is_whole: bool = True,
) -> dict[str, Any]:
    """Write a derivation in symbols and numbers, ready for JSON.

    Parameters
    ----------
    head : int, optional
        The head on screen, counted from 0: what belongs to another one says to which.
    first_head : int, default=0
        How many heads of a larger layer there are before the first of these.

    Returns
    -------
    words : dict
        The cell, its terms with the running result, and its steps. Every number that
        stands in a matrix carries the cell it was read from.
    """
    cell = cell_of(derivation.stage, derivation.index, names)
    if names[derivation.stage].is_whole:
        decimals = 0
    steps = [step for step in derivation.steps if not _is_invisible(step)]
    writer = _Writer(names, head, first_head, decimals)
    return {
        "cell": _cell(cell),
        "symbol": writer.symbol(derivation.stage, cell),
        "index": [] if cell is None else places_of(cell, names),
        "value": writer.number(derivation.value),
        "exact": repr(derivation.value),
        "operation": derivation.operation,
        **_terms(derivation.terms, writer, is_whole=is_whole),
        "total": writer.number(derivation.total),
        "steps": [_step(step, writer) for step in steps],
    }


@dataclass(frozen=True, slots=True)
class _Writer:
    """How symbols and numbers are written.

    Attributes
    ----------
    names : mapping of str to Matrix
        The catalogue.
    head : int or None
        The head on screen.
    first_head : int
        How many heads there are before the first of these.
    decimals : int
        Digits behind the point.
    """

    names: Names
    head: int | None
    first_head: int
    decimals: int

    def symbol(self, name: str, cell: Cell | None) -> list[str]:
        """Write base, subscript, superscript and role of the symbol of a cell."""
        matrix = self.names[name]
        written, sup = matrix.cell, matrix.sup
        if matrix.is_per_head and cell is not None and self.head is not None:
            of_head = _head_of(cell)
            number = self.first_head + of_head + 1
            sup += "" if of_head == self.head else f"({number})"
        return [written.base, written.sub, sup, written.role]

    def number(self, value: float) -> str:
        if self.decimals == 0 and math.isfinite(value):
            return counted(round(value))
        return fixed(value, self.decimals)


def _head_of(cell: Cell) -> int:
    """Give the head of a cell of what each head has; slices of it count heads."""
    _, place = find(cell.name)
    return (cell.head if cell.head is not None else place) or 0


def _terms(
    terms: tuple[Term, ...], writer: _Writer, *, is_whole: bool
) -> dict[str, Any]:
    """Write the terms; of a fold, how many it hides and what they come to."""
    folded = None
    if not is_whole and len(terms) > _LONGEST:
        running = writer.number(terms[-_BEHIND - 1].running)
        hidden = len(terms) - _BEFORE - _BEHIND
        folded = {"at": _BEFORE, "hidden": hidden, "running": running}
        terms = terms[:_BEFORE] + terms[-_BEHIND:]
    written = [_term(term, writer) for term in terms]
    return {"terms": written, "folded": folded}


def _is_invisible(step: Step) -> bool:
    """Recognize a step that shows nothing: rounding, and scores that are not scaled."""
    if step.operator == "multiply":
        return step.operands[0].value == 1
    return step.operator == "round" and abs(step.operands[0].value) < _INVISIBLE


def _term(term: Term, writer: _Writer) -> dict[str, Any]:
    return {
        "operands": [_operand(operand, writer) for operand in term.operands],
        "value": writer.number(term.value),
        "running": writer.number(term.running),
        "hidden": term.hidden,
    }


def _step(step: Step, writer: _Writer) -> dict[str, Any]:
    """Write one step; a scale of 1/√n reads as a division by √n."""
    operands = [_operand(operand, writer) for operand in step.operands]
    sign = _SIGNS.get(step.operator, "")
    label = ""
    if step.operator == "multiply" and step.operands[0].name == "scale":
        width = 1 / step.operands[0].value ** 2
        if abs(width - round(width)) < 1e-6 and round(width) > 1:
            sign, label = "÷", f"√{round(width)}"
    return {
        "operator": step.operator,
        "sign": sign,
        "label": label,
        "operands": operands,
        "value": writer.number(step.value),
    }


def _operand(operand: Operand, writer: _Writer) -> dict[str, Any]:
    cell = cell_of(operand.name, operand.index, writer.names)
    return {
        "symbol": writer.symbol(operand.name, cell),
        "index": [] if cell is None else places_of(cell, writer.names),
        "cell": _cell(cell),
        # Single settings, such as ε, may be far smaller than a matrix shows.
        "value": brief(operand.value) if cell is None else writer.number(operand.value),
    }


def _cell(cell: Cell | None) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {
        "name": cell.name,
        "i": cell.row,
        "j": cell.column,
        "head": cell.head,
    }
