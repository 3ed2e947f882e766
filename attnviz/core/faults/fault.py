"""What a fault is, and what faulty code returns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.attention.softmax import softmax_stages
from attnviz.core.checks.case import AttentionCase

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


@dataclass(frozen=True, slots=True)
class Outcome:
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


def scores_of(case: AttentionCase) -> FloatArray:
    """Give the scores before any hiding, never in half precision.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    scores : FloatArray of shape (..., T_q, T_k)
        Scaled, soft-capped and biased scores.
    """
    scores = case.answer.scores
    return scores.astype(np.promote_types(scores.dtype, np.float32), copy=False)


def weigh(
    scores: FloatArray, visible: BoolArray | None = None, *, empty: float = 0
) -> FloatArray:
    """Take the softmax of each row over its visible keys.

    Parameters
    ----------
    scores : FloatArray of shape (..., T_q, T_k)
        Scores.
    visible : BoolArray of shape (..., T_q, T_k), optional
        True where a query may see a key; everywhere if left out.
    empty : float, default=0
        What a row without keys holds.

    Returns
    -------
    weights : FloatArray of shape (..., T_q, T_k)
        Weights.
    """
    if visible is None:
        return softmax_stages(scores).weights
    weights = softmax_stages(np.where(visible, scores, -np.inf)).weights
    rows = visible.any(axis=-1, keepdims=True)
    return np.where(rows, weights, np.asarray(empty, dtype=weights.dtype))


def outcome(case: AttentionCase, weights: FloatArray) -> Outcome:
    """Mix the values as plain code does.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    weights : FloatArray of shape (..., T_q, T_k)
        Weights.

    Returns
    -------
    outcome : Outcome
        The weights and the sums they give, in the dtype of the values.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        narrow = weights.astype(case.v.dtype, copy=False)
        return Outcome(narrow, narrow @ case.v)
