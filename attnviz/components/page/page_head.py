"""The head of a page: title, what must be said at once, formula, and tools."""

from collections.abc import Sequence

from htmltools import Tag
from shiny import ui


def page_head(
    title: ui.TagChild, formula: Tag, warnings: Sequence[str], *tools: ui.TagChild
) -> Tag:
    """Set title, warnings and formula on one line, and the tools on the next.

    Parameters
    ----------
    formula : Tag
        Formula of the page: a `written` one, or a `live` one that follows its view.
    warnings : sequence of str
        Sentences that stand there without a click.
    *tools : TagChild
        The first ones lead, the rest stands aside.
    """
    return ui.tags.header(
        ui.div(
            ui.h1(title),
            ui.p(*[ui.span(warning) for warning in warnings], class_="warnings"),
            ui.div(formula, class_="page-formula"),
            class_="page-title",
        ),
        ui.div(*tools, class_="page-tools"),
        class_="page-head",
    )
