"""Two examples side by side: what was set differently, and what came out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray, read_only
from attnviz.example.settings import Example
from attnviz.example.weights_alone import Shown, WeightsTrace

COMPARED = ("scores", "weights", "context", "output")


@dataclass(frozen=True, slots=True)
class Pair:
    """One matrix of both examples.

    Attributes
    ----------
    before, after : FloatArray of shape (rows, columns)
        The matrix of A and of B.
    difference : FloatArray of shape (rows, columns), or None
        B − A; None where the shapes differ.
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
    changed : tuple of str
        Names of the settings that differ, in the order of Example.
    pairs : mapping of str to Pair
        Scores, weights, context and output of one head, as far as both have them.
    """

    changed: tuple[str, ...]
    pairs: Mapping[str, Pair]


def compare(a: Shown, b: Shown, head: int) -> Comparison:
    """Set two examples beside each other.

    Parameters
    ----------
    a, b : ExampleTrace or WeightsTrace
        The frozen example and the one on screen.
    head : int
        The head to compare; an example with fewer heads shows its last.

    Returns
    -------
    comparison : Comparison
        Settings that differ, and the matrices with their difference.
    """
    names = [field.name for field in fields(Example)]
    changed = tuple(
        name for name in names if getattr(a.example, name) != getattr(b.example, name)
    )
    before, after = _results(a, head), _results(b, head)
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
    return Comparison(changed, MappingProxyType(pairs))


def _results(trace: Shown, head: int) -> dict[str, FloatArray]:
    own = min(head, trace.n_heads - 1)
    if isinstance(trace, WeightsTrace):
        return {"weights": trace.weights[own]}
    attention = trace.attention
    results = {
        "scores": attention.scores[own],
        "weights": attention.weights[own],
        "context": attention.context[own],
    }
    if trace.heads is not None:
        results["output"] = trace.heads.output
    return results


def _hidden(trace: Shown, head: int) -> BoolArray | None:
    if isinstance(trace, WeightsTrace):
        return None
    hidden: BoolArray = ~trace.attention.visible[min(head, trace.n_heads - 1)]
    return read_only(hidden)


def _pair(before: FloatArray, after: FloatArray) -> Pair:
    if before.shape != after.shape:
        return Pair(before, after, None)
    return Pair(before, after, read_only(np.asarray(after - before)))
