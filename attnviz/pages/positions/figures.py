"""The figures of the Positions page."""

from typing import Any

import numpy as np

from attnviz.example.positions.bias import BiasTrace
from attnviz.example.positions.compute import PositionsTrace
from attnviz.example.positions.order import OrderTrace
from attnviz.example.positions.rotary import RotaryTrace
from attnviz.example.positions.table import TableTrace
from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, Panel, matrix_figure, nice_bound
from attnviz.figures.panels import panel
from attnviz.pages.positions.plots import arrows_plot, curve_plot
from attnviz.text.catalog import Translate

_SMALL = 0.5


def positions_figures(trace: PositionsTrace, tr: Translate) -> dict[str, FigureSpec]:
    """Draw what there is.

    Returns
    -------
    figures : dict of str to FigureSpec
        "order", "table", "gram", "curve", "sum", "rotary", "arrows", "bias",
        "bias_heads", "buckets".
    """
    screen, head = trace.screen(), trace.head
    figures: dict[str, FigureSpec] = {}
    if isinstance(trace.order, OrderTrace):
        figures["order"] = _order(screen, trace.order, head)
    if isinstance(trace.table, TableTrace):
        figures |= _table(screen)
        figures["curve"] = curve_plot(trace, trace.table, tr)
    if isinstance(trace.rotary, RotaryTrace):
        figures["rotary"] = _rotary(screen)
        figures["arrows"] = arrows_plot(trace, trace.rotary, tr)
    if isinstance(trace.bias, BiasTrace):
        figures |= _bias(screen, trace.bias, head)
    return figures


def _order(screen: Screen, order: OrderTrace, head: int) -> FigureSpec:
    """Draw both runs from left to right, the second below the first."""
    x = "inputs" if "inputs" in screen else "x"
    hidden = ~order.original.attention.visible[head]
    masked: dict[str, Any] = (
        {"hidden": hidden, "glyph": "0"} if hidden.any() else {"hidden": None}
    )
    shared = nice_bound(
        np.concatenate([order.original.attention.context[head], order.change[head]])
    )
    bands = (
        (x, "weights", "order_original", "order_change"),
        (f"moved_{x}", "moved_weights", "moved_context", "order_permuted"),
    )
    panels = [
        panel(
            screen,
            name,
            head,
            track=track,
            band=band,
            shows_rows=name == first,
            shows_columns=track == 1,
            **(masked if track == 1 else {"bound": shared if track > 1 else None}),
        )
        for band, names in enumerate(bands)
        for first in [next(one for one in names if one in screen)]
        for track, name in enumerate(names)
        if name in screen
    ]
    return matrix_figure(panels, is_folded=True)


def _table(screen: Screen) -> dict[str, FigureSpec]:
    """Draw the table, its products, and its sum with the inputs."""
    figures = {
        "table": matrix_figure(
            [
                panel(
                    screen,
                    "position_table",
                    bound=1.0 if "feature" in screen.labels else None,
                    shows_rows=True,
                    shows_columns=True,
                )
            ],
            is_folded=True,
        ),
        "gram": matrix_figure(
            [panel(screen, "position_gram", shows_rows=True, shows_columns=True)]
        ),
    }
    if "sum_inputs" in screen:
        figures["sum"] = _sum(screen)
    return figures


def _sum(screen: Screen) -> FigureSpec:
    """Draw X + P on one colour scale, with the length of every row."""
    x = "scaled_x" if "scaled_x" in screen else "x"
    names = (x, "x_norm", "sum_positions", "p_norm", "sum_inputs")
    among = [screen.table(name) for name in names]
    bound = nice_bound(np.array([np.abs(rows).max() for rows in among]))
    return matrix_figure(
        [
            panel(
                screen,
                name,
                track=track,
                shows_rows=track == 0,
                is_narrow=name.endswith("norm"),
                # The first figure shows X itself, unless positions are added there.
                is_copy=name == "x" and "inputs" not in screen,
                bound=bound,
            )
            for track, name in enumerate(names)
        ],
        is_folded=True,
    )


def _rotary(screen: Screen) -> FigureSpec:
    """Draw the product of all turned queries and keys."""
    return matrix_figure(
        [
            panel(screen, "rotary_queries", band=1, shows_rows=True),
            panel(screen, "rotary_keys", track=1, is_turned=True, shows_columns=True),
            panel(screen, "rotary_scores", track=1, band=1),
        ],
        is_folded=True,
    )


def _bias(screen: Screen, bias: BiasTrace, head: int) -> dict[str, FigureSpec]:
    """Draw S + B → A of a head, and B of every head."""
    hidden = ~bias.attention.visible[head]
    masked: dict[str, Any] = {"hidden": hidden, "glyph": "0"} if hidden.any() else {}
    names = ("bias_scores", "position_bias", "biased_scores", "biased_weights")
    panels: list[Panel] = [
        panel(
            screen,
            name,
            head,
            track=track,
            shows_rows=track == 0,
            shows_columns=True,
            **(masked if name == "biased_weights" else {}),
        )
        for track, name in enumerate(names)
    ]
    figures = {"bias": matrix_figure(panels)}
    n_heads = len(bias.bias)
    if n_heads > 1:
        figures["bias_heads"] = matrix_figure(
            [
                panel(screen, f"position_bias_{one + 1}", track=one)
                for one in range(n_heads)
            ],
            scale=_SMALL,
        )
    if bias.values is not None:
        figures["buckets"] = matrix_figure(
            [panel(screen, "bucket_values", head, shows_columns=True)], scale=_SMALL
        )
    return figures
