"""What a fault is, and what faulty code returns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray

Stage = Literal[
    "scores",
    "mask",
    "softmax",
    "context",
    "heads",
    "dropout",
    "positions",
    "norm",
    "parameters",
    "gradients",
    "network",
]
Subject = Literal[
    "attention",
    "layout",
    "multi_head",
    "layer_norm",
    "sinusoids",
    "rotation",
    "gradients",
    "network",
    "other",
]


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
class Solved:
    """What faulty code returns with the values that fit a result.

    Attributes
    ----------
    made : Outcome or FloatArray
        What `Variant.run` would give with these values.
    found : mapping of str to float or tuple of float
        The values, one for each head where heads differ.
    n_free : int
        How many numbers of the result they are taken from.
    """

    made: Any
    found: Mapping[str, float | tuple[float, ...]]
    n_free: int


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to make a mistake.

    Attributes
    ----------
    name : str
        Name that is unique within the fault.
    run : callable
        The faulty code.
    subject : str
        What `run` takes and gives. "attention": an `AttentionCase`, an `Outcome`;
        "layout": the same, but the context may have another shape; "multi_head": a
        `MultiHeadTrace`, the output; "layer_norm": a `NormTrace`, the output;
        "sinusoids": a `SinusoidCase`, the table; "rotation", "gradients" and "network":
        a `RotationCase`, a `GradientCase` and a `FeedForwardTrace`, matrices by name;
        all give None where the mistake cannot be made. "other": what its own
        description says.
    convention : bool
        Whether others do this on purpose.
    solve : callable or None
        Finds what the mistake leaves free: takes what `run` takes, and the weights
        and context, or what else `run` gives, of a result; gives a `Solved`, or None
        where nothing fits.
    """

    name: str
    run: Callable[..., Any]
    subject: Subject = "attention"
    convention: bool = False
    solve: Callable[..., Solved | None] | None = None


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
