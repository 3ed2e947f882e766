"""A mistake on screen: right numbers, faulty ones, and how far they are apart."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.arrays.sheet import Sheet
from attnviz.core.checks import Check, check_attention, check_layer_norm
from attnviz.core.faults import Fault, Outcome, Variant
from attnviz.example.compute import compute
from attnviz.example.matrices import FAULTY, GAP, MATRICES
from attnviz.example.mistakes.numbers import Numbers, example_numbers, own_numbers
from attnviz.example.mistakes.outcomes import (
    TABLES,
    Matrices,
    attention_outcome,
    fault_of,
    norm_matrices,
    tables,
)
from attnviz.example.mistakes.programs import PROGRAMS, Program
from attnviz.example.mistakes.settings import ShownOn
from attnviz.example.mistakes.sheets import laid, lay_out_mistake
from attnviz.example.screen import Screen
from attnviz.example.settings import Example
from attnviz.example.sources.fixed import GivenWeights


@dataclass(frozen=True, slots=True, eq=False)
class MistakeTrace:
    """Everything that is shown of one mistake.

    Attributes
    ----------
    id : str
        The mistake, as in PROGRAMS.
    numbers : Numbers
        What it is shown on.
    right, faulty, gap : mapping of str to FloatArray
        What right and faulty code return, by name on screen, and faulty minus right,
        as far as both have the same shape.
    checks : tuple of Check
        What the checks say of the faulty result; none where there is none for it.
    head : int
        The head, or sample, that differs most; counted from 0.
    """

    id: str
    numbers: Numbers
    right: Mapping[str, FloatArray]
    faulty: Mapping[str, FloatArray]
    gap: Mapping[str, FloatArray]
    checks: tuple[Check, ...]
    head: int

    @property
    def fault(self) -> Fault:
        """The mistake in the core's catalogue."""
        return fault_of(self.id)[0]

    @property
    def variant(self) -> Variant:
        """The way in which it is made."""
        return fault_of(self.id)[1]

    @property
    def program(self) -> Program:
        """Its lines."""
        return PROGRAMS[self.id]

    @property
    def largest_gap(self) -> float:
        """How far the numbers are apart at most; ∞ where shapes or NaN tell."""
        if self.gap.keys() != self.faulty.keys():
            return math.inf
        gaps = [np.abs(gap).max(initial=0) for gap in self.gap.values()]
        largest = float(np.max(gaps))
        return math.inf if math.isnan(largest) else largest

    def sheet(self) -> Sheet:
        """Lay out all matrices for derivations."""
        return lay_out_mistake(self)

    def screen(self) -> Screen:
        """Name all matrices as they stand on screen."""
        shown = {
            **{name: laid(name, value) for name, value in self.right.items()},
            **{f"{FAULTY}{n}": laid(n, value) for n, value in self.faulty.items()},
            **{f"{GAP}{name}": laid(name, value) for name, value in self.gap.items()},
        }
        behind = {
            name: value
            for name, value in self.sheet().matrices.items()
            if name in MATRICES and value.ndim == len(MATRICES[name].axes)
        }
        return Screen({**behind, **shown}, self._labels())

    def _labels(self) -> dict[str, tuple[str, ...]]:
        numbers = self.numbers
        if numbers.case is not None:
            len_q, len_k = numbers.case.visible.shape[-2:]
            queries = numbers.tokens or Example(length=len_q).tokens
            keys = numbers.key_tokens or Example(length=len_k).tokens
            return {"query": queries, "key": keys, "position": queries}
        table = next(iter(self.right.values()))
        return (
            {"position": Example(length=table.shape[-2]).tokens}
            if table.ndim > 1
            else {}
        )


def compute_mistake(id: str, numbers: Numbers) -> MistakeTrace | None:
    """Make a mistake beside the right computation.

    Parameters
    ----------
    id : str
        The mistake, as in PROGRAMS.
    numbers : Numbers
        What it is shown on.

    Returns
    -------
    trace : MistakeTrace or None
        None where the mistake cannot be made with these numbers.
    """
    checks: tuple[Check, ...] = ()
    if id in TABLES:
        right, faulty = tables(id, numbers)
    elif numbers.norm is not None:
        norm = numbers.norm
        output = fault_of(id)[1].run(norm)
        if output is None:
            return None
        right, faulty = norm_matrices(norm, norm.output), norm_matrices(norm, output)
        checks = check_layer_norm(
            norm.x, output, gamma=norm.gamma, beta=norm.beta, eps=norm.eps
        )
    else:
        made = attention_outcome(id, numbers)
        if made is None:
            return None
        case = numbers.case
        assert case is not None
        checks = _check(numbers, made)
        right = _attention_matrices(case.answer.weights, case.answer.context)
        faulty = _attention_matrices(_flat(made.weights), _flat(made.context))
    gap = {
        name: read_only(np.asarray(faulty[name] - value))
        for name, value in right.items()
        if name in faulty and faulty[name].shape == value.shape
    }
    return MistakeTrace(id, numbers, right, faulty, gap, checks, _widest(gap))


@remember(8_000_000)
def mistake_on_screen(
    id: str, shown_on: ShownOn, example: Example
) -> tuple[MistakeTrace, ShownOn]:
    """Show a mistake on the example or, where that cannot be, on its own numbers.

    Returns
    -------
    trace, shown_on : MistakeTrace, ShownOn
        What is shown, and on what.
    """
    if shown_on == "example" and not isinstance(example.fixed, GivenWeights):
        numbers = example_numbers(id, compute(example))
        trace = None if numbers is None else compute_mistake(id, numbers)
        if trace is not None:
            return trace, "example"
    own = compute_mistake(id, own_numbers(id))
    assert own is not None
    return own, "own"


def _check(numbers: Numbers, made: Outcome) -> tuple[Check, ...]:
    case = numbers.asked or numbers.case
    assert case is not None
    right = case.answer.context.shape
    return check_attention(
        case.q,
        case.k,
        case.v,
        weights=made.weights,
        context=made.context if made.context.shape == right else None,
        visible=case.visible,
        query_valid=case.query_valid,
    )


def _attention_matrices(weights: FloatArray, context: FloatArray) -> Matrices:
    return {
        "weights": weights,
        "weight_sum": weights.sum(axis=-1, keepdims=True),
        "context": context,
    }


def _flat(values: FloatArray) -> FloatArray:
    """Put all leading axes into one."""
    return values.reshape(-1, *values.shape[-2:])


def _widest(gap: Mapping[str, FloatArray]) -> int:
    """Find the head in which a result differs most."""
    tables = [value for name, value in gap.items() if len(MATRICES[name].axes) == 3]
    if not tables:
        return 0
    sizes = [
        np.nan_to_num(np.abs(one, dtype=np.float64), nan=np.inf).max(axis=(-2, -1))
        for one in tables
    ]
    return int(np.argmax(np.max(sizes, axis=0)))
