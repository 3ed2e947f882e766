"""The scale of the weights' colours."""

import math

from htmltools import Tag
from shiny import ui

from attnviz.text.catalog import Translate

_TICKS = (0, 0.1, 0.5, 1)


def weights_legend(tr: Translate) -> Tag:
    """Draw the scale on which a weight is coloured: by its root, as the cells are."""
    ticks = [
        ui.span(f"{tick:g}", style=f"left:{100 * math.sqrt(tick):.0f}%")
        for tick in _TICKS
    ]
    return ui.div(
        ui.tags.i("A"),
        ui.div(*ticks, class_="legend-scale"),
        class_="legend",
        role="img",
        aria_label=tr("legend.weights"),
    )
