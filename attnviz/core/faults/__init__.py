"""Real mistakes as functions: the same inputs, and what faulty code returns."""

from attnviz.core.faults import (
    backwards,
    conventions,
    dropout,
    epsilon,
    heads,
    hidden,
    masks,
    norms,
    operands,
    parameters,
    positions,
    projections,
    rotations,
    scores,
    sinusoids,
    softmaxes,
    staircases,
)
from attnviz.core.faults.catalogue import FAULTS
from attnviz.core.faults.fault import Fault, Outcome, Solved, Variant

__all__ = [
    "FAULTS",
    "Fault",
    "Outcome",
    "Solved",
    "Variant",
    "backwards",
    "conventions",
    "dropout",
    "epsilon",
    "heads",
    "hidden",
    "masks",
    "norms",
    "operands",
    "parameters",
    "positions",
    "projections",
    "rotations",
    "scores",
    "sinusoids",
    "softmaxes",
    "staircases",
]
