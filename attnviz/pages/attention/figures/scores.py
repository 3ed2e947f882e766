"""The figures of the scores, by whatever rule they come about."""

from dataclasses import replace

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.choices.scores import ScoringMatrices, moved_queries
from attnviz.figures.matrix import Axis, FigureSpec, Panel, matrix_figure
from attnviz.pages.attention.figures.head import D_K, STATISTIC, Stage

_UNIT = Axis("score_unit")


def scoring_figures(stage: Stage) -> dict[str, FigureSpec]:
    """Draw how queries and keys give scores.

    Parameters
    ----------
    stage : Stage
        The head on screen.

    Returns
    -------
    figures : dict of str to FigureSpec
        "scores", with "bilinear" (Q · W) or "additive" (W_q, W_k and v) before it
        where the score has learned parts.
    """
    kind, learned = stage.trace.example.scoring, stage.trace.scoring
    query = _query(stage)
    if learned is None:
        return {"scores": _scores(stage, query)}
    if kind == "bilinear":
        moved = moved_queries(stage.attention.q, learned)
        name = f"{query.symbol[0]}W"
        result = replace(query, name="q_w", values=moved, symbol=(name, "", ""))
        result = replace(result, shows_rows=False, is_copy=False)
        return {
            "bilinear": matrix_figure(
                [query, _learned("w", learned, track=1), replace(result, track=1)]
            ),
            "scores": _scores(stage, replace(result, shows_rows=True, is_copy=True)),
        }
    return {
        "additive": matrix_figure(
            [
                _learned("w_q", learned, track=0),
                _learned("w_k", learned, track=1),
                _learned("v", learned, track=2),
            ]
        ),
        "scores": _scores(stage, query),
    }


def _query(stage: Stage) -> Panel:
    """Draw the queries as they meet the keys, left of what they give."""
    is_turned = stage.trace.example.positions == "rotary"
    return Panel(
        "q_turned" if is_turned else "q",
        stage.attention.q,
        ("Q′" if is_turned else "Q", "", ""),
        "q",
        stage.query,
        D_K,
        band=1,
        shows_rows=True,
        is_copy=not is_turned and stage.trace.x is not None,
    )


def _key(stage: Stage) -> Panel:
    """Draw the keys as they meet the queries, above what they give."""
    is_turned = stage.trace.example.positions == "rotary"
    return Panel(
        "k_turned" if is_turned else "k",
        stage.attention.k.T,
        ("K′" if is_turned else "K", "", "⊤"),
        "k",
        D_K,
        stage.key,
        track=1,
        shows_columns=True,
        is_copy=not is_turned and stage.trace.x is not None,
    )


def _scores(stage: Stage, query: Panel) -> FigureSpec:
    """Draw queries and keys around S, and beside it what is added to it."""
    a = stage.attention
    panels = [
        query,
        _key(stage),
        Panel("scores", a.scores, ("S", "", ""), "s", stage.query, stage.key, 1, 1),
    ]
    if a.bias is not None:
        panels.append(
            Panel("bias", a.bias, ("B", "", ""), "s", stage.query, stage.key, 2, 1)
        )
    return matrix_figure(panels)


def _learned(name: str, learned: ScoringMatrices, *, track: int) -> Panel:
    """Draw one of the learned parts of a score; v stands as a column."""
    values: FloatArray = getattr(learned, name)
    letter, _, index = name.partition("_")
    return Panel(
        f"score_{name}",
        values if values.ndim == 2 else values[:, None],
        (letter.upper() if values.ndim == 2 else letter, index, ""),
        "s",
        D_K if name == "w" else _UNIT,
        D_K if values.ndim == 2 else STATISTIC,
        track=track,
    )
