"""The figures from the inputs to queries, keys and values."""

from dataclasses import replace

import numpy as np

from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, Panel, matrix_figure, nice_bound
from attnviz.figures.panels import axis_of, panel

# X, P and X + P, of queries and of keys that come from elsewhere.
_SIDES = (("x", "positions", "inputs"), ("x_k", "key_positions", "key_inputs"))


def projection_figures(screen: Screen, head: int) -> dict[str, FigureSpec]:
    """Draw where queries, keys and values come from.

    Returns
    -------
    figures : dict of str to FigureSpec
        "query", "key" and "value", and "positions" where those are added to the
        inputs; none of them where Q, K and V are given.
    """
    if "x" not in screen:
        return {}
    figures = {
        figure: matrix_figure(
            [
                _inputs(screen, letter),
                panel(screen, f"w_{letter}", head, track=1),
                panel(screen, letter, head, track=1, band=1),
            ]
        )
        for figure, letter in (("query", "q"), ("key", "k"), ("value", "v"))
    }
    if "positions" in screen:
        figures["positions"] = matrix_figure(
            [
                _input_panel(screen, name, track=track, band=band)
                for band, names in enumerate(_SIDES)
                for track, name in enumerate(names)
                if name in screen
            ]
        )
    return figures


def _inputs(screen: Screen, letter: str) -> Panel:
    """Draw what is projected; an earlier figure may hold it too."""
    is_other = letter != "q" and "x_k" in screen
    x, _, inputs = _SIDES[is_other]
    is_first = letter == ("k" if is_other else "q")
    name = inputs if inputs in screen else x
    drawn = _input_panel(screen, name, band=1, is_copy=name == inputs or not is_first)
    # Where an input becomes a key, its position is that of one.
    return drawn if letter == "q" else replace(drawn, rows=axis_of(screen, "key"))


def _input_panel(
    screen: Screen, name: str, *, track: int = 0, band: int = 0, is_copy: bool = False
) -> Panel:
    """Draw X, P or X + P, all on one colour scale."""
    bound = None
    if "positions" in screen:
        names = [one for x, _, inputs in _SIDES for one in (x, inputs)]
        largest = [np.abs(screen.table(one)).max() for one in names if one in screen]
        bound = nice_bound(np.array(largest))
    return panel(
        screen,
        name,
        track=track,
        band=band,
        shows_rows=track == 0,
        is_copy=is_copy,
        bound=bound,
    )
