"""Mistakes in carrying a gradient back through attention."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.scaled_dot_product import AttentionTrace
from attnviz.core.gradients.attention import attend_backward, softmax_backward

Gradients = Mapping[str, FloatArray]
"""Gradients of q, k, v, scores and weights, by name; what is missing is not told."""


def _mixed(weights: FloatArray, d_weights: FloatArray) -> FloatArray:
    """Sum A ⊙ dA over each row."""
    total: FloatArray = (weights * d_weights).sum(axis=-1, keepdims=True)
    return total


# What people write for dS, of the weights and their gradient.
_INSTEAD: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "identity": lambda _, up: up,
    "diagonal": lambda a, up: a * (1 - a) * up,
    "without_sum": lambda a, up: a * up,
    "without_weights": lambda a, up: up - _mixed(a, up),
    "unweighted_sum": lambda a, up: a * (up - up.sum(axis=-1, keepdims=True)),
    "row_mean": lambda a, up: a * (up - _mixed(a, up) / up.shape[-1]),
    "over_columns": lambda a, up: softmax_backward(up, weights=a, axis=-2),
}


@dataclass(frozen=True, slots=True, repr=False)
class GradientCase(Record):
    """What someone carried back.

    Attributes
    ----------
    trace : AttentionTrace
        The right computation.
    d_context : FloatArray of shape (..., T_q, d_v)
        Gradient with respect to the context.
    """

    trace: AttentionTrace
    d_context: FloatArray

    @property
    def answer(self) -> Gradients:
        """The right gradients."""
        right = attend_backward(self.d_context, trace=self.trace)
        names = ("q", "k", "v", "scores", "weights")
        found = {name: getattr(right, name) for name in names}
        return {name: part for name, part in found.items() if part is not None}


def scale_replaced(case: GradientCase, power: int) -> Gradients | None:
    """Let the scale of the scores reach queries and keys not at all, or twice.

    Parameters
    ----------
    case : GradientCase
        What is asked.
    power : int
        How often dQ and dK are multiplied by the scale; once is right.

    Returns
    -------
    gradients : Gradients or None
        None where the scale is 1 or 0, and makes no difference.
    """
    if case.trace.scale in (0, 1):
        return None
    right = case.answer
    factor = case.trace.scale ** (power - 1)
    return {**right, "q": right["q"] * factor, "k": right["k"] * factor}


def raw_scores_instead(case: GradientCase) -> Gradients | None:
    """Give for dS the gradient of the scores before they are scaled.

    Parameters
    ----------
    case : GradientCase
        What is asked.

    Returns
    -------
    gradients : Gradients or None
        Smaller by the scale; None where nothing is scaled.
    """
    if case.trace.scale == 1:
        return None
    raw = attend_backward(case.d_context, trace=case.trace).raw_scores
    return {**case.answer, "scores": raw}


def softmax_replaced(case: GradientCase, by: str) -> Gradients | None:
    """Carry the gradient of the weights back to the scores in another way.

    Parameters
    ----------
    case : GradientCase
        What is asked.
    by : str
        What stands in the place of A ⊙ (dA − rowsum(A ⊙ dA)), by its name.

    Returns
    -------
    gradients : Gradients or None
        What follows from it; None with a cap on the scores.
    """
    trace, right = case.trace, case.answer
    if trace.softcap is not None:
        return None
    d_scores = _INSTEAD[by](trace.weights, right["weights"])
    d_scores = np.where(trace.visible, d_scores, 0)
    return {**right, "scores": d_scores, **_to_inputs(trace, d_scores)}


def weights_not_transposed(case: GradientCase) -> Gradients | None:
    """Give A dC for dV instead of Aᵀ dC.

    Parameters
    ----------
    case : GradientCase
        What is asked.

    Returns
    -------
    gradients : Gradients or None
        None where the table is not square.
    """
    weights = case.trace.weights
    if weights.shape[-1] != weights.shape[-2]:
        return None
    return {**case.answer, "v": weights @ case.d_context}


def scores_not_transposed(case: GradientCase) -> Gradients | None:
    """Give dS Q for dK instead of dSᵀ Q.

    Parameters
    ----------
    case : GradientCase
        What is asked.

    Returns
    -------
    gradients : Gradients or None
        None where the table is not square.
    """
    right, d_raw = case.answer, _raw(case)
    if d_raw.shape[-1] != d_raw.shape[-2]:
        return None
    return {**right, "k": d_raw @ case.trace.q}


def scores_transposed(case: GradientCase) -> Gradients | None:
    """Give dSᵀ K for dQ instead of dS K.

    Parameters
    ----------
    case : GradientCase
        What is asked.

    Returns
    -------
    gradients : Gradients or None
        None where the table is not square.
    """
    right, d_raw = case.answer, _raw(case)
    if d_raw.shape[-1] != d_raw.shape[-2]:
        return None
    return {**right, "q": d_raw.swapaxes(-1, -2) @ case.trace.k}


def queries_and_keys_swapped(case: GradientCase) -> Gradients:
    """Give dK for dQ, and dQ for dK.

    Parameters
    ----------
    case : GradientCase
        What is asked.

    Returns
    -------
    gradients : Gradients
        Of other shapes where there are not as many queries as keys.
    """
    right = case.answer
    return {**right, "q": right["k"], "k": right["q"]}


def own_operand_mixed(case: GradientCase) -> Gradients | None:
    """Give dS Q for dQ and dSᵀ K for dK: each meets itself instead of the other.

    Parameters
    ----------
    case : GradientCase
        What is asked.

    Returns
    -------
    gradients : Gradients or None
        None where there are not as many queries as keys.
    """
    right, d_raw, trace = case.answer, _raw(case), case.trace
    if d_raw.shape[-1] != d_raw.shape[-2]:
        return None
    d_raw_by_key = d_raw.swapaxes(-1, -2)
    return {**right, "q": d_raw @ trace.q, "k": d_raw_by_key @ trace.k}


def mean_instead_of_sum(case: GradientCase, *, rows: bool = False) -> Gradients:
    """Carry back the gradient of a mean where that of a sum was given.

    Parameters
    ----------
    case : GradientCase
        What is asked.
    rows : bool, default=False
        Whether the mean is over the queries alone, not over all numbers.

    Returns
    -------
    gradients : Gradients
        All smaller by the same factor.
    """
    length, width = case.d_context.shape[-2:]
    count = length if rows else length * width
    return {name: part / max(count, 1) for name, part in case.answer.items()}


def hidden_kept(case: GradientCase) -> Gradients | None:
    """Give dC Vᵀ for dA where the mask hides, too.

    Parameters
    ----------
    case : GradientCase
        What is asked.

    Returns
    -------
    gradients : Gradients or None
        The same otherwise, for hidden weights are 0; None where nothing is hidden.
    """
    trace = case.trace
    if trace.visible.all():
        return None
    everywhere = case.d_context @ trace.v.swapaxes(-1, -2)
    return {**case.answer, "weights": everywhere}


def _raw(case: GradientCase) -> FloatArray:
    """Give the gradient of the raw scores."""
    return attend_backward(case.d_context, trace=case.trace).raw_scores


def _to_inputs(trace: AttentionTrace, d_scores: FloatArray) -> Gradients:
    """Go on from a gradient of the scores to queries and keys."""
    d_raw = d_scores * trace.scale
    return {"q": d_raw @ trace.k, "k": d_raw.swapaxes(-1, -2) @ trace.q}
