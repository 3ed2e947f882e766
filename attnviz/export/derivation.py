"""A derivation to take along: plain text, LaTeX, or NumPy that gives the cell."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from attnviz.core.derivation import Derivation, Operand, Operator, Term
from attnviz.example.matrices import MATRICES, Matrix
from attnviz.export.notation import ATOM, LATEX, PRODUCT, SUM, TEXT, Notation, Part

Names = Mapping[str, Matrix]

_NUMPY_STEPS: Mapping[Operator, str] = MappingProxyType(
    {
        "add": "value + {0}",
        "subtract": "value - {0}",
        "multiply": "value * {0}",
        "divide": "value / {0}",
        "divide_by_root": "value / np.sqrt({0} + {1})",
        "divide_by_power": "value * {0} ** -({1} / {2})",
        "soft_cap": "{0} * np.tanh(value / {0})",
        "mask": "value if {0} == 0 else -np.inf",
        "exp": "np.exp(value)",
        "tanh": "np.tanh(value)",
        "sine": "np.sin(value)",
        "cosine": "np.cos(value)",
        "root": "np.sqrt(value)",
        "reciprocal_root": "1 / np.sqrt(value)",
        "relu": "np.maximum(value, 0)",
        # NumPy has no error function.
        "gelu": "value * (math.erfc(-value / math.sqrt(2)) / 2)",
        "gelu_tanh": "value * ((1 + np.tanh(math.sqrt(2 / math.pi)"
        " * (value + 0.044715 * np.power(value, 3)))) / 2)",
        "round": "value + {0}",
    }
)


def derivation_as_text(
    derivation: Derivation, *, names: Names = MATRICES, digits: int = 4
) -> str:
    """Write a derivation in plain characters, one equals sign a line.

    Returns
    -------
    text : str
        The cell in symbols, in numbers, with its terms put together, and its value.
        Places are counted from 1.
    """
    return "\n  = ".join(_equation(derivation, TEXT, names, digits))


def derivation_as_latex(
    derivation: Derivation, *, names: Names = MATRICES, digits: int = 4
) -> str:
    """Write a derivation in LaTeX, as an aligned block.

    Returns
    -------
    latex : str
        The same lines as `derivation_as_text`, to be put into maths mode.
    """
    cell, *lines = _equation(derivation, LATEX, names, digits)
    steps = " \\\\\n&= ".join(lines)
    return f"\\begin{{aligned}}\n{cell} &= {steps}\n\\end{{aligned}}"


def derivation_as_numpy(derivation: Derivation) -> str:
    """Write a derivation as NumPy code that can be run.

    Returns
    -------
    code : str
        Statements that leave exactly the cell in `value`. Comments name the cells
        that the numbers were read from, counted from 0.
    """
    lines = [_statement(term, derivation) for term in _seen(derivation)]
    imports = ["import numpy as np"]
    so_far = derivation.total
    for step in derivation.steps:
        numbers = [_literal(operand.value) for operand in step.operands]
        is_replaced = step.operator == "round" and not math.isfinite(so_far)
        form = "{0}" if is_replaced else _NUMPY_STEPS[step.operator]
        if "math." in form:
            imports = ["import math", "", "import numpy as np"]
        lines.append(_commented(f"value = {form.format(*numbers)}", step.operands))
        so_far = step.value
    starts = {"maximum": "-np.inf", "given": _literal(derivation.value)}
    start = f"value = {starts.get(derivation.operation, '0.0')}"
    cell = Operand(derivation.stage, derivation.index, derivation.value)
    head = [*imports, "", _commented(start, [cell])]
    return "\n".join([*head, *lines]) + "\n"


def _equation(
    derivation: Derivation, notation: Notation, names: Names, digits: int
) -> list[str]:
    """Write the cell and all that it equals, from symbols to its value."""

    def symbol(operand: Operand) -> Part:
        name = notation.symbol(names[operand.name].cell)
        places = ", ".join(str(place + 1) for place in operand.index)
        return notation.cell.format(name, places) if places else name, ATOM

    def number(operand: Operand) -> Part:
        return notation.number(operand.value, digits)

    lines = [symbol(Operand(derivation.stage, derivation.index, derivation.value))[0]]
    if derivation.operation != "given":
        for write in (symbol, number):
            start = _write_terms(derivation, notation, write)
            lines.append(_write_steps(derivation, notation, write, start))
        total = notation.number(derivation.total, digits)
        lines.append(_write_steps(derivation, notation, number, total))
    lines.append(notation.number(derivation.value, digits)[0])
    return list(dict.fromkeys(lines))


def _write_terms(
    derivation: Derivation, notation: Notation, write: Callable[[Operand], Part]
) -> Part:
    """Write what is there before the first step."""
    parts = [[write(each) for each in term.operands] for term in _seen(derivation)]
    if derivation.operation == "hidden":
        return notation.hidden.format(parts[0][0][0]), ATOM
    if derivation.operation == "maximum":
        return notation.maximum.format(", ".join(part[0][0] for part in parts)), ATOM
    if derivation.operation == "value":
        return parts[0][0]
    if derivation.operation == "sum_of_squares":
        products = [notation.square.format(*map(notation.held, part)) for part in parts]
    else:
        products = [notation.times.join(map(notation.held, part)) for part in parts]
    return " + ".join(products) or "0", SUM if len(products) > 1 else PRODUCT


def _write_steps(
    derivation: Derivation,
    notation: Notation,
    write: Callable[[Operand], Part],
    start: Part,
) -> str:
    """Write the steps around it; rounding is smaller than what is shown."""
    part = start
    for step in derivation.steps:
        if step.operator != "round":
            form = notation.forms[step.operator]
            first = part[0] if part[1] >= form.needs else notation.held(part)
            others = (notation.held(write(operand)) for operand in step.operands)
            part = form.template.format(first, *others), form.gives
    return part[0]


def _seen(derivation: Derivation) -> list[Term]:
    """Leave out the terms that the mask keeps out."""
    return [term for term in derivation.terms if not term.hidden]


def _statement(term: Term, derivation: Derivation) -> str:
    """Write the line that takes one term in."""
    factors = [_literal(operand.value) for operand in term.operands]
    line = {
        "hidden": f"value = np.exp({factors[0]})",
        "maximum": f"value = max(value, {factors[0]})",
        "sum_of_squares": f"value += np.square({' - '.join(factors)})",
    }.get(derivation.operation, f"value += {' * '.join(factors)}")
    return _commented(line, term.operands)


def _commented(statement: str, operands: Sequence[Operand]) -> str:
    """Name beside a statement the cells its numbers come from."""
    cells = ", ".join(f"{each.name}{list(each.index) or ''}" for each in operands)
    return f"{statement}  # {cells}" if cells else statement


def _literal(value: float) -> str:
    """Write a number so that reading it gives the same bits."""
    text = repr(value)
    return text.replace("inf", "np.inf").replace("nan", "np.nan")
