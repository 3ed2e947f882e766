"""What to try on a page: a few sentences, each of which sets it."""

from collections.abc import Sequence
from urllib.parse import urlencode

from htmltools import Tag
from shiny import ui

from attnviz.example.document import PAGE_KEY
from attnviz.text.catalog import Translate


def tries(page: str, queries: Sequence[str], tr: Translate, language: str) -> Tag:
    """Make the menu of what to try.

    Parameters
    ----------
    page : str
        Name of the page; the words are `<page>.tries.1`, `<page>.tries.2` and so on.
    queries : sequence of str
        What each sentence adds to the address, such as "s=0&dk=64".
    """
    head = urlencode({"lang": language, PAGE_KEY: page})
    sentences = [
        ui.tags.li(ui.tags.a(tr(f"{page}.tries.{place}"), href=f"?{head}&{query}"))
        for place, query in enumerate(queries, 1)
    ]
    return ui.tags.details(
        ui.tags.summary(tr("tries.title"), class_="button-quiet"),
        ui.div(ui.tags.ol(*sentences), class_="check-body"),
        class_="menu tries",
    )
