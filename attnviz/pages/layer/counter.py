"""How many numbers are learned, part by part."""

from htmltools import Tag
from shiny import ui

from attnviz.components.page.view import live
from attnviz.text.catalog import Translate

_PARTS = ("attention", "network", "norms", "vocabulary", "total")


def parameter_counter(tr: Translate) -> Tag:
    """Make the table of counts, filled by `layer_live`."""
    rows = [
        ui.tags.tr(
            ui.tags.th(tr(f"layer.count.{part}"), scope="row"),
            ui.tags.td(tr(f"layer.count.{part}.formula"), class_="hint"),
            ui.tags.td(live(f"count.{part}")),
        )
        for part in _PARTS
    ]
    return ui.div(
        ui.h2(tr("layer.count"), class_="section"),
        ui.tags.table(ui.tags.tbody(*rows), class_="numbers counts"),
        ui.p(live("count.saved"), " ", live("count.chapter"), class_="hint"),
        class_="layer-count",
    )
