"""Longer texts, folded until somebody wants them."""

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

    Returns
    -------
    text : TagChild
        Paragraphs.
    """
    return ui.div(ui.markdown(prose(language, name)), class_="prose")


def folded(title: str, *content: ui.TagChild, class_: str = "") -> Tag:
    """Hide content behind its title.

    Parameters
    ----------
    title : str
        What one reads while it is folded.
    *content : TagChild
        What unfolds.
    class_ : str, default=""
        Further classes.

    Returns
    -------
    fold : Tag
        A native disclosure element.
    """
    return ui.tags.details(
        ui.tags.summary(title), *content, class_=f"fold {class_}".strip()
    )
