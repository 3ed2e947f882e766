"""A gradient goes back through the attention of an example."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.arrays.sheet import Sheet
from attnviz.core.attention.heads import split_heads
from attnviz.core.checks._result import without_batch
from attnviz.core.errors import SettingError
from attnviz.core.gradients import AttentionGradients, attend_backward
from attnviz.example.checks import asked_of
from attnviz.example.compute import ExampleTrace
from attnviz.example.layer.gradient_heads import HeadRules
from attnviz.example.matrices import GRADIENT, MATRICES, Matrix
from attnviz.example.own.shapes import as_shape
from attnviz.example.screen import Screen
from attnviz.example.settings import Example

_STAGES = ("q", "k", "v", "raw_scores", "scores", "masked_scores", "weights")
_ROW, _START = f"{GRADIENT}row", f"{GRADIENT}context"
_RULES = {
    name: rule
    for name, rule in HeadRules("", is_turned=False).rules().items()
    if name == _ROW or name.removeprefix(GRADIENT) in _STAGES
}


@dataclass(frozen=True, slots=True, eq=False)
class GradientTrace:
    """An attention, and the gradient that comes back through it.

    Attributes
    ----------
    forth : ExampleTrace
        The example.
    d_context : FloatArray of shape (H, T_q, d_v)
        Gradient of the loss by the context.
    back : AttentionGradients
        Of everything before it.
    """

    forth: ExampleTrace
    d_context: FloatArray
    back: AttentionGradients

    @property
    def example(self) -> Example:
        """The settings."""
        return self.forth.example

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked, as `diagnose_gradients` takes it."""
        return {**asked_of(self.forth), "d_context": self.d_context}

    def sheet(self) -> Sheet:
        """Lay out both ways for derivations."""
        forth = self.forth.sheet()
        products = self.forth.attention.weights * self.back.weights
        own = {f"{GRADIENT}{name}": getattr(self.back, name) for name in _STAGES}
        own[_ROW] = products.sum(axis=-1, keepdims=True)
        own[_START] = self.d_context
        return replace(
            forth,
            matrices={**forth.matrices, **own},
            rules={**forth.rules, **_RULES},
        )

    def screen(self) -> Screen:
        """Name all matrices as they stand on screen."""
        screen = self.forth.screen()
        names = {**screen.names, **_NAMES}
        return replace(screen, matrices=self.sheet().matrices, names=names)


def compute_gradients(
    example: ExampleTrace, d_context: FloatArray | None = None
) -> GradientTrace:
    """Carry a gradient back through an example.

    Parameters
    ----------
    example : ExampleTrace
        The way forward.
    d_context : FloatArray, optional
        Gradient of the loss by the context, of all heads; they may stand side by side.
        The loss is the sum of the context if it is left out.

    Raises
    ------
    SettingError
        If scores are not plain dot products of Q and K, or `d_context` has another
        shape than the context.
    """
    meant = example.example
    is_plain = meant.scoring == "dot" and meant.temperature == 1
    if not is_plain or meant.positions == "rotary":
        raise SettingError("check_gradient")
    attention = example.attention
    start = _fitted(d_context, attention.context.shape)
    return GradientTrace(example, start, attend_backward(start, trace=attention))


def _fitted(given: FloatArray | None, shape: tuple[int, ...]) -> FloatArray:
    """Give dC a table for each head."""
    if given is None:
        return read_only(np.ones(shape))
    heads, rows, width = shape
    found = without_batch(given, shape)
    if heads > 1 and (side := without_batch(given, (rows, heads * width))).ndim == 2:
        found = split_heads(side, heads) if side.shape[1] == heads * width else found
    if found.shape != shape:
        got, wanted = as_shape(given.shape), as_shape(shape)
        raise SettingError("check_upstream", got=got, wanted=wanted)
    return read_only(found)


def _named(name: str, base: str = "") -> Matrix:
    like = MATRICES[name]
    base = base or f"d{like.base}"
    return replace(like, base=base, entry="", kind="signed", edits=())


_NAMES: Mapping[str, Matrix] = MappingProxyType(
    {
        **{f"{GRADIENT}{name}": _named(name) for name in (*_STAGES, "context")},
        _ROW: _named("row_sum", "Σa·da"),
    }
)
