"""The figures of the Attention page, from the inputs to the output."""

from attnviz.example.weights_alone import Shown
from attnviz.figures.matrix import FigureSpec, matrix_figure
from attnviz.figures.panels import panel
from attnviz.pages.attention.figures.projections import projection_figures
from attnviz.pages.attention.figures.scores import score_figures
from attnviz.pages.attention.figures.weights import (
    context_figure,
    heads_figure,
    softmax_figure,
)


def attention_figures(trace: Shown, head: int) -> dict[str, FigureSpec]:
    """Draw all stages of one head, and the weights of every head.

    Returns
    -------
    figures : dict of str to FigureSpec
        Figures "query", "key", "value", "heads", "scores", "softmax", "context" and
        "output". What the example does not have is left out, such as "query" where
        Q is given; what it has besides comes in: "positions", "bilinear", "additive".
    """
    screen = trace.screen()
    if "scores" not in screen:
        return {"heads": heads_figure(screen), "softmax": softmax_figure(screen, head)}
    figures = {
        **projection_figures(screen, head),
        "heads": heads_figure(screen),
        **score_figures(screen, head),
        "softmax": softmax_figure(screen, head),
        "context": context_figure(screen, head),
    }
    if "output" in screen:
        figures["output"] = matrix_figure(
            [
                panel(screen, "joined", band=1, shows_rows=True),
                panel(screen, "w_o", track=1),
                panel(screen, "output", track=1, band=1),
            ]
        )
    return figures
