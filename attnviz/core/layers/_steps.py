"""The step around each sublayer of a Transformer: its residual and its norm."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from attnviz.core.arrays.shapes import (
    FloatArray,
    choice,
    read_only,
)
from attnviz.core.errors import ShapeError
from attnviz.core.layers.norms import NormParameters, NormPlace, NormTrace, layer_norm


class Stage(Protocol):
    """What a sublayer returns."""

    @property
    def output(self) -> FloatArray:
        """What is added to the sublayer's input."""


Inner = TypeVar("Inner", bound=Stage)


class Step(NamedTuple, Generic[Inner]):
    """One sublayer with its residual, its norm and what it hands on.

    Attributes
    ----------
    inner : Stage
        Trace of the sublayer.
    residual : FloatArray of shape (..., T, d)
        Input of the step plus what the sublayer gave.
    norm : NormTrace
        Normalization of the residual ("post") or of the input ("pre").
    output : FloatArray of shape (..., T, d)
        What the next step starts from.
    """

    inner: Inner
    residual: FloatArray
    norm: NormTrace
    output: FloatArray


@dataclass(frozen=True, slots=True)
class Steps:
    """How all steps of one layer are taken.

    Attributes
    ----------
    operation : str
        Name that opens the message of an error.
    place : {"post", "pre"}
        Normalize the residual, or what enters the sublayer.
    eps : float
        As in `layer_norm`.
    """

    operation: str
    place: NormPlace
    eps: float

    def __post_init__(self) -> None:
        """Refuse a place that has another name."""
        choice(self.operation, "norm", self.place, ("post", "pre"))

    def take(
        self,
        x: FloatArray,
        sublayer: Callable[[FloatArray], Inner],
        parameters: NormParameters,
    ) -> Step[Inner]:
        """Go through one sublayer, from (..., T, d) to the same shape.

        Raises
        ------
        ShapeError
            If the sublayer gives back another shape.
        """
        if self.place == "pre":
            norm = self._normalize(x, parameters)
            inner = sublayer(norm.output)
            residual = self._add(x, inner.output)
            return Step(inner, residual, norm, residual)
        inner = sublayer(x)
        residual = self._add(x, inner.output)
        norm = self._normalize(residual, parameters)
        return Step(inner, residual, norm, norm.output)

    def _normalize(self, x: FloatArray, parameters: NormParameters) -> NormTrace:
        return layer_norm(x, gamma=parameters.gamma, beta=parameters.beta, eps=self.eps)

    def _add(self, x: FloatArray, change: FloatArray) -> FloatArray:
        if x.shape != change.shape:
            raise ShapeError(
                f"{self.operation}: `x` needs the shape of what the sublayer gives, "
                f"{change.shape}, to be added to it; got {x.shape}"
            )
        return read_only(x + change)


def step_sources(
    place: NormPlace, *sublayers: tuple[str, str]
) -> dict[str, tuple[str, ...]]:
    """Tell which matrices of a layer are copies and sums of others.

    Parameters
    ----------
    place : {"post", "pre"}
        Where the norms stand.
    *sublayers : tuple of (str, str)
        What the input and the output of each step's sublayer are called.

    Returns
    -------
    sources : dict of str to tuple of str
        As a `Sheet` has them, from the layer's "x" to its "output".
    """
    sources: dict[str, tuple[str, ...]] = {}
    entering = "x"
    for number, (taken, given) in enumerate(sublayers, start=1):
        residual, norm = f"residual_{number}", f"norm_{number}"
        sources[residual] = (entering, given)
        if place == "pre":
            sources[f"{norm}.norm_input"] = (entering,)
            sources[taken] = (f"{norm}.norm_output",)
            entering = residual
        else:
            sources[taken] = (entering,)
            sources[f"{norm}.norm_input"] = (residual,)
            entering = f"{norm}.norm_output"
    return sources | {"output": (entering,)}
