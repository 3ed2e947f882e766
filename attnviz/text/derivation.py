"""A derivation as the pieces a page sets: symbols, numbers, links."""

from collections.abc import Mapping
from typing import Any

from attnviz.core.derivation import Derivation, Operand, Step, Term
from attnviz.example.matrices import MATRICES, Matrix
from attnviz.text.cells import Cell, cell_of, places_of
from attnviz.text.numbers import brief, fixed

Names = Mapping[str, Matrix]
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
    decimals: int = 4,
    is_whole: bool = True,
) -> dict[str, Any]:
    """Write a derivation in symbols and numbers, ready for JSON.

    Returns
    -------
    words : dict
        The cell, its terms with the running result, and its steps. Every number that
        stands in a matrix carries the cell it was read from.
    """
    cell = cell_of(derivation.stage, derivation.index)
    if derivation.stage == "mask":
        decimals = 0
    steps = [step for step in derivation.steps if not _is_invisible(step)]
    return {
        "cell": _cell(cell),
        "symbol": _symbol(names[derivation.stage]),
        "index": [] if cell is None else places_of(cell),
        "value": fixed(derivation.value, decimals),
        "exact": repr(derivation.value),
        "operation": derivation.operation,
        **_terms(derivation.terms, names, decimals, is_whole=is_whole),
        "total": fixed(derivation.total, decimals),
        "steps": [_step(step, names, decimals) for step in steps],
    }


def _terms(
    terms: tuple[Term, ...], names: Names, decimals: int, *, is_whole: bool
) -> dict[str, Any]:
    """Write the terms; of a fold, how many it hides and what they come to."""
    folded = None
    if not is_whole and len(terms) > _LONGEST:
        running = fixed(terms[-_BEHIND - 1].running, decimals)
        hidden = len(terms) - _BEFORE - _BEHIND
        folded = {"at": _BEFORE, "hidden": hidden, "running": running}
        terms = terms[:_BEFORE] + terms[-_BEHIND:]
    written = [_term(term, names, decimals) for term in terms]
    return {"terms": written, "folded": folded}


def _is_invisible(step: Step) -> bool:
    """Recognize a step that shows nothing: rounding, and scores that are not scaled."""
    if step.operator == "multiply":
        return step.operands[0].value == 1
    return step.operator == "round" and abs(step.operands[0].value) < _INVISIBLE


def _term(term: Term, names: Names, decimals: int) -> dict[str, Any]:
    return {
        "operands": [_operand(operand, names, decimals) for operand in term.operands],
        "value": fixed(term.value, decimals),
        "running": fixed(term.running, decimals),
        "hidden": term.hidden,
    }


def _step(step: Step, names: Names, decimals: int) -> dict[str, Any]:
    """Write one step; a scale of 1/√n reads as a division by √n."""
    operands = [_operand(operand, names, decimals) for operand in step.operands]
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
        "value": fixed(step.value, decimals),
    }


def _operand(operand: Operand, names: Names, decimals: int) -> dict[str, Any]:
    cell = cell_of(operand.name, operand.index)
    return {
        "symbol": _symbol(names[operand.name]),
        "index": [] if cell is None else places_of(cell),
        "cell": _cell(cell),
        # Single settings, such as ε, may be far smaller than a matrix shows.
        "value": brief(operand.value)
        if cell is None
        else fixed(operand.value, decimals),
    }


def _symbol(matrix: Matrix) -> list[str]:
    cell = matrix.cell
    return [cell.base, cell.sub, cell.sup, cell.role]


def _cell(cell: Cell | None) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {
        "name": cell.name,
        "i": cell.row,
        "j": cell.column,
        "head": cell.head,
    }
