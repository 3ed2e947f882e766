"""The figures from the inputs to queries, keys and values."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.multi_head import MultiHeadParameters
from attnviz.figures.matrix import Axis, FigureSpec, Panel, matrix_figure, nice_bound
from attnviz.pages.attention.figures.head import D_K, D_V, MODEL, Stage


def projection_figures(stage: Stage) -> dict[str, FigureSpec]:
    """Draw where queries, keys and values come from.

    Parameters
    ----------
    stage : Stage
        The head on screen.

    Returns
    -------
    figures : dict of str to FigureSpec
        "query", "key" and "value", and "positions" where those are added to the
        inputs; none of them where Q, K and V are given.
    """
    parameters = stage.trace.parameters
    if parameters is None:
        return {}
    figures = {
        "query": _projection(stage, parameters, "q"),
        "key": _projection(stage, parameters, "k"),
        "value": _projection(stage, parameters, "v"),
    }
    if stage.trace.positions is not None:
        figures["positions"] = _positions(stage)
    return figures


def _projection(
    stage: Stage, parameters: MultiHeadParameters, letter: str
) -> FigureSpec:
    """Draw X · W = Q, K or V."""
    w: FloatArray = getattr(parameters, f"w_{letter}")[stage.head]
    result: FloatArray = getattr(stage.trace, letter)[stage.head]
    position = stage.query if letter == "q" else stage.key
    feature = D_V if letter == "v" else D_K
    capital = letter.upper()
    return matrix_figure(
        [
            _inputs(stage, letter, position),
            Panel(f"w_{letter}", w, ("W", capital, ""), letter, MODEL, feature, 1),
            Panel(letter, result, (capital, "", ""), letter, position, feature, 1, 1),
        ]
    )


def _inputs(stage: Stage, letter: str, position: Axis) -> Panel:
    """Draw what is projected; an earlier figure may hold it too."""
    is_added = stage.trace.positions is not None
    is_other = stage.is_cross and letter != "q"
    name = ("key_inputs" if is_other else "inputs") if is_added else "x"
    if is_other and not is_added:
        name = "x_k"
    first = "k" if is_other else "q"
    return _input_panel(
        stage, name, position, band=1, is_copy=is_added or letter != first
    )


def _positions(stage: Stage) -> FigureSpec:
    """Draw X + P, and the same for keys that come from elsewhere."""
    sides = [("x", "positions", "inputs", stage.query)]
    if stage.is_cross:
        sides.append(("x_k", "key_positions", "key_inputs", stage.key))
    return matrix_figure(
        [
            _input_panel(stage, name, axis, track=track, band=band)
            for band, (*names, axis) in enumerate(sides)
            for track, name in enumerate(names)
        ]
    )


_LETTERS = {
    "x": "X",
    "x_k": "X",
    "positions": "P",
    "key_positions": "P",
    "inputs": "X+P",
    "key_inputs": "X+P",
}


def _input_panel(
    stage: Stage,
    name: str,
    position: Axis,
    *,
    track: int = 0,
    band: int = 0,
    is_copy: bool = False,
) -> Panel:
    """Draw X, P or X + P, all on one colour scale."""
    sides = ("Q", "K") if stage.is_cross else ("", "")
    trace = stage.trace
    shown = (trace.x, trace.x_k, trace.inputs, trace.key_inputs)
    largest = [np.abs(matrix).max() for matrix in shown if matrix is not None]
    return Panel(
        name,
        getattr(trace, name),
        (_LETTERS[name], sides[name.startswith("key_") or name == "x_k"], ""),
        "x",
        position,
        MODEL,
        track=track,
        band=band,
        shows_rows=track == 0,
        is_copy=is_copy,
        bound=nice_bound(np.array(largest)) if trace.positions is not None else None,
    )
