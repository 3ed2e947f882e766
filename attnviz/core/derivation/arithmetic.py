"""The arithmetic that makes a derivation, and makes it once more."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.shapes import expect
from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.derivation.pieces import (
    Derivation,
    Operation,
    Operator,
    Step,
    Term,
)
from attnviz.core.layers.network import activate


def replay(derivation: Derivation) -> float:
    """Work a derivation out once more from its operands.

    Parameters
    ----------
    derivation : Derivation
        Terms and steps; only the values of their operands are read.

    Returns
    -------
    value : float
        Exactly the cell, in float64 arithmetic from left to right.

    Notes
    -----
    Matrix products add in an order of their own, and narrow types round at each
    stage. Where this shows, the derivation holds a "round" step with the difference
    (two where the terms cancel), so that the replay is exact on every machine and the
    difference can be seen.

    Examples
    --------
    >>> from attnviz.core import attend, derive
    >>> trace = attend([[3.0, 4.0]], [[1.0, 2.0]], [[5.0]])
    >>> replay(derive(trace, "raw_scores", (0, 0)))
    11.0
    """
    expect("replay", "derivation", derivation, Derivation)
    if derivation.operation == "given":
        return derivation.value
    again = collect(
        derivation.stage,
        derivation.index,
        derivation.operation,
        [term.operands for term in derivation.terms],
        hidden=[term.hidden for term in derivation.terms],
    )
    for step in derivation.steps:
        again = then(again, step.operator, *step.operands)
    return again.value


def collect(
    stage: str,
    index: Index,
    operation: Operation,
    terms: Sequence[tuple[Operand, ...]],
    *,
    hidden: Sequence[bool] | None = None,
) -> Derivation:
    """Start a derivation from its terms; the mask keeps those out that are hidden."""
    running = -math.inf if operation == "maximum" else 0.0
    done: list[Term] = []
    left_outs = [False] * len(terms) if hidden is None else hidden
    for operands, left_out in zip(terms, left_outs, strict=True):
        value = 0.0 if left_out else _combine(operation, operands)
        if not left_out:
            running = max(running, value) if operation == "maximum" else running + value
        done.append(Term(operands, value, running, left_out))
    return Derivation(stage, index, operation, tuple(done), running, (), running)


def given(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """End a chain: nothing in the trace leads to this cell."""
    value = sheet.value(stage, index)
    return Derivation(stage, index, "given", (), value, (), value)


def carry(stage: str, index: Index, operand: Operand) -> Derivation:
    """Start a derivation from one number."""
    return collect(stage, index, "value", [(operand,)])


def then(derivation: Derivation, operator: Operator, *operands: Operand) -> Derivation:
    """Carry a derivation one step on."""
    operate = _OPERATORS[operator]
    with np.errstate(all="ignore"):
        value = float(operate(derivation.value, *(each.value for each in operands)))
    step = Step(operator, operands, value)
    return replace(derivation, steps=(*derivation.steps, step), value=value)


def settle(derivation: Derivation, value: float) -> Derivation:
    """Meet the number in the trace, by a rounding step if it takes one."""
    # Where terms cancel, the difference itself is rounded; that of what is left is not.
    while not _is_same(derivation.value, value):
        so_far = derivation.value
        rest = value - so_far if math.isfinite(so_far) else value
        derivation = then(derivation, "round", Operand("rounding", (), rest))
    return derivation


def _is_same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _combine(operation: Operation, operands: tuple[Operand, ...]) -> float:
    values = [operand.value for operand in operands]
    if operation == "hidden":
        return 0.0
    if operation == "sum_of_squares":
        deviation = values[0] - values[1]
        return deviation * deviation
    return math.prod(values[1:], start=values[0])


_OPERATORS: Mapping[Operator, Callable[..., float]] = MappingProxyType(
    {
        "add": lambda s, a: s + a,
        "subtract": lambda s, a: s - a,
        "multiply": lambda s, a: s * a,
        "divide": lambda s, a: s / a,
        "divide_by_root": lambda s, a, b: s / math.sqrt(a + b),
        "divide_by_power": lambda s, a, b, c: s * a ** -(b / c),
        "soft_cap": lambda s, a: a * np.tanh(s / a),
        "mask": lambda s, a: a if math.isinf(a) else s,
        "exp": lambda s: np.exp(s),
        "tanh": lambda s: np.tanh(s),
        "sine": lambda s: np.sin(s),
        "cosine": lambda s: np.cos(s),
        "root": lambda s: math.sqrt(s),
        "reciprocal_root": lambda s: 1 / math.sqrt(s),
        "relu": lambda s: float(activate(s, "relu")),
        "gelu": lambda s: float(activate(s, "gelu")),
        "gelu_tanh": lambda s: float(activate(s, "gelu_tanh")),
        "round": lambda s, a: s + a if math.isfinite(s) else a,
    }
)
