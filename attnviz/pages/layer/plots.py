"""The plot over depth: how far the stream spreads after each layer."""

from collections.abc import Sequence

import numpy as np

from attnviz.example.layer.depth import depth_of
from attnviz.example.layer.view import LayerView
from attnviz.figures.matrix import FigureSpec
from attnviz.figures.plot import Reference, Scale, Series, plot_figure
from attnviz.text.catalog import Translate


def depth_plots(view: LayerView, tr: Translate) -> dict[str, FigureSpec]:
    """Draw the spread of the stream over depth, where it is asked for.

    Returns
    -------
    figures : dict of str to FigureSpec
        "depth".
    """
    if not view.settings.shows_depth:
        return {}
    found = depth_of(view.trace)
    lines = [
        _line("post", found.post, "n", tr),
        _line("pre", found.pre, "x", tr),
        _line("final", found.final, "x", tr, is_dashed=True),
    ]
    layers = np.arange(len(found.post))
    here = Reference(
        float(len(view.trace.layers)), "x", f"N = {len(view.trace.layers)}"
    )
    return {
        "depth": plot_figure(
            lines,
            x=Scale(tr("layer.depth.layers"), ticks=layers.tolist()),
            y=Scale(tr("layer.depth.spread"), least=0.0),
            references=[here],
            width=420,
            height=180,
        )
    }


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
