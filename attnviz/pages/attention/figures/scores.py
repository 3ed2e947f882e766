"""The figures of the scores, by whatever rule they come about."""

from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, Panel, matrix_figure
from attnviz.figures.panels import panel


def score_figures(screen: Screen, head: int) -> dict[str, FigureSpec]:
    """Draw how queries and keys give scores.

    Returns
    -------
    figures : dict of str to FigureSpec
        "scores", with "bilinear" (Q · W) or "additive" (W_q, W_k and v) before it
        where the score has learned parts.
    """
    query, key = (_as_met(screen, letter) for letter in "qk")
    figures = {}
    if "q_w" in screen:
        figures["bilinear"] = matrix_figure(
            [
                _query(screen, query, head),
                panel(screen, "score_w", track=1),
                panel(screen, "q_w", head, track=1, band=1),
            ]
        )
        query = "q_w"
    elif "score_v" in screen:
        figures["additive"] = matrix_figure(
            [
                panel(screen, name, track=track)
                for track, name in enumerate(("score_w_q", "score_w_k", "score_v"))
            ]
        )
    panels = [
        _query(screen, query, head),
        panel(
            screen,
            key,
            head,
            track=1,
            is_turned=True,
            shows_columns=True,
            is_copy=key == "k" and "x" in screen,
        ),
        panel(screen, "scores", head, track=1, band=1),
    ]
    if "bias" in screen:
        panels.append(panel(screen, "bias", head, track=2, band=1))
    return figures | {"scores": matrix_figure(panels)}


def _as_met(screen: Screen, letter: str) -> str:
    """Name queries or keys as they meet: turned, where positions turn them."""
    turned = f"{letter}_turned"
    return turned if turned in screen else letter


def _query(screen: Screen, name: str, head: int) -> Panel:
    """Draw the queries left of what they give."""
    is_copy = name == "q_w" or (name == "q" and "x" in screen)
    return panel(screen, name, head, band=1, shows_rows=True, is_copy=is_copy)
