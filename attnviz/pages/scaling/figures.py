"""The figures of the Scaling lab: spread, weights, curves, Jacobians, gradients."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.scaling.compute import TEMPERED, ScalingTrace, tempered
from attnviz.example.scaling.draws import Measured
from attnviz.example.scaling.settings import SIZES, TEMPERATURES
from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, Panel, matrix_figure
from attnviz.figures.panels import panel
from attnviz.figures.plot import Reference, Scale, Series, histogram, plot_figure
from attnviz.text.catalog import Translate

N_DIVISORS = 4
GRADIENTS = ("gradient_v", "gradient_scores", "gradient_q", "gradient_k")
_BINS, _REACH = 33, 4.0
_LINE = 49  # points of a smooth curve
_LOW = 84  # px of the plots that stand one below the other
_LABELS = ("÷ 1", "÷ √dₖ", "÷ dₖ")
_ROLES = ("ink", "s", "mute")


def scaling_figures(trace: ScalingTrace, tr: Translate) -> dict[str, FigureSpec]:
    """Draw everything the page shows.

    Returns
    -------
    figures : dict of str to FigureSpec
        Plots and matrices, by name.
    """
    screen = trace.screen()
    figures = {
        "shares": _shares(screen),
        "largest_curve": _curve(trace, trace.draws.largest, tr("scaling.largest"), 1.0),
        "norm_curve": _curve(trace, trace.draws.norm, tr("scaling.norm"), 0.4),
        "jacobians": _jacobians(screen),
        "exact": _exact(screen),
        "heat": _heat(trace, tr),
        **_gradients(screen, ""),
        **_gradients(screen, "a_"),
    }
    raw = _counted(trace, tr)
    for at in range(N_DIVISORS):
        figures[f"spread_{at + 1}"] = _spread(trace, at, raw, tr)
        figures[f"bars_{at + 1}"] = _bars(trace, at, tr)
    return figures


def _counted(trace: ScalingTrace, tr: Translate) -> Series:
    """Count the scores that are not divided."""
    sigma = math.sqrt(trace.theory.variance)
    edges = trace.theory.mean + np.linspace(-_REACH, _REACH, _BINS + 1) * sigma
    return histogram(trace.raw, edges=edges, name=tr("scaling.scores"))


def _spread(trace: ScalingTrace, at: int, raw: Series, tr: Translate) -> FigureSpec:
    """Draw scores under one divisor, on the axis that all divisors share."""
    divisor = trace.settings.divisors[at]
    middle = trace.theory.mean / divisor
    sigma = math.sqrt(trace.theory.variance) / divisor
    x = middle + np.linspace(-_REACH, _REACH, _LINE) * sigma
    normal = np.exp(-(((x - middle) / sigma) ** 2) / 2) / (sigma * math.sqrt(math.tau))
    widest = math.sqrt(trace.theory.variance) * _REACH
    wide = max(abs(trace.theory.mean) + widest, widest)
    return plot_figure(
        [
            # Divided, the same bars are narrower and higher.
            replace(raw, x=raw.x / divisor, y=raw.y * divisor),
            Series(tr("scaling.normal"), x, normal, role="ink"),
        ],
        x=Scale(least=-wide, most=wide),
        y=Scale(least=0, is_bare=True),
        width=230,
        height=_LOW,
    )


def _bars(trace: ScalingTrace, at: int, tr: Translate) -> FigureSpec:
    """Draw the weights of one row under one divisor."""
    weights = trace.matrices["shares"][at]
    keys = np.arange(1.0, len(weights) + 1)
    largest = int(weights.argmax())
    texts = [""] * len(weights)
    texts[largest] = f"{weights[largest]:.2f}"
    return plot_figure(
        [Series(tr("scaling.weights"), keys, weights, kind="bars", texts=texts)],
        x=Scale(ticks=keys.tolist()),
        y=Scale(least=0, most=1.25, ticks=(0, 1)),
        references=[Reference(1 / len(weights), label=f"1/{len(weights)}")],
        width=340,
        height=_LOW,
    )


def _curve(
    trace: ScalingTrace, measured: Measured, name: str, most: float
) -> FigureSpec:
    """Draw a mean over the sizes of a key, with twice its standard error."""
    sizes = np.array(SIZES, dtype=float)
    here = SIZES.index(trace.settings.d_k)
    series = [
        Series(
            f"{name} {label}",
            sizes,
            measured.mean[at],
            role=role,
            label=label,
            is_dashed=role == "mute",
            spread=np.nan_to_num(2 * measured.error[at]),
            texts=[
                f"{measured.mean[at][k]:.2f}" if k == here else ""
                for k in range(len(SIZES))
            ],
        )
        for at, (label, role) in enumerate(zip(_LABELS, _ROLES, strict=True))
    ]
    highest = max(most, float((measured.mean + 2 * measured.error).max()))
    return plot_figure(
        series,
        x=Scale("dₖ", is_log=True, ticks=SIZES[::2], least=1, most=SIZES[-1]),
        y=Scale(least=0, most=highest if math.isfinite(highest) else most),
        references=[Reference(trace.settings.d_k, "x")],
        height=132,
    )


def _shares(screen: Screen) -> FigureSpec:
    return matrix_figure(
        [
            panel(screen, "divided", shows_rows=True, shows_columns=True),
            panel(screen, "divided_max", track=1, is_narrow=True),
            panel(screen, "divided_sum", track=2, is_narrow=True),
            panel(screen, "shares", track=3, shows_columns=True),
        ],
    )


def _jacobians(screen: Screen) -> FigureSpec:
    """Draw both Jacobians on one scale of colours."""
    bound = 0.25
    return matrix_figure(
        [
            panel(screen, "jacobian_raw", bound=bound),
            panel(screen, "jacobian", track=1, bound=bound),
        ]
    )


def _exact(screen: Screen) -> FigureSpec:
    return matrix_figure(
        [
            panel(
                screen, "signs", track=1, is_turned=True, is_copy=True, is_whole=True
            ),
            panel(screen, "signs", band=1, is_whole=True),
            panel(screen, "sign_scores", track=1, band=1, is_whole=True),
        ],
        scale=0.7,
    )


def _heat(trace: ScalingTrace, tr: Translate) -> FigureSpec:
    """Draw the weights of three scores, and their entropy, over the temperature."""
    heats = np.array(TEMPERATURES)
    weights = np.array([tempered(heat) for heat in TEMPERATURES])
    series = [
        Series(
            f"a (s = {score:g})",
            heats,
            weights[:, at],
            role=("s", "mute", "ink")[at],
            label=f"s = {score:g}",
            is_dashed=at > 0,
        )
        for at, score in enumerate(TEMPERED)
    ]
    entropy = Series("H", heats, entropy_of(weights), role="n", label="H")
    return plot_figure(
        [*series, entropy],
        x=Scale("τ", is_log=True, ticks=(0.1, 0.25, 0.5, 1, 2, 4, 10)),
        y=Scale(least=0, most=1.2),
        references=[Reference(trace.settings.temperature, "x")],
        width=480,
        height=190,
    )


def entropy_of(weights: FloatArray) -> FloatArray:
    """Give the entropy of rows of weights, none of which is 0."""
    entropy: FloatArray = -(weights * np.log(weights)).sum(axis=-1)
    return entropy


def _gradients(screen: Screen, side: str) -> dict[str, FigureSpec]:
    """Draw the way back as products; the unscaled side is named with a_."""

    def one(name: str, **look: Any) -> Panel:  # noqa: ANN401 - fields of Panel
        return panel(screen, f"{side}{name}", **look)

    up = {"track": 1}
    down = {"track": 1, "band": 1}
    left = {"band": 1}
    drawn = {
        "gradient_v": [
            one("d_context", **up),
            one("weights", **left, is_turned=True),
            one("d_v", **down),
        ],
        "gradient_scores": [
            one("v", **up, is_turned=True),
            one("d_context", **left, is_copy=True),
            one("d_weights", **down),
            one("d_mean", track=2, band=1, is_narrow=True),
            one("d_scores", track=3, band=1),
        ],
        "gradient_q": [
            one("k", **up),
            one("d_scores", **left, is_copy=True),
            one("d_q", **down),
        ],
        "gradient_k": [
            one("q", **up),
            one("d_scores", **left, is_copy=True, is_turned=True),
            one("d_k", **down),
        ],
    }
    return {f"{side}{name}": matrix_figure(panels) for name, panels in drawn.items()}
