"""What scores have besides queries and keys, and what becomes of the heads."""

from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, Panel, matrix_figure
from attnviz.figures.panels import panel

_ADDITIVE = ("score_w_q", "score_w_k", "score_v")


def score_parts(screen: Screen, head: int) -> dict[str, FigureSpec]:
    """Draw the learned parts of a score.

    Returns
    -------
    figures : dict of str to FigureSpec
        "bilinear" (Q · W) or "additive" (W_q, W_k and v), where the score has them.
    """
    if "q_w" in screen:
        met = "q_turned" if "q_turned" in screen else "q"
        drawn = [
            panel(screen, met, head, band=1, shows_rows=True),
            panel(screen, "score_w", head, track=1),
            panel(screen, "q_w", head, track=1, band=1, is_copy=True),
        ]
        return {"bilinear": matrix_figure(drawn, is_folded=True)}
    if "score_v" in screen:
        drawn = [
            panel(screen, name, track=track) for track, name in enumerate(_ADDITIVE)
        ]
        return {"additive": matrix_figure(drawn, is_folded=True)}
    return {}


def output_figure(screen: Screen) -> FigureSpec | None:
    """Draw [C₁ … C_H] · W_O = O; None where nothing joins the heads."""
    if "output" not in screen:
        return None
    drawn: list[Panel] = [
        panel(screen, "joined", band=1, shows_rows=True),
        panel(screen, "w_o", track=1),
        panel(screen, "output", track=1, band=1),
    ]
    return matrix_figure(drawn, is_folded=True)
