"""What a fault is, and what faulty code returns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray

Stage = Literal[
    "scores",
    "mask",
    "softmax",
    "heads",
    "dropout",
    "positions",
    "norm",
    "parameters",
]
Subject = Literal["attention", "layer_norm", "other"]


@dataclass(frozen=True, slots=True, repr=False)
class Outcome(Record):
    """What an attention computation returns, right or wrong.

    Attributes
    ----------
    weights : FloatArray
        Weights, of the shape the faulty code gives them.
    context : FloatArray of shape (..., T_q, d_v)
        Context.
    """

    weights: FloatArray
    context: FloatArray


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to make a mistake.

    Attributes
    ----------
    name : str
        Name that is unique within the fault.
    run : callable
        The faulty code.
    subject : {"attention", "layer_norm", "other"}
        What `run` takes and gives. "attention": an `AttentionCase`, an `Outcome`;
        "layer_norm": a `NormTrace`, the output; both give None where the mistake
        cannot be made. "other": what its own description says.
    convention : bool
        Whether others do this on purpose.
    """

    name: str
    run: Callable[..., Any]
    subject: Subject = "attention"
    convention: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """A mistake that people really make.

    Attributes
    ----------
    id : str
        Number in the catalogue, such as "P01".
    stage : str
        Where in the computation it happens.
    revealed_by : tuple of str
        Checks and experiments that show it.
    variants : tuple of Variant
        Ways to make it, the usual one first.
    """

    id: str
    stage: Stage
    revealed_by: tuple[str, ...]
    variants: tuple[Variant, ...]
