"""Longer texts, folded until somebody wants them."""

from functools import cache

from htmltools import Tag
from shiny import ui

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


def folded(title: str, *content: ui.TagChild) -> Tag:
    """Hide content behind its title.

    Parameters
    ----------
    title : str
        What one reads while it is folded.
    *content : TagChild
        What unfolds.
    """
    return ui.tags.details(ui.tags.summary(title), *content, class_="fold")


@cache
def _html(language: str, name: str) -> ui.HTML:
    """Turn the Markdown of a text into HTML once, not for every page."""
    return ui.HTML(ui.markdown(prose(language, name)))
