"""The weights of every head at a glance."""

from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, matrix_figure
from attnviz.figures.panels import panel

_SCALE = 0.5


def heads_figure(screen: Screen) -> FigureSpec | None:
    """Draw small multiples of the weights of every head, in one line.

    Returns
    -------
    figure : FigureSpec or None
        Matrices "weights_1" and so on; None where there is one head only.
    """
    n_heads = len(screen.matrices["weights"])
    if n_heads == 1:
        return None
    panels = [
        panel(screen, f"weights_{head + 1}", track=head, glyph="")
        for head in range(n_heads)
    ]
    return matrix_figure(panels, scale=_SCALE)
