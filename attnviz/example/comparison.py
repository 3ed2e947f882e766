"""Two examples side by side: what was set differently, and what came out of it.

The frozen one is the first; the one on screen is the second. In names of matrices they
are a and b.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray, read_only
from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.derivation.arithmetic import carry, then
from attnviz.core.derivation.pieces import Derivation
from attnviz.example.matrices import Matrix
from attnviz.example.settings import Example
from attnviz.example.weights_alone import Shown, WeightsTrace

COMPARED = ("scores", "weights", "context", "output")


@dataclass(frozen=True, slots=True)
class Pair:
    """One matrix of both examples.

    Attributes
    ----------
    before, after : FloatArray of shape (rows, columns)
        The matrix of the first and of the second.
    difference : FloatArray of shape (rows, columns), or None
        Second minus first; None where the shapes differ.
    hidden_before, hidden_after : BoolArray of the same shapes, or None
        Cells of a hidden key, in the weights.
    """

    before: FloatArray
    after: FloatArray
    difference: FloatArray | None
    hidden_before: BoolArray | None = None
    hidden_after: BoolArray | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two examples.

    Attributes
    ----------
    first, second : ExampleTrace or WeightsTrace
        The frozen example and the one on screen.
    head : int
        The head that is compared.
    changed : tuple of str
        Names of the settings that differ, in the order of Example.
    pairs : mapping of str to Pair
        Scores, weights, context and output of one head, as far as both have them.
    """

    first: Shown
    second: Shown
    head: int
    changed: tuple[str, ...]
    pairs: Mapping[str, Pair]

    def sheet(self) -> Sheet:
        """Lay out the second example, and beside it the first and the differences."""
        before, after = self.first.sheet(), self.second.sheet()
        found, rules = dict(after.matrices), dict(after.rules)
        for name, pair in self.pairs.items():
            found[f"b_{name}"], rules[f"b_{name}"] = after.matrix(name), _second
            if pair.difference is not None:
                found[f"delta_{name}"] = _minus(after.matrix(name), before.matrix(name))
                rules[f"delta_{name}"] = _difference
        return replace(after, matrices=found, rules=rules, parts={"a": before})

    def names(self, first: str, second: str) -> Mapping[str, Matrix]:
        """Name all matrices, those of the first example and of the second by a word.

        Parameters
        ----------
        first, second : str
            What stands beside a symbol.
        """
        names = dict(self.second.screen().names)
        for name, matrix in self.first.screen().names.items():
            names[f"a.{name}"] = replace(matrix, sub=f"{matrix.sub} {first}".strip())
        for name in self.pairs:
            letter = names[name].base
            names[f"b_{name}"] = replace(names[name], sub=second)
            names[f"delta_{name}"] = replace(names[name], base=f"Δ{letter}")
        return MappingProxyType(names)


def compare(a: Shown, b: Shown, head: int) -> Comparison:
    """Set two examples beside each other.

    Parameters
    ----------
    a, b : ExampleTrace or WeightsTrace
        The frozen example and the one on screen.
    head : int
        The head to compare. What only one of the examples has is not compared.

    Returns
    -------
    comparison : Comparison
        Settings that differ, and the matrices with their difference.
    """
    names = [field.name for field in fields(Example)]
    changed = tuple(
        name for name in names if getattr(a.example, name) != getattr(b.example, name)
    )
    before, after = (_results(trace, head) for trace in (a, b))
    pairs = {
        name: _pair(before[name], after[name])
        for name in COMPARED
        if name in before and name in after
    }
    if "weights" in pairs:
        pairs["weights"] = replace(
            pairs["weights"],
            hidden_before=_hidden(a, head),
            hidden_after=_hidden(b, head),
        )
    return Comparison(a, b, head, changed, MappingProxyType(pairs))


def _results(trace: Shown, head: int) -> dict[str, FloatArray]:
    has_head = head < trace.n_heads
    if isinstance(trace, WeightsTrace):
        return {"weights": trace.weights[head]} if has_head else {}
    attention = trace.attention
    results = {}
    if has_head:
        results = {
            "scores": attention.scores[head],
            "weights": attention.weights[head],
            "context": attention.context[head],
        }
    if trace.heads is not None:
        results["output"] = trace.heads.output
    return results


def _hidden(trace: Shown, head: int) -> BoolArray | None:
    if isinstance(trace, WeightsTrace):
        return None
    hidden: BoolArray = ~trace.attention.visible[head]
    return read_only(hidden)


def _minus(after: FloatArray, before: FloatArray) -> FloatArray:
    """Subtract what both have: an example with fewer heads lacks the others."""
    common = min(len(after), len(before))
    difference: FloatArray = after[:common] - before[:common]
    return difference


def _second(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return carry(stage, index, sheet.operand(stage.removeprefix("b_"), index))


def _difference(sheet: Sheet, stage: str, index: Index) -> Derivation:
    name = stage.removeprefix("delta_")
    work = carry(stage, index, sheet.operand(name, index))
    first = Operand(f"a.{name}", index, sheet.value(f"a.{name}", index))
    return then(work, "subtract", first)


def _pair(before: FloatArray, after: FloatArray) -> Pair:
    if before.shape != after.shape:
        return Pair(before, after, None)
    return Pair(before, after, read_only(np.asarray(after - before)))
