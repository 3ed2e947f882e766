"""Sentences of the Scaling lab that follow the numbers."""

import math

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention import score_moments
from attnviz.example.scaling.compute import TEMPERED, ScalingTrace, tempered
from attnviz.example.scaling.gradients import Back
from attnviz.example.scaling.settings import SIZES
from attnviz.text.catalog import Translate
from attnviz.text.numbers import brief, fixed, grouped

# Where the mean entropy, over that of even weights, parts the three words for a row.
_SHARP, _EVEN = 0.5, 0.95
# Smaller weights are written with three digits that count.
_SMALL = 1e-3


def scaling_sentences(trace: ScalingTrace, tr: Translate) -> dict[str, str]:
    """Say what the page shows of these numbers.

    Returns
    -------
    texts : dict of str to str
        By key.
    """
    return {
        "scaling.measured": _measured(trace, tr),
        "scaling.row_shown": tr(
            "scaling.row_shown", row=trace.row + 1, rows=grouped(trace.n_rows)
        ),
        "scaling.variance": _variance(trace, tr),
        "scaling.curve_here.largest": _here(trace, "largest", tr),
        "scaling.curve_here.norm": _here(trace, "norm", tr),
        "scaling.exact": _exact(trace, tr),
        "scaling.heat_found": _heat(trace, tr),
        "scaling.gradient_found": _gradient(trace, tr),
        **{f"scaling.divisor.{at + 1}": _divisor(trace, at) for at in range(4)},
        **{f"scaling.spread.{at + 1}": _spread(trace, at, tr) for at in range(4)},
        **{f"scaling.statistics.{at + 1}": _row(trace, at, tr) for at in range(4)},
        "export.of": scaling_origin(trace, tr),
    }


def scaling_origin(trace: ScalingTrace, tr: Translate) -> str:
    """Say of a picture what its numbers are drawn from."""
    settings = trace.settings
    return tr(
        "scaling.origin",
        law=tr(f"law.{settings.law}"),
        d_k=settings.d_k,
        keys=settings.keys,
        seed=settings.seed,
    )


def _measured(trace: ScalingTrace, tr: Translate) -> str:
    deviation = float(trace.deviation.mean)
    root = trace.settings.divisors[1]
    return tr(
        "scaling.measured",
        d_k=trace.settings.d_k,
        rows=grouped(trace.n_rows),
        raw=brief(round(deviation, 2)),
        raw_largest=fixed(trace.means.largest[0], 2),
        raw_norm=fixed(trace.means.norm[0], 2),
        root=brief(root),
        scaled=fixed(deviation / root, 2),
        largest=fixed(trace.means.largest[1], 2),
        norm=fixed(trace.means.norm[1], 2),
    )


def _variance(trace: ScalingTrace, tr: Translate) -> str:
    """Compare the variance of divided scores with 1, and say what breaks it."""
    settings = trace.settings
    measured = float(trace.deviation.mean) ** 2 / settings.d_k
    error = 2 * float(trace.deviation.mean * trace.deviation.error) / settings.d_k
    kind: str = settings.law
    if kind == "components":
        is_plain = math.isclose(trace.theory.variance, settings.d_k)
        kind = "plain" if is_plain else "broken"
    return tr(
        f"scaling.variance.{kind}",
        theory=brief(trace.theory.variance / settings.d_k),
        measured=fixed(measured, 2),
        error=_error(2 * error),
        d=settings.width,
    )


def _here(trace: ScalingTrace, field: str, tr: Translate) -> str:
    """Give both means at the chosen size, and twice their standard errors."""
    measured = getattr(trace.draws, field)
    at = SIZES.index(trace.settings.d_k)
    values = {}
    for place, name in enumerate(("raw", "scaled")):
        values[name] = fixed(measured.mean[place, at], 3)
        values[f"{name}_error"] = _error(2 * measured.error[place, at])
    return tr("scaling.curve_here", d_k=trace.settings.d_k, **values)


def _error(value: float) -> str:
    return fixed(value, 3) if math.isfinite(value) else "?"


def _exact(trace: ScalingTrace, tr: Translate) -> str:
    scores = trace.matrices["sign_scores"]
    size = trace.matrices["signs"].shape[1]
    return tr(
        "scaling.exact",
        pairs=scores.size,
        raw=brief(float(scores.var())),
        scaled=brief(float((scores / math.sqrt(size)).var())),
        theory=brief(score_moments(size).variance),
    )


def _heat(trace: ScalingTrace, tr: Translate) -> str:
    heat = trace.settings.temperature
    weights = tempered(heat)
    logs = np.log(np.where(weights > 0, weights, 1))
    return tr(
        "scaling.heat_found",
        heat=brief(heat),
        scores=", ".join(brief(score) for score in TEMPERED),
        weights=", ".join(_significant(weight) for weight in weights.tolist()),
        entropy=fixed(float(-(weights * logs).sum()), 6),
    )


def _significant(weight: float) -> str:
    if weight >= _SMALL:
        return fixed(weight, 5)
    if weight < _SMALL**2:
        return brief(weight)
    return np.format_float_positional(weight, precision=3, fractional=False)


def _gradient(trace: ScalingTrace, tr: Translate) -> str:
    """Say how much gradient reaches the softmax's input, without scaling and with."""
    raw, scaled = (_size(back) for back in (trace.unscaled, trace.scaled))
    settings = trace.settings
    return tr(
        f"scaling.gradient_found.{settings.loss}",
        row=settings.loss_row,
        column=settings.loss_feature,
        raw=brief(float(f"{raw:.3g}")),
        scaled=brief(float(f"{scaled:.3g}")),
        ratio=brief(float(f"{raw / scaled:.3g}")) if scaled else "–",
    )


def _size(back: Back) -> float:
    return float(np.linalg.norm(back.gradients.masked_scores))


def _divisor(trace: ScalingTrace, at: int) -> str:
    name = trace.divisor_names[at]
    return name if at == 0 else f"{name} = {brief(trace.settings.divisors[at])}"


def _spread(trace: ScalingTrace, at: int, tr: Translate) -> str:
    divisor = trace.settings.divisors[at]
    return tr(
        "scaling.spread",
        measured=_three(float(trace.deviation.mean) / divisor),
        theory=_three(math.sqrt(trace.theory.variance) / divisor),
    )


def _three(value: float) -> str:
    return brief(float(f"{value:.3g}"))


def _row(trace: ScalingTrace, at: int, tr: Translate) -> str:
    """Give the statistics of the row and of all rows, and a word for them."""
    own, means = trace.own, trace.means
    entropy = float(means.entropy[at]) / math.log(trace.settings.keys)
    word = "sharp" if entropy < _SHARP else "even" if entropy > _EVEN else "between"

    def two(values: FloatArray) -> str:
        return fixed(float(values[at]), 2)

    return tr(
        "scaling.statistics",
        largest=two(own.largest),
        mean_largest=two(means.largest),
        entropy=two(own.entropy),
        mean_entropy=two(means.entropy),
        norm=two(own.norm),
        mean_norm=two(means.norm),
        word=tr(f"scaling.word.{word}"),
    )
