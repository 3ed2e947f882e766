"""The pages of the app, in reading order."""

from collections.abc import Callable
from dataclasses import dataclass

from shiny import ui

from attnviz.components.example_controls import Chosen
from attnviz.pages.attention import attention_server, attention_ui
from attnviz.pages.norms import norms_server, norms_ui
from attnviz.text.catalog import Translate


@dataclass(frozen=True, slots=True)
class Page:
    """One entry of the navigation bar.

    Attributes
    ----------
    id : str
        Namespace of the page's inputs and outputs, and its name in the address.
    layout : callable
        Takes the id, a translator and a language; gives the page.
    server : callable
        Takes the id, the chosen example and a translator; wires the page.
    """

    id: str
    layout: Callable[[str, Translate, str], ui.TagChild]
    server: Callable[..., None]

    @property
    def title_key(self) -> str:
        """Key of the page's title in the locale files."""
        return f"{self.id}.title"


PAGES = (
    Page("attention", attention_ui, attention_server),
    Page("norms", norms_ui, norms_server),
)


def start_pages(chosen: Callable[[], Chosen], tr: Translate) -> None:
    """Wire every page to the example they share.

    Parameters
    ----------
    chosen : callable
        Reads the example on screen.
    tr : Translate
        Words of the reader's language.
    """
    for page in PAGES:
        page.server(page.id, chosen=chosen, tr=tr)
