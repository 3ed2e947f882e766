"""The figures of the Attention page, from the inputs to the output."""

from attnviz.example.weights_alone import Shown
from attnviz.figures.matrix import FigureSpec
from attnviz.pages.attention.figures.chain import chain_figure
from attnviz.pages.attention.figures.heads import heads_figure
from attnviz.pages.attention.figures.parts import output_figure, score_parts
from attnviz.pages.attention.figures.projections import projection_figures


def attention_figures(trace: Shown, head: int) -> dict[str, FigureSpec]:
    """Draw all stages of one head, and the weights of every head.

    Returns
    -------
    figures : dict of str to FigureSpec
        "chain" first; "projections", "heads", "output" and what an example has
        besides: "key_projections", "positions", "bilinear", "additive".
    """
    screen = trace.screen()
    figures = {
        "chain": chain_figure(screen, head),
        **projection_figures(screen, head),
        **score_parts(screen, head),
        "heads": heads_figure(screen),
        "output": output_figure(screen),
    }
    return {name: drawn for name, drawn in figures.items() if drawn is not None}
