"""The figures of the attention weights: softmax, context, and all heads at a glance."""

from typing import Any

from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, matrix_figure
from attnviz.figures.panels import panel

_HEADS_A_BAND = 4
_HEADS_SCALE = 0.5


def softmax_figure(screen: Screen, head: int) -> FigureSpec:
    """Draw S + M → A, with the maximum and the sum of each row as columns.

    Parameters
    ----------
    screen : Screen
        What is on screen; of weights alone, only they and their sums.

    Returns
    -------
    figure : FigureSpec
        Matrices "mask", "weights", "row_max" and "row_sum", as far as there are any.
    """
    stages = ("mask", "weights", "row_max", "row_sum")
    names = [name for name in stages if name in screen]
    looks: dict[str, dict[str, Any]] = {
        "mask": {"glyph": "−∞", "is_whole": True},
    }
    if "exp_scores" in screen:
        # Each of the T_k exponentials is at most 1.
        looks["row_sum"] = {"bound": float(screen.table("weights").shape[-1])}
    return matrix_figure(
        [
            panel(
                screen,
                name,
                head,
                track=track,
                shows_rows=track == 0,
                shows_columns=name in ("mask", "weights"),
                **looks.get(name, {}),
            )
            for track, name in enumerate(names)
        ]
    )


def context_figure(screen: Screen, head: int) -> FigureSpec:
    """Draw A · V = C.

    Returns
    -------
    figure : FigureSpec
        Matrices "weights", "v" and "context".
    """
    return matrix_figure(
        [
            panel(screen, "weights", head, band=1, shows_rows=True, is_copy=True),
            panel(screen, "v", head, track=1, is_copy="x" in screen),
            panel(screen, "context", head, track=1, band=1),
        ]
    )


def heads_figure(screen: Screen) -> FigureSpec:
    """Draw small multiples of the weights of every head.

    Returns
    -------
    figure : FigureSpec
        Matrices "weights_1" and so on.
    """
    panels = [
        panel(
            screen,
            f"weights_{head + 1}",
            track=head % _HEADS_A_BAND,
            band=head // _HEADS_A_BAND,
            glyph="",
        )
        for head in range(len(screen.matrices["weights"]))
    ]
    return matrix_figure(panels, scale=_HEADS_SCALE)
