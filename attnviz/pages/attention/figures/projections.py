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
        "projections", X · [W_Q | W_K | W_V]; "key_projections" too where keys have
        inputs of their own, and "positions" where those are added to the inputs. None
        of them where Q, K and V are given.
    """
    if "x" not in screen:
        return {}
    is_cross = "x_k" in screen
    sides = {"projections": "q" if is_cross else "qkv"}
    if is_cross:
        sides["key_projections"] = "kv"
    figures = {
        name: _projections(screen, head, letters, side)
        for side, (name, letters) in enumerate(sides.items())
    }
    if "positions" in screen:
        added = [
            _inputs(screen, name, track=track, band=band)
            for band, names in enumerate(_SIDES)
            for track, name in enumerate(names)
            if name in screen
        ]
        figures["positions"] = matrix_figure(added, is_folded=True)
    return figures


def _projections(screen: Screen, head: int, letters: str, side: int) -> FigureSpec:
    """Draw inputs times the projections of some letters."""
    x, _, inputs = _SIDES[side]
    name = inputs if inputs in screen else x
    # The sum of inputs and positions has a figure of its own.
    drawn = [_inputs(screen, name, band=1, is_copy=name == inputs)]
    for track, letter in enumerate(letters, start=1):
        # The chain shows the same matrix, unless something is done to it before.
        is_copy = letter == "v" or f"{letter}_turned" not in screen
        result = panel(screen, letter, head, track=track, band=1, is_copy=is_copy)
        if not side:
            # In self-attention every position asks, and is asked.
            result = replace(result, rows=axis_of(screen, "query"))
        drawn += [panel(screen, f"w_{letter}", head, track=track), result]
    return matrix_figure(drawn, is_folded=True)


def _inputs(
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
