"""Longer texts, folded until somebody wants them."""

from collections.abc import Iterable
from functools import cache, partial

from htmltools import Tag
from shiny import ui

from attnviz.components.page.later import Contents, later
from attnviz.text.catalog import prose


def markdown(language: str, name: str) -> ui.TagChild:
    """Set a longer text.

    Parameters
    ----------
    language : str
        Language of the reader.
    name : str
        Name of the text.
    """
    return ui.div(_html(language, name), class_="prose")


def folded(title: str, id: str) -> Tag:
    """Hide content behind its title, to come when it is unfolded: see `later`."""
    return ui.tags.details(
        ui.tags.summary(title), later(id), {"data-part": "reading"}, class_="fold"
    )


def readings(language: str, names: Iterable[str]) -> Contents:
    """Give the longer texts of a page, each for the fold of its name."""
    return {name: partial(markdown, language, name) for name in names}


@cache
def _html(language: str, name: str) -> ui.HTML:
    """Turn the Markdown of a text into HTML once, not for every page."""
    return ui.HTML(ui.markdown(prose(language, name)))
