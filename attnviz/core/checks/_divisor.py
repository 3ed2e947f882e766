"""Read the divisor of the scores out of finished weights."""

import math

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.checks._limits import EXACT, Blur, blurred_scores
from attnviz.core.checks._measures import not_applicable
from attnviz.core.checks._rounding import Precision
from attnviz.core.checks.case import AttentionCase
from attnviz.core.checks.check import Check, CheckVerdict

# An estimate less certain than this says nothing.
_VAGUE = 0.05
# A weight of fewer printed steps than these has no logarithm to speak of.
_DIGITS = 20


def check_divisor(
    case: AttentionCase,
    weights: FloatArray,
    precision: Precision,
    blur: Blur = EXACT,
) -> Check:
    r"""Measure what the raw scores were divided by, and compare it with √d_k.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    weights : FloatArray of shape (..., T_q, T_k)
        What was computed.
    precision : Precision
        What they were computed with and rounded to.
    blur : Blur
        How far the inputs may be from what was computed with.

    Returns
    -------
    check : Check
        "convention" if the divisor is not √d_k but is the one asked for; not
        applicable where the weights are no softmax of scaled scores at all.

    Notes
    -----
    Within a row, :math:`\ln a_{ij} - b_{ij} = s\, q_i \cdot k_j - \ln Z_i`: the slope
    of the left side over the raw scores, by least squares over all rows, is the scale.
    """
    if case.softcap is not None:
        return not_applicable("divisor")
    raw, logs, usable = _points(case, weights, precision)
    spread = float(np.square(raw).sum())
    if spread == 0:
        return not_applicable("divisor")
    slope = float((raw * logs).sum()) / spread
    noise = _noise(
        case, weights, precision, usable, max(abs(slope), case.default_scale)
    )
    if blur.any:
        noise += 2 * float(blurred_scores(case, blur).max(where=usable, initial=0))
    points = max(int(usable.sum()), 1)
    vague = noise * math.sqrt(points / spread) / case.default_scale
    misfit = float(np.abs(logs - slope * raw).max())
    if vague > _VAGUE or misfit > 10 * noise or not math.isfinite(misfit):
        return not_applicable("divisor")
    return _judge(case, slope, vague)


def _points(
    case: AttentionCase, weights: FloatArray, precision: Precision
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Centre raw scores and log-weights within each row, over usable entries."""
    wide = weights.astype(np.float64, copy=False)
    smallest = max(float(np.finfo(weights.dtype).tiny), _DIGITS * precision.digit)
    raw = case.products
    with np.errstate(invalid="ignore", over="ignore"):
        usable = case.visible & case.query_valid[..., None]
        usable = usable & (wide >= smallest) & np.isfinite(wide) & np.isfinite(raw)
        logs = np.log(wide, where=usable, out=np.zeros(usable.shape))
        if case.bias is not None:
            logs = logs - case.bias
    return _centre(raw, usable), _centre(logs, usable), usable


def _noise(
    case: AttentionCase,
    weights: FloatArray,
    precision: Precision,
    usable: BoolArray,
    scale: float,
) -> float:
    """Bound the error of one log-weight, from the sizes its score is made of."""
    with np.errstate(invalid="ignore", over="ignore"):
        sizes = case.sizes * scale
        if case.bias is not None:
            sizes = sizes + np.abs(case.bias)
    largest = float(sizes.max(where=usable, initial=0))
    smallest = float(weights.min(where=usable, initial=np.inf))
    cut = precision.digit / smallest + precision.relative
    return precision.tolerance * (1 + largest) + cut


def _centre(numbers: FloatArray, usable: BoolArray) -> FloatArray:
    counted = np.where(usable, numbers, 0)
    count = np.maximum(usable.sum(axis=-1, keepdims=True), 1)
    mean = counted.sum(axis=-1, keepdims=True) / count
    return np.where(usable, counted - mean, 0)


def _judge(case: AttentionCase, slope: float, vague: float) -> Check:
    """Compare slopes, which stay finite where a divisor does not."""
    measured = 1 / slope if slope else math.inf
    wanted = 1 / case.scale if case.scale else math.inf
    margin = vague * case.default_scale + 1e-9 * abs(case.scale)
    tolerance = abs(wanted) * margin / abs(case.scale) if case.scale else None
    if abs(slope - case.scale) > margin:
        return Check("divisor", "fail", measured, tolerance, None, wanted)
    same = math.isclose(case.scale, case.default_scale, rel_tol=1e-6)
    verdict: CheckVerdict = "pass" if same else "convention"
    return Check("divisor", verdict, measured, tolerance, None, wanted)
