"""Thirty real mistakes as functions: the same inputs, and what faulty code returns."""

from attnviz.core.faults import (
    dropout,
    heads,
    masks,
    norms,
    parameters,
    positions,
    scores,
    staircases,
)
from attnviz.core.faults.catalogue import FAULTS
from attnviz.core.faults.fault import Fault, Outcome, Variant

__all__ = [
    "FAULTS",
    "Fault",
    "Outcome",
    "Variant",
    "dropout",
    "heads",
    "masks",
    "norms",
    "parameters",
    "positions",
    "scores",
    "staircases",
]
