"""The head of a page: title, formula, and what must be said at once."""

from collections.abc import Sequence

from htmltools import Tag
from shiny import ui

from attnviz.components.page.view import live
from attnviz.text.formulas import formula


def page_head(
    title: ui.TagChild,
    formula_name: str | None,
    warnings: Sequence[str],
    *tools: ui.TagChild,
) -> Tag:
    """Set the title beside the formula, and the warnings under both.

    Parameters
    ----------
    formula_name : str or None
        Formula of the page; None for the one that its view tells under "formula.page".
    warnings : sequence of str
        Sentences that stand there without a click.
    *tools : TagChild
        What stands at the right of the warnings.
    """
    heading = (
        live("formula.page") if formula_name is None else ui.HTML(formula(formula_name))
    )
    return ui.tags.header(
        ui.div(
            ui.h1(title),
            ui.div(heading, class_="page-formula"),
            class_="page-title",
        ),
        ui.div(
            ui.p(*[ui.span(warning) for warning in warnings], class_="warnings"),
            *tools,
            class_="page-notes",
        ),
        class_="page-head",
    )
