"""The figures of attention weights by themselves: every head, and one with its sums."""

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.example.weights_alone import WeightsTrace
from attnviz.figures.matrix import Axis, FigureSpec, Panel, matrix_figure
from attnviz.pages.attention.figures.head import STATISTIC

_HEADS_A_BAND = 4
_HEADS_SCALE = 0.5


def weights_figures(trace: WeightsTrace, head: int) -> dict[str, FigureSpec]:
    """Draw weights alone.

    Parameters
    ----------
    trace : WeightsTrace
        The weights on screen.
    head : int
        The head that is shown large, counted from 0.

    Returns
    -------
    figures : dict of str to FigureSpec
        "heads", and "softmax" with the weights of one head and the sums of its rows.
    """
    query, key = Axis("query", trace.tokens), Axis("key", trace.key_tokens)
    return {
        "heads": heads_figure(trace.weights, None, query, key),
        "softmax": matrix_figure(
            [
                Panel(
                    "weights",
                    trace.weights[head],
                    ("A", "", ""),
                    "s",
                    query,
                    key,
                    kind="weights",
                    shows_rows=True,
                    shows_columns=True,
                ),
                Panel(
                    "row_sum",
                    trace.row_sum[head],
                    ("Σ", "", ""),
                    "s",
                    query,
                    STATISTIC,
                    track=1,
                ),
            ]
        ),
    }


def heads_figure(
    weights: FloatArray, visible: BoolArray | None, query: Axis, key: Axis
) -> FigureSpec:
    """Draw small multiples of the weights of every head.

    Parameters
    ----------
    weights : FloatArray of shape (H, T_q, T_k)
        Weights of all heads.
    visible : BoolArray of shape (H, T_q, T_k), or None
        What each query could see; None where nobody knows.
    query, key : Axis
        What rows and columns stand for.

    Returns
    -------
    figure : FigureSpec
        Matrices "weights_1" and so on.
    """
    panels = [
        Panel(
            f"weights_{head + 1}",
            matrix,
            ("A", str(head + 1), ""),
            "s",
            query,
            key,
            track=head % _HEADS_A_BAND,
            band=head // _HEADS_A_BAND,
            kind="weights",
            hidden=None if visible is None else ~visible[head],
        )
        for head, matrix in enumerate(weights)
    ]
    return matrix_figure(panels, scale=_HEADS_SCALE)
