"""The curves of the Cost lab: work and bytes over the length."""

from math import log10

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.cost.calculator import LENGTHS, CostTrace
from attnviz.figures.matrix import FigureSpec
from attnviz.figures.plot import Reference, Scale, Series, plot_figure
from attnviz.text.catalog import Translate
from attnviz.text.numbers import grouped

_TICKS = (128, 1024, 8192, 65_536, 1_048_576)
_NAMES = ("128", "1 k", "8 k", "64 k", "1 M")


def cost_figures(trace: CostTrace, tr: Translate) -> dict[str, FigureSpec]:
    """Draw both curves; the dashed line is the length that is chosen.

    Returns
    -------
    figures : dict of str to FigureSpec
        Plots "work_curve" and "bytes_curve".
    """
    curves = trace.curves
    work = [
        _line(tr("cost.curve.scores"), curves.scores, "s"),
        _line(tr("cost.curve.projections"), curves.projections, "ink"),
    ]
    if trace.cost.window:
        name = tr("cost.curve.window", window=trace.cost.window)
        work.append(_line(name, curves.window, "s", is_dashed=True))
    size = [
        _line(tr("cost.curve.table"), curves.score_bytes, "s"),
        _line(tr("cost.curve.kept"), curves.cache_bytes, "ink"),
    ]
    crossing = []
    if LENGTHS[0] <= trace.crossing <= LENGTHS[-1]:
        words = tr("cost.crossing", length=grouped(round(trace.crossing)))
        crossing = [Reference(trace.crossing, "x", words)]
    return {
        "work_curve": _plot(trace, work, crossing),
        "bytes_curve": _plot(trace, size, []),
    }


def _line(
    name: str, numbers: FloatArray, role: str, *, is_dashed: bool = False
) -> Series:
    lengths = np.array(LENGTHS, dtype=float)
    return Series(name, lengths, numbers, role=role, label=name, is_dashed=is_dashed)


def _plot(
    trace: CostTrace, series: list[Series], references: list[Reference]
) -> FigureSpec:
    least = min(float(each.y.min()) for each in series)
    most = max(float(each.y.max()) for each in series)
    powers = range(int(log10(least)), int(log10(most)) + 1, 3)
    here = min(max(trace.cost.length, LENGTHS[0]), LENGTHS[-1])
    return plot_figure(
        series,
        x=Scale("T", is_log=True, ticks=_TICKS, names=_NAMES),
        y=Scale(is_log=True, ticks=[10.0**power for power in powers]),
        references=[Reference(here, "x"), *references],
        width=430,
        height=190,
    )
