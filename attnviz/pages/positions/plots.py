"""The plots of the Positions page: one feature of P as a curve, a pair as arrows."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.positions.compute import PositionsTrace
from attnviz.example.positions.rotary import RotaryTrace
from attnviz.example.positions.table import TableTrace
from attnviz.figures.matrix import FigureSpec
from attnviz.figures.plot import Scale, Series, plot_figure
from attnviz.text.catalog import Translate

_CIRCLE = np.linspace(0, 2 * np.pi, 73)
# How much room the longest arrow leaves.
_ROOM = 1.15


def curve_plot(trace: PositionsTrace, table: TableTrace, tr: Translate) -> FigureSpec:
    """Draw the chosen feature through its number at every position.

    Parameters
    ----------
    table : TableTrace
        The table on screen, whose rows stand out.
    """
    places = trace.example.first_position + np.arange(len(table.curve), dtype=float)
    shown = min(len(table.table), len(table.curve))
    column = tr("positions.curve", column=table.column + 1)
    return plot_figure(
        [
            Series(column, places, table.curve, role="mute", has_points=True),
            Series(
                tr("positions.curve.shown"),
                places[:shown],
                table.curve[:shown],
                kind="points",
                role="x",
            ),
        ],
        x=Scale("p"),
        y=Scale(),
        width=380,
        height=190,
    )


def arrows_plot(
    trace: PositionsTrace, rotary: RotaryTrace, tr: Translate
) -> FigureSpec:
    """Draw one pair of features of query and key, before and after they are turned.

    Parameters
    ----------
    rotary : RotaryTrace
        The turned rows.
    """
    m, n = trace.rotary_places
    sides = (
        ("q", rotary.query, rotary.queries[m], m),
        ("k", rotary.key, rotary.keys[n], n),
    )
    series: list[Series] = []
    longest = 0.0
    for (letter, row, turned, place), pair in zip(sides, rotary.pair, strict=True):
        before, after = row[list(pair)], turned[list(pair)]
        length = float(np.hypot(*before))
        longest = max(longest, length)
        rim = tr("positions.arrows.rim", letter=letter)
        series += [
            Series(
                rim,
                length * np.cos(_CIRCLE),
                length * np.sin(_CIRCLE),
                role="mute",
                is_guide=True,
            ),
            _arrow(tr("positions.arrows.before", letter=letter), before, letter, True),
            _arrow(
                tr("positions.arrows.after", letter=letter, place=place),
                after,
                letter,
                False,
            ),
        ]
    end = _ROOM * longest or 1.0
    first, second = rotary.pair[0]
    return plot_figure(
        series,
        x=Scale(tr("positions.arrows.feature", feature=first + 1), -end, end),
        y=Scale(tr("positions.arrows.feature", feature=second + 1), -end, end),
        width=270,
        height=270,
        is_square=True,
    )


def _arrow(name: str, end: FloatArray, role: str, is_before: bool) -> Series:
    """Draw an arrow from 0; the one before the turn is broken."""
    return Series(
        name,
        np.array([0.0, end[0]]),
        np.array([0.0, end[1]]),
        role=role,
        is_dashed=is_before,
        has_points=True,
        texts=("", name),
    )
