"""How matrices inside the core's layers are called on screen, and the way back.

Inside, each matrix has a name with points, "layer_2.norm_1.norm_mean", and copies have
names of their own. On screen that one is "norm_mean" at a place that begins with layer
and norm, and a copy goes by the name of what it copies.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.derivation import Derivation, derive
from attnviz.example.layer.catalogue import ATTENTION
from attnviz.example.matrices import CROSS

if TYPE_CHECKING:
    from attnviz.example.layer.compute import LayersTrace

# The sublayers of the core's traces, and what stands before their names on screen.
_PREFIX: Mapping[str, str] = MappingProxyType(
    {
        "attention": "",
        "self_attention": "",
        "cross_attention": CROSS,
        "feed_forward": "",
    }
)
_NETWORK: Mapping[str, str] = MappingProxyType(
    {
        "hidden": "ffn_hidden",
        "activated": "ffn_active",
        **{name: name for name in ("w_1", "b_1", "w_2", "b_2", "ffn_output")},
    }
)
_STATISTICS = ("norm_mean", "norm_variance", "norm_normalized")
_SCALED = ("gamma", "beta")
# What a sublayer takes, by the names its parts have inside.
_TAKEN = ("x", "x_q", "ffn_input")
# What has one number a feature, and not one a position.
_ROWS = ("gamma", "beta", "b_1", "b_2")


class Place(NamedTuple):
    """Where a matrix of the core stands on screen.

    Attributes
    ----------
    name : str
        Its name there.
    first : tuple of int
        What its places begin with there.
    """

    name: str
    first: Index = ()


@dataclass(frozen=True, slots=True, eq=False)
class Inside:
    """The layers as the core has them, beside what they are called on screen.

    Attributes
    ----------
    nested : Sheet
        The core's matrices.
    originals : mapping of Place to str
        What is derived on screen, with the core's name of it.
    shown : mapping of str to Place
        Every name of the core that a derivation may mention, with its place on screen.
    """

    nested: Sheet
    originals: Mapping[Place, str]
    shown: Mapping[str, Place]

    def sheet(self) -> Sheet:
        """Give the core's matrices, to derive from."""
        return self.nested

    def matrix(self, place: Place) -> FloatArray:
        """Give a matrix with rows and columns, as it stands on screen."""
        name = self.originals[place]
        found = self.nested.matrix(name)
        if found.ndim > 1:
            return found
        return found[None] if _is_row(name) else found[:, None]

    def derive(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Derive a cell inside, and name it and all it comes from as on screen."""
        work = derive(self, *self._within(stage, index))
        terms = (
            replace(term, operands=tuple(map(self._on_screen, term.operands)))
            for term in work.terms
        )
        steps = (
            replace(step, operands=tuple(map(self._on_screen, step.operands)))
            for step in work.steps
        )
        return replace(
            work, stage=stage, index=index, terms=tuple(terms), steps=tuple(steps)
        )

    def _within(self, stage: str, index: Index) -> tuple[str, Index]:
        """Find the core's name and place of a cell on screen."""
        cut = next(at for at in range(3) if Place(stage, index[:at]) in self.originals)
        name, own = self.originals[Place(stage, index[:cut])], index[cut:]
        if len(self.nested.shape(name)) == 1:
            return name, own[1:] if _is_row(name) else own[:-1]
        return name, own

    def _on_screen(self, operand: Operand) -> Operand:
        name, own = operand.name, operand.index
        if name not in self.shown:
            # Single settings are the same in every layer.
            return replace(operand, name=name.rpartition(".")[2])
        if len(own) == 1:
            own = (0, *own) if _is_row(name) else (*own, 0)
        place = self.shown[name]
        return Operand(place.name, (*place.first, *own), operand.value)


def name_all(trace: "LayersTrace") -> Inside:
    """Name every matrix of the layers, and of the norm behind them."""
    parts = {
        f"layer_{number}": layer.sheet()
        for number, layer in enumerate(trace.layers, start=1)
    }
    if trace.final is not None:
        parts["final"] = trace.final.sheet()
    nested = Sheet({}, parts=parts)
    originals: dict[Place, str] = {}
    shown: dict[str, Place] = {}
    for name, place, is_copy in _named(trace, nested):
        if _has(nested, name):
            shown[name] = place
            if not is_copy:
                originals[place] = name
    return Inside(nested, originals, shown)


def _has(nested: Sheet, name: str) -> bool:
    """Tell whether a part has a matrix, without making the names of all."""
    *parts, own = name.split(".")
    for part in parts:
        if part not in nested.parts:
            return False
        nested = nested.parts[part]
    return own in nested.matrices


_Named = Iterator[tuple[str, Place, bool]]


def _named(trace: "LayersTrace", nested: Sheet) -> _Named:
    """Go through all names of the core, with their places and which are copies."""
    n_steps = len(trace.settings.sublayers)
    for layer in range(len(trace.layers)):
        head = f"layer_{layer + 1}"
        streams = [Place(f"stream_{layer * n_steps + k}") for k in range(n_steps + 1)]
        yield f"{head}.x", streams[0], True
        yield f"{head}.output", streams[-1], True
        yield f"{head}.memory", Place("memory"), layer > 0
        sublayers = [part for part in nested.parts[head].parts if part in _PREFIX]
        for step, part in enumerate(sublayers):
            between = streams[step], streams[step + 1]
            if trace.settings.place == "pre":
                yield from _pre_step(layer, step, part, between)
            else:
                yield from _post_step(layer, step, part, between)
            yield from _statistics(f"{head}.norm_{step + 1}", (layer, step))
            yield from _sublayer(f"{head}.{part}", part, layer)
    yield "final.norm_input", Place(f"stream_{len(trace.layers) * n_steps}"), True
    for name in (*_STATISTICS, "norm_output"):
        yield f"final.{name}", Place(name.replace("norm_", "final_")), False
    for name in _SCALED:
        yield f"final.{name}", Place(f"final_{name}"), False


def _post_step(
    layer: int, step: int, part: str, between: tuple[Place, Place]
) -> _Named:
    """Name what surrounds a sublayer whose sum is normalized."""
    before, after = between
    head, number = f"layer_{layer + 1}", step + 1
    residual = Place(f"residual_{number}", (layer,))
    for name in _TAKEN:
        yield f"{head}.{part}.{name}", before, True
    yield f"{head}.residual_{number}", residual, False
    yield f"{head}.norm_{number}.norm_input", residual, True
    yield f"{head}.norm_{number}.norm_output", after, False


def _pre_step(layer: int, step: int, part: str, between: tuple[Place, Place]) -> _Named:
    """Name what surrounds a sublayer that takes a normalized input."""
    before, after = between
    head, number = f"layer_{layer + 1}", step + 1
    normed = Place("norm_output", (layer, step))
    yield f"{head}.norm_{number}.norm_input", before, True
    yield f"{head}.norm_{number}.norm_output", normed, False
    for name in _TAKEN:
        yield f"{head}.{part}.{name}", normed, True
    yield f"{head}.residual_{number}", after, False


def _statistics(norm: str, first: Index) -> _Named:
    for name in (*_STATISTICS, *_SCALED):
        yield f"{norm}.{name}", Place(name, first), False


def _sublayer(inner: str, part: str, layer: int) -> _Named:
    """Name the stages of a network or an attention, which may ask the memory."""
    yield f"{inner}.x_k", Place("memory"), True
    if part == "feed_forward":
        names = _NETWORK
    else:
        names = {name: f"{_PREFIX[part]}{name}" for name in ATTENTION}
    for name, on_screen in names.items():
        yield f"{inner}.{name}", Place(on_screen, (layer,)), False


def _is_row(name: str) -> bool:
    return name.rpartition(".")[2] in _ROWS
