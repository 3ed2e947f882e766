"""How far rounding carries a right result away from the exact one."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks._rounding import Precision
from attnviz.core.checks.case import AttentionCase

# exp(−750) is 0 in every precision, and exp(30) times a weight is all there is to give.
_VANISHED, _ANYTHING = 750.0, 30.0


@dataclass(frozen=True, slots=True)
class Blur:
    """How far inputs may be from what was computed with, because they were printed.

    Attributes
    ----------
    q, k, v, bias : float
        Largest difference of a number; 0 if they are exact.
    """

    q: float = 0.0
    k: float = 0.0
    v: float = 0.0
    bias: float = 0.0

    @property
    def any(self) -> bool:
        """Whether any input may differ."""
        return max(self.q, self.k, self.v, self.bias) > 0


EXACT = Blur()


def blurred_scores(case: AttentionCase, blur: Blur) -> FloatArray:
    """Bound what printed inputs do to each scaled, capped and biased score.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    blur : Blur
        How far the inputs may be off.

    Returns
    -------
    errors : FloatArray of shape (..., T_q, T_k)
        The products of q · k may all be off in the same direction.
    """
    q, k = (
        np.abs(np.nan_to_num(part.astype(np.float64), posinf=0, neginf=0)).sum(axis=-1)
        for part in (case.q, case.k)
    )
    raw = blur.q * k[..., None, :] + blur.k * q[..., :, None]
    both = case.q.shape[-1] * blur.q * blur.k
    errors: FloatArray = abs(case.scale) * (raw + both) + blur.bias
    return errors


def weight_errors(
    case: AttentionCase, precision: Precision, blur: Blur = EXACT
) -> FloatArray:
    """Bound the relative error of each weight that right code computes.

    A sum of products is off by its precision times the sum of their sizes, however
    small the sum itself comes out.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    precision : Precision
        What it was computed with.
    blur : Blur
        How far the inputs may be off.

    Returns
    -------
    errors : FloatArray of shape (..., T_q, T_k)
        For small scores, the tolerance; with larger ones it grows by their own error
        and by the largest error of a score of the row that takes part.
    """
    scores, sizes = _scores(case)
    own = precision.tolerance * precision.growth * sizes
    if blur.any:
        own = own + blurred_scores(case, blur)
    with np.errstate(invalid="ignore"):
        surest = np.max(scores - own, axis=-1, keepdims=True, initial=-np.inf)
        partakes = scores + own >= surest - _VANISHED
    row = np.max(own, axis=-1, keepdims=True, initial=0, where=partakes)
    return np.where(partakes, precision.tolerance + own + row, 0)


def _scores(case: AttentionCase) -> tuple[FloatArray, FloatArray]:
    """Give scores, −∞ where they are hidden or NaN, and the sizes they are made of."""
    with np.errstate(invalid="ignore", over="ignore"):
        scores, sizes = case.products * case.scale, case.sizes * abs(case.scale)
        if case.softcap is not None:
            scores = case.softcap * np.tanh(scores / case.softcap)
        if case.bias is not None:
            scores, sizes = scores + case.bias, sizes + np.abs(case.bias)
    counted = case.visible & ~np.isnan(scores) & ~np.isnan(sizes)
    return np.where(counted, scores, -np.inf), np.where(counted, sizes, 0)


@dataclass(frozen=True, slots=True)
class Limits:
    """How far right results may be from exact ones.

    Attributes
    ----------
    weights : FloatArray of shape (..., T_q, T_k)
        For each weight.
    context : FloatArray of shape (..., T_q, d_v)
        For each number of the context.
    """

    weights: FloatArray
    context: FloatArray


def limits(
    case: AttentionCase,
    weights: FloatArray,
    errors: FloatArray,
    *,
    of_weights: Precision,
    of_context: Precision,
    blur: Blur = EXACT,
) -> Limits:
    """Bound what rounding does to weights and to what they mix.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    weights : FloatArray of shape (..., T_q, T_k)
        Exact weights; with another shape, the context is bounded as the core's.
    errors : FloatArray of shape (..., T_q, T_k)
        What `weight_errors` gives.
    of_weights, of_context : Precision
        What both were computed with and rounded to.
    blur : Blur
        How far the inputs may be off, which `errors` knows already.

    Returns
    -------
    limits : Limits
        In proportion to each weight, and to the sizes of the values it is mixed of.
    """
    same = weights.shape == errors.shape
    relative = errors if same else np.full(weights.shape, errors.max(initial=0))
    exact = np.abs(_finite(weights, 1)).astype(np.float64)
    spread = exact * np.expm1(np.minimum(relative, _ANYTHING))
    spread = np.where(relative > _ANYTHING, 1, np.minimum(spread, 1))
    taking = (exact > 0) | (case.visible if same else False)
    lost = of_weights.floor + of_weights.lost(exact)
    carried = np.where(taking, spread + lost, 0)
    values = np.abs(_finite(case.v.astype(np.float64), 0))
    if not same:
        # What such weights mix is not known.
        right = case.answer.weights
        own = limits(
            case,
            right,
            errors,
            of_weights=of_weights,
            of_context=of_context,
            blur=blur,
        )
        return Limits(carried, own.context)
    with np.errstate(over="ignore", invalid="ignore"):
        mixed = _finite(carried @ values, float(np.finfo(np.float64).max))
        made = _finite(weights, 0) @ _finite(case.v, 0)
        cut = of_context.lost(made) + (blur.v + of_context.floor)
    return Limits(carried, mixed + cut)


def _finite(numbers: FloatArray, size: float) -> FloatArray:
    """Put 0 for NaN, and a size for ±∞; where there is none, nothing is copied."""
    if np.isfinite(numbers).all():
        return numbers
    return np.nan_to_num(numbers, posinf=size, neginf=-size)
