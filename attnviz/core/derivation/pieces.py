"""The pieces a derivation is made of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from attnviz.core.arrays.sheet import Index, Operand, Sheet

Operation = Literal[
    "given", "hidden", "value", "sum", "sum_of_products", "sum_of_squares", "maximum"
]
"""How the terms become one number.

"given": nothing leads here; "hidden": the one term is a score of −∞, which gives 0
whatever the rest of the row; "value": one term, carried on; "sum_of_squares": squares
of the difference of two operands.
"""

Operator = Literal[
    "add",
    "subtract",
    "multiply",
    "divide",
    "divide_by_root",
    "divide_by_power",
    "soft_cap",
    "mask",
    "exp",
    "tanh",
    "sine",
    "cosine",
    "root",
    "reciprocal_root",
    "root",
    "relu",
    "gelu",
    "gelu_tanh",
    "round",
]
"""What a step does with the number so far, s.

"divide_by_root": s / √(a + b); "divide_by_power": s·a^(−b / c); "soft_cap":
a·tanh(s / a); "mask": −∞ where the operand is −∞, else s; "reciprocal_root": 1 / √s;
"root": √s; "relu", "gelu", "gelu_tanh": as `activate` has them;
"round": adds what the trace's own order or width of arithmetic left over; where s is
±∞ or NaN, to which nothing can be added, the operand takes its place.
"""


@dataclass(frozen=True, slots=True)
class Term:
    """One of the numbers that are added or compared.

    Attributes
    ----------
    operands : tuple of Operand
        Factors of a product, the two sides of a squared difference, or one number.
    value : float
        What they give together.
    running : float
        Sum or maximum of the terms up to here.
    hidden : bool
        Whether the mask keeps the term out.
    """

    operands: tuple[Operand, ...]
    value: float
    running: float
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on the number that the terms gave.

    Attributes
    ----------
    operator : Operator
        What is done.
    operands : tuple of Operand
        What it is done with, besides the number so far.
    value : float
        The number afterwards.
    """

    operator: Operator
    operands: tuple[Operand, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Derivation:
    """How one cell of a trace came about.

    Attributes
    ----------
    stage : str
        Matrix of the cell, by the name it has on screen.
    index : tuple of int
        Place of the cell, counted from 0.
    operation : Operation
        How the terms become one number.
    terms : tuple of Term
        The terms in order, each with the running result.
    total : float
        What the terms give together, before the first step.
    steps : tuple of Step
        What happens to that number, in order.
    value : float
        The cell, as it stands in the trace.

    Examples
    --------
    >>> from attnviz.core import attend, derive
    >>> work = derive(attend([[3.0]], [[2.0]], [[5.0]]), "scores", (0, 0))
    >>> work.operation, work.total, [step.operator for step in work.steps]
    ('sum_of_products', 6.0, ['multiply'])
    """

    stage: str
    index: Index
    operation: Operation
    terms: tuple[Term, ...]
    total: float
    steps: tuple[Step, ...]
    value: float


Rule = Callable[[Sheet, str, Index], Derivation]
"""Derives the cell at a place of a stage."""
