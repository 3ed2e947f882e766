"""A mistake on screen: right numbers, faulty ones, and how far they are apart."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.checks import Check, check_attention, check_layer_norm
from attnviz.core.derivation.arithmetic import carry, collect, then
from attnviz.core.derivation.pieces import Derivation, Rule
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
from attnviz.example.mistakes.running import run
from attnviz.example.mistakes.settings import ShownOn
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
        return _lay_out(self)

    def screen(self) -> Screen:
        """Name all matrices as they stand on screen."""
        shown = {
            **{name: _laid(name, value) for name, value in self.right.items()},
            **{f"{FAULTY}{n}": _laid(n, value) for n, value in self.faulty.items()},
            **{f"{GAP}{name}": _laid(name, value) for name, value in self.gap.items()},
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
        rows = next(iter(self.right.values())).shape[-2:][0]
        length = len(self.numbers.given.get("position", range(rows)))
        if "slopes" in self.right or "counts" in self.right:
            return {}
        return {"position": Example(length=min(length, rows)).tokens}


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


def _laid(name: str, value: FloatArray) -> FloatArray:
    """Give a matrix the axes of the catalogue."""
    missing = len(MATRICES[name].axes) - value.ndim
    return value.reshape((1,) * missing + value.shape)


@lru_cache(maxsize=8)
def _lay_out(trace: MistakeTrace) -> Sheet:
    given = trace.numbers.given
    spoilt = run(trace.program.faulty, given)
    found: dict[str, FloatArray] = {}
    rules: dict[str, Rule] = {}
    numbers = trace.numbers
    if numbers.case is not None or numbers.norm is not None:
        whole = (numbers.case.answer if numbers.case else numbers.norm).sheet()  # type: ignore[union-attr]
        found |= whole.matrices
        found["weight_sum"] = trace.right.get("weight_sum", np.zeros(()))
        if numbers.norm is not None:
            del found["weight_sum"]
    else:
        right = run(trace.program.right, given, prefix="")
        found |= right.values
        rules.update(right.rules)
    for name in ("whole", "parts", "rows"):
        if name in given:
            value = np.asarray(given[name])
            found[name] = value.reshape(value.shape[-len(MATRICES[name].axes) :])
    for matrices, prefix in (
        (spoilt.values, ""),
        (trace.right, ""),
        (trace.faulty, FAULTY),
    ):
        found |= {
            f"{prefix}{name}": _fit(name, value) for name, value in matrices.items()
        }
    found |= {f"{GAP}{name}": _fit(name, value) for name, value in trace.gap.items()}
    rules.update(spoilt.rules)
    rules |= _statistics(trace)
    rules |= {f"{GAP}{name}": _gap for name in trace.gap}
    return Sheet(found, {}, rules)


def _fit(name: str, value: FloatArray) -> FloatArray:
    return _laid(name, value) if name in MATRICES else value


def _statistics(trace: MistakeTrace) -> dict[str, Rule]:
    """Name what is summed up of a faulty result."""
    rules: dict[str, Rule] = {}
    if trace.numbers.case is not None:
        rules[f"{FAULTY}weight_sum"] = _row_sum
        rules["weight_sum"] = _row_sum
    for prefix in ("", FAULTY):
        rules[f"{prefix}output_mean"] = _output_mean
        rules[f"{prefix}output_variance"] = _output_variance
    return rules


def _row_sum(sheet: Sheet, stage: str, index: Index) -> Derivation:
    name = stage.replace("weight_sum", "weights")
    places = [(*index[:-1], key) for key in range(sheet.shape(name)[-1])]
    return collect(stage, index, "sum", [(sheet.operand(name, at),) for at in places])


def _output_mean(sheet: Sheet, stage: str, index: Index) -> Derivation:
    name = stage.replace("output_mean", "norm_output")
    places = [(*index, each) for each in range(sheet.shape(name)[-1])]
    work = collect(stage, index, "sum", [(sheet.operand(name, at),) for at in places])
    return then(work, "divide", sheet.operand("d"))


def _output_variance(sheet: Sheet, stage: str, index: Index) -> Derivation:
    name = stage.replace("output_variance", "norm_output")
    mean = sheet.operand(stage.replace("variance", "mean"), index)
    places = [(*index, each) for each in range(sheet.shape(name)[-1])]
    pairs = [(sheet.operand(name, at), mean) for at in places]
    return then(
        collect(stage, index, "sum_of_squares", pairs), "divide", sheet.operand("d")
    )


def _gap(sheet: Sheet, stage: str, index: Index) -> Derivation:
    name = stage.removeprefix(GAP)
    work = carry(stage, index, sheet.operand(f"{FAULTY}{name}", index))
    return then(work, "subtract", sheet.operand(name, index))
