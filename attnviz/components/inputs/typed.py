"""A number to type, to halve and to double."""

from htmltools import Tag
from shiny import ui

from attnviz.text.catalog import Translate


def typed_number(
    id: str,
    label: ui.TagChild,
    name: str,
    value: float,
    limits: tuple[float, float] | None,
    tr: Translate,
) -> Tag:
    """Make the field, with two buttons beside it.

    Parameters
    ----------
    label : TagChild
        What stands before it.
    name : str
        What it is, in words, for the names of the buttons.
    limits : tuple of float, or None
        Least and greatest value that the buttons lead to.
    """

    def button(text: str, act: str) -> Tag:
        return ui.tags.button(
            text,
            {"data-scale": act, "aria-label": tr(f"controls.{act}", name=name)},
            type="button",
            class_="button-quiet",
        )

    least, most = limits or (None, None)
    field = ui.input_numeric(id, label, value, min=least, max=most, step=1)
    return ui.div(field, button("‹", "halve"), button("›", "double"), class_="scaled")
