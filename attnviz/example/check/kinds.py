"""The kinds of results that can be checked: what each follows from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.compute import ExampleTrace, compute
from attnviz.example.norms import NormExample, NormExampleTrace, compute_norm
from attnviz.example.settings import Example

Kind = Literal["weights", "context", "norm_output"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Source = ExampleTrace | NormExampleTrace


@dataclass(frozen=True, slots=True)
class KindRule:
    """One kind of result; its name is that of its matrix.

    Attributes
    ----------
    family : str
        Results of one family are judged together.
    symbol : str
        What it is called on screen.
    inputs : tuple of str
        What is shown of its inputs while there is no result.
    compute : callable
        Takes the example and the normalization that is meant; gives the trace that
        holds what should come out.
    has_heads : bool
        Whether each head has its own.
    """

    family: str
    symbol: str
    inputs: tuple[str, ...]
    compute: Callable[[Example, NormExample], Source]
    has_heads: bool = True

    def values(self, source: Source, kind: str) -> FloatArray:
        """Take what should come out, with an axis for heads."""
        found = source.sheet().matrices[kind]
        return found if self.has_heads else found[None]


def _attention(example: Example, norm: NormExample) -> ExampleTrace:
    return compute(example)


_MET = ("q", "k", "v")
KIND_RULES: Mapping[str, KindRule] = MappingProxyType(
    {
        "weights": KindRule("attention", "A", _MET, _attention),
        "context": KindRule("attention", "C", _MET, _attention),
        "norm_output": KindRule(
            "norm", "y", ("norm_input", "gamma", "beta"), compute_norm, has_heads=False
        ),
    }
)
