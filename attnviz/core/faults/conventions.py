"""What others do on purpose: a temperature, a sink, a bias that grows with distance."""

from collections.abc import Callable

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.weights import softmax_stages
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults._plain import outcome, scores_of, weigh
from attnviz.core.faults._solving import (
    Estimate,
    by_head,
    mean_by_head,
    nearest,
    slopes,
    weight_noise,
)
from attnviz.core.faults.fault import Outcome, Solved
from attnviz.core.faults.scores import rescaled

# Less than single precision loses is no sink.
_GUARD = 1e-5
_STARTS = (0.25, 0.5, 1.0, 2.0, 4.0)


def tempered(case: AttentionCase, temperature: float | FloatArray = 3.0) -> Outcome:
    """Divide the finished scores by a temperature before the softmax.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    temperature : float or FloatArray of shape (..., H, 1, 1), default=3.0
        The divisor.

    Returns
    -------
    outcome : Outcome
        Weights that are more even, or less.
    """
    return outcome(case, weigh(scores_of(case) / temperature, case.visible))


def solve_temperature(
    case: AttentionCase, weights: FloatArray | None, context: FloatArray | None
) -> Solved | None:
    """Find the temperature of a result.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    weights, context : FloatArray or None
        What someone computed.

    Returns
    -------
    solved : Solved or None
        ``temperature``, and without a bias or a cap ``scale``, which is the same thing.
    """

    def make(inverse: float | FloatArray) -> Outcome:
        return outcome(case, weigh(scores_of(case) * inverse, case.visible))

    found = _slope_of(case, weights, context, make, scores_of(case), 0.0)
    if found is None:
        return None
    inverse = found.value
    if not (inverse > 0).all():
        return None
    temperature = Estimate(1 / inverse, found.error / np.square(inverse)).rounded()
    named = {"temperature": by_head(temperature)}
    if case.bias is None and case.softcap is None:
        scale = Estimate(case.scale * inverse, case.scale * found.error).rounded()
        named["scale"] = by_head(scale)
    return Solved(tempered(case, temperature), named, temperature.size)


def solve_scale(
    case: AttentionCase, weights: FloatArray | None, context: FloatArray | None
) -> Solved | None:
    """Find the scale of a result with a bias, which a temperature would divide too.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    weights, context : FloatArray or None
        What someone computed.

    Returns
    -------
    solved : Solved or None
        ``scale``; None without a bias or with a cap.
    """
    if case.bias is None or case.softcap is not None:
        return None
    raw = case.answer.raw_scores.astype(np.float64)
    known = np.where(case.visible, case.bias, 0)

    def make(scale: float | FloatArray) -> Outcome:
        return rescaled(case, float(scale))

    found = _slope_of(case, weights, context, make, raw, known, alone=True)
    if found is None:
        return None
    scale = found.rounded().item()
    return Solved(make(scale), {"scale": scale}, 1)


def sunk(case: AttentionCase, logit: float | FloatArray = 0.0) -> Outcome:
    """Let a sink take a share of each row, which mixes nothing.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    logit : float or FloatArray of shape (..., H, 1, 1), default=0.0
        Score of the sink: 0 adds 1 to each denominator.

    Returns
    -------
    outcome : Outcome
        Rows that sum to less than one.
    """
    weights, sizes = _weights_and_sizes(case)
    with np.errstate(over="ignore"):
        return outcome(case, weights / (1 + np.exp(logit - sizes)))


def solve_sink(
    case: AttentionCase, weights: FloatArray | None, context: FloatArray | None
) -> Solved | None:
    """Find the score of a sink, the same in every row of a head.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    weights, context : FloatArray or None
        What someone computed.

    Returns
    -------
    solved : Solved or None
        ``sink``; None where no row lacks anything.
    """
    _, sizes = _weights_and_sizes(case)
    shares, noise = _shares(case, weights, context)
    lacking = case.answered[..., None] & (shares > 0) & (shares < 1) & (noise > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logits = np.where(lacking, sizes + np.log(1 / shares - 1), 0)
        sure = np.where(lacking, np.square(shares * (1 - shares) / noise), 0)
    found = mean_by_head(np.nan_to_num(logits), np.nan_to_num(sure))
    if found is None:
        return None
    logit = found.rounded()
    return Solved(sunk(case, logit), {"sink": by_head(logit)}, logit.size)


def solve_guard(
    case: AttentionCase,
    weights: FloatArray | None,
    context: FloatArray | None,
    *,
    shifted: bool,
) -> Outcome | None:
    """Find a tiny number in each denominator, against division by zero.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    weights, context : FloatArray or None
        What someone computed.
    shifted : bool
        Whether the maximum of each row was subtracted first.

    Returns
    -------
    outcome : Outcome or None
        Rows that sum to a little less than one; None where any lacks more than single
        precision would, or none lacks anything.
    """
    stages = softmax_stages(np.where(case.visible, _wide_scores(case), -np.inf))
    shares, noise = _shares(case, weights, context)
    lacking = case.answered[..., None] & (shares > 0) & (shares < 1) & (noise > 0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        sums = stages.row_sum * (1.0 if shifted else np.exp(stages.row_max))
        found = mean_by_head(
            np.where(lacking, sums * (1 / shares - 1), 0),
            np.where(lacking, np.square(shares / noise / sums), 0),
        )
        if found is None:
            return None
        guard = found.rounded()
        if not (
            guard / np.where(case.answered[..., None], sums, np.inf) < _GUARD
        ).all():
            return None
        return outcome(case, stages.weights * (sums / (sums + guard)))


def biased_by_distance(case: AttentionCase, slope: float | FloatArray = 0.5) -> Outcome:
    """Take a slope times the distance from each score, as ALiBi does.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    slope : float or FloatArray of shape (..., H, 1, 1), default=0.5
        What each step costs.

    Returns
    -------
    outcome : Outcome
        Weights that fall with the distance.
    """
    return outcome(
        case, weigh(_wide_scores(case) - slope * _distances(case), case.visible)
    )


def solve_distance(
    case: AttentionCase, weights: FloatArray | None, context: FloatArray | None
) -> Solved | None:
    """Find what each step of distance costs, head by head.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    weights, context : FloatArray or None
        What someone computed.

    Returns
    -------
    solved : Solved or None
        ``slope``, on top of the bias that was asked for.
    """

    def make(slope: float | FloatArray) -> Outcome:
        return biased_by_distance(case, -slope)

    found = _slope_of(
        case, weights, context, make, _distances(case), _wide_scores(case)
    )
    if found is None:
        return None
    slope = -found.rounded()
    if not slope.any():
        return None
    return Solved(
        biased_by_distance(case, slope), {"slope": by_head(slope)}, slope.size
    )


def _slope_of(
    case: AttentionCase,
    weights: FloatArray | None,
    context: FloatArray | None,
    make: Callable[[float], Outcome],
    x: FloatArray,
    known: FloatArray | float,
    *,
    alone: bool = False,
) -> Estimate | None:
    """Find a multiple of `x` in the scores: from weights head by head, else as one."""
    if weights is not None and weights.shape == case.visible.shape:
        usable = case.visible & case.query_valid[..., None]
        wide = np.broadcast_to(x, usable.shape)
        spread = np.broadcast_to(known, usable.shape)
        if not alone:
            return slopes(wide, weights, spread, usable)
        # All heads are one long table.
        flat = (-1, usable.shape[-1])
        return slopes(
            wide.reshape(flat),
            weights.reshape(flat),
            spread.reshape(flat),
            usable.reshape(flat),
        )
    if context is None or context.shape != case.answer.context.shape:
        return None
    return nearest(lambda number: make(number).context, context, _STARTS)


def _shares(
    case: AttentionCase, weights: FloatArray | None, context: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Measure how much of each right row a result holds, and how surely."""
    if weights is not None and weights.shape == case.visible.shape:
        noise = np.sqrt(np.square(weight_noise(weights)).sum(axis=-1, keepdims=True))
        return weights.sum(axis=-1, keepdims=True), noise
    right = case.answer.context.astype(np.float64)
    if context is None or context.shape != right.shape:
        nothing = np.zeros((*case.visible.shape[:-1], 1))
        return nothing, nothing
    size = np.square(right).sum(axis=-1, keepdims=True)
    size = np.where(size == 0, np.inf, size)
    noise = weight_noise(context).max(initial=0) / np.sqrt(size)
    return (context * right).sum(axis=-1, keepdims=True) / size, noise


def _weights_and_sizes(case: AttentionCase) -> tuple[FloatArray, FloatArray]:
    """Give right weights, and the logarithm of the sum of each row's exponentials."""
    stages = softmax_stages(np.where(case.visible, _wide_scores(case), -np.inf))
    with np.errstate(divide="ignore"):
        return stages.weights, stages.row_max + np.log(stages.row_sum)


def _wide_scores(case: AttentionCase) -> FloatArray:
    return scores_of(case).astype(np.float64, copy=False)


def _distances(case: AttentionCase) -> FloatArray:
    """Count the steps from each query to each key, the last of both side by side."""
    len_q, len_k = case.visible.shape[-2:]
    queries = np.arange(len_k - len_q, len_k)[:, None]
    apart = np.abs(queries - np.arange(len_k)).astype(np.float64)
    return np.broadcast_to(apart, case.visible.shape)
