"""The figures of a mistake: the right result, the faulty one, and the difference."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from attnviz.core.arrays.shapes import BoolArray
from attnviz.example.matrices import FAULTY, GAP, find
from attnviz.example.mistakes.trace import MistakeTrace
from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, Panel, matrix_figure, nice_bound
from attnviz.figures.panels import panel

_NARROW = ("weight_sum", "output_mean", "output_variance")


def mistake_figures(trace: MistakeTrace) -> dict[str, FigureSpec]:
    """Draw what right and faulty code return, side by side.

    Returns
    -------
    figures : dict of str to FigureSpec
        Figures "right", "faulty" and "difference"; no difference where no shape stays.
    """
    screen = trace.screen()
    sides = {"right": "", "faulty": FAULTY, "difference": GAP}
    drawn = {
        side: [
            _panel(trace, screen, f"{prefix}{name}", track)
            for track, name in enumerate(_slices(trace, side))
        ]
        for side, prefix in sides.items()
    }
    return {side: matrix_figure(panels) for side, panels in drawn.items() if panels}


def _slices(trace: MistakeTrace, side: str) -> Iterable[str]:
    """Name what a side shows: of split heads each, of all else the chosen one."""
    names = {"right": trace.right, "faulty": trace.faulty, "difference": trace.gap}
    for name in names[side]:
        if name == "split":
            yield from (f"split_{place + 1}" for place in range(len(trace.right[name])))
        else:
            yield name


def _panel(trace: MistakeTrace, screen: Screen, name: str, track: int) -> Panel:
    plain = name.removeprefix(FAULTY).removeprefix(GAP)
    head = min(trace.head, _leading(screen, name) - 1)
    values = screen.table(name, head)
    look: dict[str, Any] = {
        "track": track,
        "shows_rows": track == 0,
        "is_narrow": plain in _NARROW,
        "is_whole": _is_whole(values),
    }
    if plain not in _NARROW:
        look["shows_columns"] = screen.matrix(name).axes[-1] == "key"
    if np.isnan(values).any():
        return panel(screen, name, head, **look, glyph="NaN", hidden=None)
    if plain == "weights":
        look["hidden"] = _hidden(trace, values, head)
        look["glyph"] = "0"
    if name.startswith(GAP):
        return panel(screen, name, head, **look)
    if plain not in ("weights", "weight_sum"):
        look["bound"] = _bound(trace, plain)
    return panel(screen, name, head, **look)


def _leading(screen: Screen, name: str) -> int:
    matrix = screen.matrix(name)
    return len(screen.matrices[name]) if matrix.is_per_head else 1


def _hidden(trace: MistakeTrace, values: np.ndarray, head: int) -> BoolArray | None:
    """Hatch what the mask hides and what is 0: a weight there must be seen."""
    case = trace.numbers.case
    assert case is not None
    visible = case.visible[min(head, len(case.visible) - 1)]
    if visible.shape != values.shape:
        return None
    hidden: BoolArray = ~visible & (values == 0)
    return hidden if hidden.any() else None


def _bound(trace: MistakeTrace, name: str) -> float:
    """Give both results one scale of colours."""
    name = find(name)[0]
    both = [side[name] for side in (trace.right, trace.faulty) if name in side]
    return max(nice_bound(values[np.isfinite(values)]) for values in both)


def _is_whole(values: np.ndarray) -> bool:
    finite = values[np.isfinite(values)]
    return bool(
        (finite == np.round(finite)).all() and np.abs(finite).max(initial=0) > 1
    )


def line_up(screen: Screen, names: Sequence[str], head: int = 0) -> FigureSpec:
    """Draw matrices from left to right, with what a mask hides hatched."""
    return matrix_figure(
        [_lined_up(screen, name, head, track) for track, name in enumerate(names)]
    )


def _lined_up(screen: Screen, name: str, head: int, track: int) -> Panel:
    matrix, table = screen.matrix(name), screen.table(name, head)
    is_narrow = table.shape[1] == 1
    hidden = None
    if matrix.kind == "weights" and "mask" in screen:
        closed = screen.table("mask", head) != 0
        hidden = closed & (table == 0) if closed.shape == table.shape else None
    return panel(
        screen,
        name,
        head,
        track=track,
        is_narrow=is_narrow,
        shows_rows=track == 0,
        shows_columns=not is_narrow and matrix.sides[1] == "key",
        hidden=hidden,
        glyph="0",
        is_whole=_is_whole(table),
        bound=_shared_bound(screen, name),
    )


def _shared_bound(screen: Screen, name: str) -> float | None:
    """Give all slices of a tensor one scale of colours."""
    whole, place = find(name)
    if place is None or screen.matrix(name).kind == "weights":
        return None
    return nice_bound(screen.matrices[whole])
