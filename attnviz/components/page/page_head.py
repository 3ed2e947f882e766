"""The head of a page: title, formula, and what must be said at once."""

from collections.abc import Sequence

from htmltools import Tag
from shiny import ui

from attnviz.components.page.view import formulas


def page_head(
    title: str,
    formula_names: Sequence[str],
    warnings: Sequence[str],
    *tools: ui.TagChild,
) -> Tag:
    """Set the title beside the formula, and the warnings under both.

    Parameters
    ----------
    formula_names : sequence of str
        Formulas of the page, of which the live state "formula.page" shows one; the
        first until then.
    warnings : sequence of str
        Sentences that stand there without a click.
    *tools : TagChild
        What stands at the right of the warnings.
    """
    return ui.tags.header(
        ui.div(
            ui.h1(title),
            formulas("formula.page", formula_names, class_="page-formula"),
            class_="page-title",
        ),
        ui.div(
            ui.p(*[ui.span(warning) for warning in warnings], class_="warnings"),
            *tools,
            class_="page-notes",
        ),
        class_="page-head",
    )
