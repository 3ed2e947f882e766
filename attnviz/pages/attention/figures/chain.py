"""The chain Q·Kᵀ → S → A → ·V → C, as one figure with one line of rows."""

from dataclasses import replace
from typing import Any

from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, Panel, matrix_figure, nice_bound
from attnviz.figures.panels import panel

# Longer sequences are drawn wide: the mask lies over the scores, V stands beside C.
LONGEST_FULL = 10
# Where the mask hides keys, what stands for their scores.
_NEVER = "−∞"
_STATISTICS = ("row_max", "row_sum", "weight_sum")


def chain_figure(screen: Screen, head: int) -> FigureSpec:
    """Draw attention from left to right, each row that of one query.

    What multiplies or masks from above stands above what it makes.

    Parameters
    ----------
    screen : Screen
        What is on screen; of weights alone, only they and their sums.

    Returns
    -------
    figure : FigureSpec
        Matrices "q", "k", "scores", "bias", "row_max", "row_sum", "exp_scores", "mask",
        "weights", "weight_sum", "v" and "context", as far as there are any. Queries
        and keys that positions turned, or that W moved, stand in place of q and k.
    """
    rows, keys = screen.table("weights").shape
    if "scores" not in screen:
        weights = _draw(screen, head, "weights", shows_rows=True, shows_columns=True)
        return matrix_figure([weights, _draw(screen, head, "weight_sum", track=1)])
    is_wide = max(rows, keys) > LONGEST_FULL
    return matrix_figure(_panels(screen, head, is_wide=is_wide), is_folded=True)


def _panels(screen: Screen, head: int, *, is_wide: bool) -> list[Panel]:
    """Place the matrices, in the order of the computation."""
    query = "q_w" if "q_w" in screen else _as_met(screen, "q")
    key = _as_met(screen, "k")
    d_k = screen.table(key).shape[1]
    # More features than positions would push the scores down: keys stand beside then.
    is_beside = d_k > max(screen.table("scores").shape)
    mask = screen.hides("weights", head)
    tracks = _Tracks()
    panels = [_draw(screen, head, query, track=tracks.next(), shows_rows=True)]
    if is_beside:
        panels.append(_draw(screen, head, key, track=tracks.next(), shows_rows=True))
    at = tracks.next()
    if not is_beside:
        top = _draw(screen, head, key, is_turned=True, shows_columns=True)
        panels.append(replace(top, track=at, band=0))
    scores = _draw(screen, head, "scores", track=at, shows_columns=is_beside)
    if is_wide and mask is not None:
        scores = replace(scores, hidden=mask, glyph=_NEVER)
    panels.append(scores)
    for name in ("bias", "row_max", "row_sum", "exp_scores"):
        if name in screen:
            panels.append(_draw(screen, head, name, track=tracks.next()))
    at = tracks.next()
    if not is_wide:
        above = panel(screen, "mask", head, track=at, shows_columns=True)
        panels.append(replace(above, glyph=_NEVER))
    panels.append(_draw(screen, head, "weights", track=at, shows_columns=is_wide))
    panels.append(_draw(screen, head, "weight_sum", track=tracks.next()))
    at = tracks.next()
    context = _draw(screen, head, "context", track=at)
    if not is_wide:
        return [*panels, panel(screen, "v", head, track=at), context]
    value = _draw(screen, head, "v", track=tracks.next(), shows_rows=True)
    return [*panels, context, value]


class _Tracks:
    """Counts the columns of the figure."""

    def __init__(self) -> None:
        """Begin at the left."""
        self._taken = 0

    def next(self) -> int:
        """Take the next column."""
        self._taken += 1
        return self._taken - 1


def _draw(screen: Screen, head: int, name: str, **look: Any) -> Panel:  # noqa: ANN401 - as Panel
    """Draw a matrix on the line of rows."""
    if name in ("row_sum", "weight_sum"):
        # Each of the T_k numbers is at most 1.
        look["bound"] = float(screen.table("weights").shape[-1])
    elif name == "row_max":
        # A maximum has the colour of the score that it is.
        look["bound"] = nice_bound(screen.table("scores", head))
    elif name == "exp_scores":
        look |= {"bound": 1.0, "is_optional": True}
    return panel(screen, name, head, band=1, is_narrow=name in _STATISTICS, **look)


def _as_met(screen: Screen, letter: str) -> str:
    """Name queries or keys as they meet: turned, where positions turn them."""
    turned = f"{letter}_turned"
    return turned if turned in screen else letter
