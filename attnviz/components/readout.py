"""One line that reads out the cell under the pointer or the selected one."""

from htmltools import Tag
from shiny import ui

from attnviz.text.catalog import Translate


def readout(tr: Translate) -> Tag:
    """Reserve the line; the browser fills it.

    Parameters
    ----------
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    line : Tag
        Symbol, value and place of a cell.
    """
    return ui.div(
        ui.span(tr("readout.hint"), class_="readout-hint"),
        ui.span(class_="readout-name"),
        ui.span("=", class_="readout-equals"),
        ui.span(class_="readout-value"),
        ui.span(class_="readout-place"),
        class_="readout is-empty",
        role="status",
        aria_live="polite",
    )
