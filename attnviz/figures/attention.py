"""The figures of the Attention page: every stage as matrices that meet."""

from dataclasses import dataclass, replace

import numpy as np

from attnviz.core.attention import AttentionTrace, slice_head
from attnviz.core.example import ExampleTrace
from attnviz.core.shapes import FloatArray
from attnviz.figures.matrix import Axis, FigureSpec, Panel, matrix_figure

_MODEL = Axis("d_model")
_D_K = Axis("d_k")
_D_V = Axis("d_v")
_JOINED = Axis("joined")
_STATISTIC = Axis("statistic")

HEADS_A_BAND = 4
HEADS_SCALE = 0.5


def attention_figures(trace: ExampleTrace, head: int) -> dict[str, FigureSpec]:
    """Draw all stages of one head, and the weights of every head.

    Parameters
    ----------
    trace : ExampleTrace
        The example on screen.
    head : int
        The head whose stages are shown, counted from 0.

    Returns
    -------
    figures : dict of str to FigureSpec
        Figures "query", "key", "value", "heads", "scores", "softmax", "context" and
        "output".
    """
    padding = ~trace.key_valid
    stage = _Stage(
        trace=trace,
        head=head,
        attention=slice_head(trace.heads.attention, head),
        query=Axis("query", trace.tokens, padding),
        key=Axis("key", trace.tokens, padding),
    )
    return {
        "query": _projection(stage, "q"),
        "key": _projection(stage, "k"),
        "value": _projection(stage, "v"),
        "heads": _heads(stage),
        "scores": _scores(stage),
        "softmax": _softmax(stage),
        "context": _context(stage),
        "output": _output(stage),
    }


@dataclass(frozen=True, slots=True)
class _Stage:
    """What every figure of one head needs."""

    trace: ExampleTrace
    head: int
    attention: AttentionTrace
    query: Axis
    key: Axis


def _projection(stage: _Stage, letter: str) -> FigureSpec:
    """Draw X · W = Q, K or V."""
    parameters = stage.trace.parameters
    w: FloatArray = getattr(parameters, f"w_{letter}")[stage.head]
    result: FloatArray = getattr(stage.attention, letter)
    position = stage.query if letter == "q" else stage.key
    feature = _D_V if letter == "v" else _D_K
    capital = letter.upper()
    return matrix_figure(
        [
            Panel(
                "x",
                stage.trace.x,
                ("X", "", ""),
                "x",
                position,
                _MODEL,
                band=1,
                shows_rows=True,
                is_copy=letter != "q",
            ),
            Panel(f"w_{letter}", w, ("W", capital, ""), letter, _MODEL, feature, 1),
            Panel(letter, result, (capital, "", ""), letter, position, feature, 1, 1),
        ]
    )


def _scores(stage: _Stage) -> FigureSpec:
    """Draw Q · Kᵀ / √d_k = S."""
    a = stage.attention
    return matrix_figure(
        [
            Panel(
                "q",
                a.q,
                ("Q", "", ""),
                "q",
                stage.query,
                _D_K,
                band=1,
                shows_rows=True,
                is_copy=True,
            ),
            Panel(
                "k",
                a.k.T,
                ("K", "", "⊤"),
                "k",
                _D_K,
                stage.key,
                track=1,
                shows_columns=True,
                is_copy=True,
            ),
            Panel("scores", a.scores, ("S", "", ""), "s", stage.query, stage.key, 1, 1),
        ]
    )


def _softmax(stage: _Stage) -> FigureSpec:
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
            Panel("row_max", a.row_max, ("max", "", ""), "s", query, _STATISTIC, 2),
            Panel(
                "row_sum",
                a.row_sum,
                ("Σ", "", ""),
                "s",
                query,
                _STATISTIC,
                track=3,
                # Each of the T_k exponentials is at most 1.
                bound=float(a.scores.shape[-1]),
            ),
        ]
    )


def _context(stage: _Stage) -> FigureSpec:
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
                _D_V,
                track=1,
                is_copy=True,
            ),
            Panel("context", a.context, ("C", "", ""), "c", stage.query, _D_V, 1, 1),
        ]
    )


def _output(stage: _Stage) -> FigureSpec:
    """Draw [C₁ … C_H] · W_O = O."""
    heads = stage.trace.heads
    w_o = stage.trace.parameters.w_o
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
            Panel("w_o", w_o, ("W", "O", ""), "c", _JOINED, _MODEL, 1),
            Panel("output", heads.output, ("O", "", ""), "c", query, _MODEL, 1, 1),
        ]
    )


def _heads(stage: _Stage) -> FigureSpec:
    """Draw small multiples of the weights of every head."""
    attention = stage.trace.heads.attention
    n_heads = attention.weights.shape[0]
    panels = [
        Panel(
            f"weights_{head + 1}",
            attention.weights[head],
            ("A", str(head + 1), ""),
            "s",
            stage.query,
            stage.key,
            track=head % HEADS_A_BAND,
            band=head // HEADS_A_BAND,
            kind="weights",
            hidden=~attention.visible[head],
        )
        for head in range(n_heads)
    ]
    return matrix_figure(panels, scale=HEADS_SCALE)


def _weights(
    stage: _Stage, *, track: int = 0, band: int = 0, shows_columns: bool = False
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
    )
