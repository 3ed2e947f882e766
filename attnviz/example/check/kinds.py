"""The kinds of results that can be checked: what each follows from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, get_args

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.check.gradients import GradientTrace, compute_gradients
from attnviz.example.compute import ExampleTrace, compute
from attnviz.example.norms import NormExample, NormExampleTrace, compute_norm
from attnviz.example.settings import Example

Kind = Literal[
    "weights",
    "context",
    "output",
    "norm_output",
    "positions",
    "q_turned",
    "k_turned",
    "grad_q",
    "grad_k",
    "grad_v",
    "grad_scores",
    "grad_weights",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
Source = ExampleTrace | NormExampleTrace | GradientTrace


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
        Takes the example, the normalization that is meant and what gradients start
        from; gives the trace that holds what should come out.
    has_heads : bool
        Whether each head has its own.
    is_usual : bool
        Whether a result without a name may be of this kind.
    """

    family: str
    symbol: str
    inputs: tuple[str, ...]
    compute: Callable[[Example, NormExample, FloatArray | None], Source]
    has_heads: bool = True
    is_usual: bool = True

    def values(self, source: Source, kind: str) -> FloatArray:
        """Take what should come out, with an axis for heads."""
        found = source.sheet().matrices[kind]
        return found if self.has_heads else found[None]


def _attention(example: Example, *_: object) -> ExampleTrace:
    return compute(example)


def _layer(example: Example, *_: object) -> ExampleTrace:
    trace = compute(example)
    if trace.heads is None:
        raise SettingError("no_output")
    if example.scoring != "dot":
        raise SettingError("check_dot")
    return trace


def _sinusoidal(example: Example, *_: object) -> ExampleTrace:
    trace = compute(replace(example, positions="sinusoidal"))
    if trace.positions is None:
        raise SettingError("no_inputs")
    return trace


def _rotary(example: Example, *_: object) -> ExampleTrace:
    return compute(replace(example, positions="rotary"))


def _norm(example: Example, norm: NormExample, _: object) -> NormExampleTrace:
    return compute_norm(example, norm)


def _gradients(
    example: Example, _: object, d_context: FloatArray | None
) -> GradientTrace:
    return compute_gradients(compute(example), d_context)


_MET = ("q", "k", "v")
_TURNED = KindRule("rotation", "Q′", ("q", "k"), _rotary, is_usual=False)
_GRADIENT = KindRule(
    "gradients", "dQ", (*_MET, "grad_context"), _gradients, is_usual=False
)
KIND_RULES: Mapping[str, KindRule] = MappingProxyType(
    {
        "weights": KindRule("attention", "A", _MET, _attention),
        "context": KindRule("attention", "C", _MET, _attention),
        "output": KindRule("layer", "O", ("x", "w_o"), _layer, has_heads=False),
        "norm_output": KindRule(
            "norm", "y", ("norm_input", "gamma", "beta"), _norm, has_heads=False
        ),
        "positions": KindRule(
            "sinusoids", "P", ("x",), _sinusoidal, has_heads=False, is_usual=False
        ),
        "q_turned": _TURNED,
        "k_turned": replace(_TURNED, symbol="K′"),
        "grad_q": _GRADIENT,
        "grad_k": replace(_GRADIENT, symbol="dK"),
        "grad_v": replace(_GRADIENT, symbol="dV"),
        "grad_scores": replace(_GRADIENT, symbol="dS"),
        "grad_weights": replace(_GRADIENT, symbol="dA"),
    }
)
