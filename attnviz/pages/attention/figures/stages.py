"""The figures of the Attention page: products, masks, weights, all heads."""

from dataclasses import replace

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.multi_head import MultiHeadTrace
from attnviz.example.weights_alone import Shown, WeightsTrace
from attnviz.figures.matrix import Axis, FigureSpec, Panel, matrix_figure
from attnviz.pages.attention.figures.head import D_V, MODEL, STATISTIC, Stage, stage_of
from attnviz.pages.attention.figures.projections import projection_figures
from attnviz.pages.attention.figures.scores import scoring_figures
from attnviz.pages.attention.figures.weights import heads_figure, weights_figures
from attnviz.text.fractions import fraction_text

_JOINED = Axis("joined")


def attention_figures(trace: Shown, head: int) -> dict[str, FigureSpec]:
    """Draw all stages of one head, and the weights of every head.

    Parameters
    ----------
    trace : ExampleTrace or WeightsTrace
        The example on screen.
    head : int
        The head whose stages are shown, counted from 0.

    Returns
    -------
    figures : dict of str to FigureSpec
        Figures "query", "key", "value", "heads", "scores", "softmax", "context" and
        "output". What the example does not have is left out, such as "query" where
        Q is given; what it has besides comes in: "positions", "bilinear", "additive".
    """
    if isinstance(trace, WeightsTrace):
        return weights_figures(trace, head)
    stage = stage_of(trace, head)
    a = trace.attention
    figures = {
        **projection_figures(stage),
        "heads": heads_figure(a.weights, a.visible, stage.query, stage.key),
        **scoring_figures(stage),
        "softmax": _softmax(stage),
        "context": _context(stage),
    }
    if trace.heads is not None and trace.parameters is not None:
        figures["output"] = _output(stage, trace.heads, trace.parameters.w_o)
    return figures


def _softmax(stage: Stage) -> FigureSpec:
    """Draw S + M → A, with the maximum and the sum of each row as columns."""
    a = stage.attention
    query, key = stage.query, stage.key
    return matrix_figure(
        [
            Panel(
                "mask",
                np.zeros_like(a.scores),
                ("M", "", ""),
                "s",
                query,
                key,
                hidden=~a.visible,
                glyph="−∞",
                shows_rows=True,
                shows_columns=True,
                is_whole=True,
            ),
            _weights(stage, track=1, shows_columns=True),
            Panel("row_max", a.row_max, ("max", "", ""), "s", query, STATISTIC, 2),
            Panel(
                "row_sum",
                a.row_sum,
                ("Σ", "", ""),
                "s",
                query,
                STATISTIC,
                track=3,
                # Each of the T_k exponentials is at most 1.
                bound=float(a.scores.shape[-1]),
            ),
        ]
    )


def _context(stage: Stage) -> FigureSpec:
    """Draw A · V = C."""
    a = stage.attention
    return matrix_figure(
        [
            replace(_weights(stage, band=1), shows_rows=True, is_copy=True),
            Panel(
                "v",
                a.v,
                ("V", "", ""),
                "v",
                stage.key,
                D_V,
                track=1,
                is_copy=stage.trace.x is not None,
            ),
            Panel(
                "context",
                a.context,
                ("C", "", ""),
                "c",
                stage.query,
                D_V,
                track=1,
                band=1,
                texts=_fractions(stage, a.context),
            ),
        ]
    )


def _output(stage: Stage, heads: MultiHeadTrace, w_o: FloatArray) -> FigureSpec:
    """Draw [C₁ … C_H] · W_O = O."""
    query = stage.query
    return matrix_figure(
        [
            Panel(
                "joined",
                heads.joined,
                ("[C", "1…H", "]"),
                "c",
                query,
                _JOINED,
                band=1,
                shows_rows=True,
            ),
            Panel("w_o", w_o, ("W", "O", ""), "c", _JOINED, MODEL, 1),
            Panel("output", heads.output, ("O", "", ""), "c", query, MODEL, 1, 1),
        ]
    )


def _weights(
    stage: Stage, *, track: int = 0, band: int = 0, shows_columns: bool = False
) -> Panel:
    a = stage.attention
    return Panel(
        "weights",
        a.weights,
        ("A", "", ""),
        "s",
        stage.query,
        stage.key,
        track,
        band,
        kind="weights",
        hidden=~a.visible,
        glyph="0",
        shows_columns=shows_columns,
        texts=_fractions(stage, a.weights),
    )


def _fractions(stage: Stage, matrix: FloatArray) -> tuple[str, ...] | None:
    """Write a matrix in fractions, if the example is made for that."""
    if not stage.trace.has_fractions:
        return None
    return tuple(fraction_text(value) for value in matrix.ravel().tolist())
