"""The figure of the page Check mine: what should be, what is, and the difference."""

from dataclasses import replace

import numpy as np

from attnviz.core.arrays.shapes import BoolArray
from attnviz.example.check.trace import DIFFERENCE, EXPECTED, GIVEN, CheckTrace
from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, matrix_figure, nice_bound
from attnviz.figures.panels import panel
from attnviz.text.catalog import Translate


def check_screen(trace: CheckTrace, tr: Translate) -> Screen:
    """Name the matrices, and say beside their symbols whose they are."""
    screen = trace.screen()
    if trace.placed is None:
        return screen
    names = dict(screen.names)
    for name in (EXPECTED, GIVEN):
        names[name] = replace(names[name], sub=tr(f"mine.side.{name}"))
    return replace(screen, names=names)


def check_figures(trace: CheckTrace, head: int, tr: Translate) -> dict[str, FigureSpec]:
    """Draw the three matrices of one head; the inputs while nothing is given.

    Returns
    -------
    figures : dict of str to FigureSpec
        Figure "check" or "inputs".
    """
    screen = check_screen(trace, tr)
    if trace.placed is None:
        return {"inputs": _inputs(screen, head)}
    is_by_key = screen.names[EXPECTED].axes[-1] == "key"
    tables = [screen.table(name, head) for name in (EXPECTED, GIVEN) if name in screen]
    bound = max(nice_bound(np.nan_to_num(t, posinf=0, neginf=0)) for t in tables)
    hidden = _hidden(trace, head)
    panels = [
        panel(
            screen,
            EXPECTED,
            head,
            shows_rows=True,
            shows_columns=is_by_key,
            bound=bound,
            hidden=hidden,
            glyph="0",
        )
    ]
    if GIVEN in screen:
        given = screen.table(GIVEN, head)
        panels.append(
            panel(
                screen,
                GIVEN,
                head,
                track=1,
                shows_columns=is_by_key and DIFFERENCE in screen,
                bound=bound,
                glyph="NaN" if np.isnan(given).any() else "∞",
                marked=_marked(trace, head),
            )
        )
    if DIFFERENCE in screen:
        panels.append(
            panel(
                screen,
                DIFFERENCE,
                head,
                track=2,
                shows_columns=is_by_key,
                glyph="–",
            )
        )
    return {"check": matrix_figure(panels)}


def _inputs(screen: Screen, head: int) -> FigureSpec:
    """Draw what a result is computed from, side by side."""
    panels = [
        panel(screen, name, head, track=track, shows_rows=track == 0)
        for track, name in enumerate(screen.matrices)
    ]
    return matrix_figure(panels)


def _hidden(trace: CheckTrace, head: int) -> BoolArray | None:
    """Tell which weights belong to keys that the mask hides."""
    if trace.wanted.kind != "weights":
        return None
    return trace.wanted.source.screen().hides("weights", trace.first + head)


def _marked(trace: CheckTrace, head: int) -> tuple[int, ...]:
    """Name the cells that are not as they should be."""
    if trace.judgement is None or trace.difference is None:
        return ()
    return tuple(np.flatnonzero(trace.judgement.differs[head]).tolist())
