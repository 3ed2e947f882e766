"""The pages of the app, in reading order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shiny import ui

from attnviz.components.session.page_state import PageState
from attnviz.components.sidebar.controls import Controls
from attnviz.example.document import Document
from attnviz.pages.attention.page import attention_server, attention_ui
from attnviz.pages.norms.page import norms_server, norms_ui
from attnviz.text.catalog import Translate


@dataclass(frozen=True, slots=True)
class Page:
    """One entry of the navigation bar.

    Attributes
    ----------
    id : str
        Namespace of the page's inputs and outputs, and its name in the address.
    layout : callable
        Takes the id, a translator, a language, the document, and whether the page is
        the first on screen; gives the page.
    server : callable
        Takes the id and what `start_pages` passes; wires the page and gives a function
        that reads what the page adds to the address.
    """

    id: str
    layout: Callable[..., ui.TagChild]
    server: Callable[..., Callable[[], PageState]]

    @property
    def title_key(self) -> str:
        """Key of the page's title in the locale files."""
        return f"{self.id}.title"


PAGES = (
    Page("attention", attention_ui, attention_server),
    Page("norms", norms_ui, norms_server),
)
PAGE_IDS = tuple(page.id for page in PAGES)


def start_pages(
    controls: Controls,
    start: Document,
    restored: Callable[[], Document | None],
    tr: Translate,
) -> Sequence[Callable[[], PageState]]:
    """Wire every page to the example they share.

    Parameters
    ----------
    controls : Controls
        Reads the example on screen, and takes another.
    start : Document
        What the pages show at first.
    restored : callable
        Reads the document that back or forward brought, if any.
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    states : sequence of callable
        Each reads what its page adds to the address.
    """
    return [
        page.server(page.id, controls=controls, start=start, restored=restored, tr=tr)
        for page in PAGES
    ]
