"""The plots over depth: the spread of the stream, and the length of gradients."""

from collections.abc import Sequence

import numpy as np

from attnviz.example.layer.depth import depth_of, gradient_depth_of
from attnviz.example.layer.view import LayerView
from attnviz.figures.matrix import FigureSpec
from attnviz.figures.plot import Reference, Scale, Series, plot_figure
from attnviz.text.catalog import Translate


def depth_plots(view: LayerView, tr: Translate) -> dict[str, FigureSpec]:
    """Draw what grows or shrinks over depth, where it is asked for.

    Returns
    -------
    figures : dict of str to FigureSpec
        "depth", the spread of the stream, and with gradients "gradient_depth", their
        lengths.
    """
    if not view.settings.shows_depth:
        return {}
    found = depth_of(view.trace)
    lines = [
        _line("post", found.post, "n", tr),
        _line("pre", found.pre, "x", tr),
        _line("final", found.final, "x", tr, is_dashed=True),
    ]
    plots = {"depth": _over_layers(view, lines, tr("layer.depth.spread"), tr)}
    if view.settings.shows_gradients:
        settings = view.settings
        back = gradient_depth_of(view.trace, settings.objective, settings.token)
        lines = [_line("post", back.post, "n", tr), _line("pre", back.pre, "x", tr)]
        plots["gradient_depth"] = _over_layers(view, lines, "‖∂‖", tr)
    return plots


def _over_layers(
    view: LayerView, lines: list[Series], title: str, tr: Translate
) -> FigureSpec:
    n_layers = len(view.trace.layers)
    return plot_figure(
        lines,
        x=Scale(tr("layer.depth.layers"), ticks=list(range(len(lines[0].x)))),
        y=Scale(title, least=0.0),
        references=[Reference(float(n_layers), "x", f"N = {n_layers}")],
        width=420,
        height=180,
    )


def _line(
    name: str,
    values: Sequence[float],
    role: str,
    tr: Translate,
    *,
    is_dashed: bool = False,
) -> Series:
    words = tr(f"layer.depth.{name}")
    return Series(
        words,
        np.arange(float(len(values))),
        np.array(values),
        role=role,
        label=words,
        is_dashed=is_dashed,
        has_points=True,
    )
