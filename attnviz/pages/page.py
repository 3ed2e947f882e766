"""What a page is: one record, read by frame, address and tests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from shiny import ui

from attnviz.components.sidebar.controls import Controls
from attnviz.example.document import Codec, Document
from attnviz.text.catalog import Translate, browser_words

Group = Literal["pages", "labs", "practice"]


@dataclass(frozen=True, slots=True)
class PageState:
    """What a page tells while it is open.

    Attributes
    ----------
    settings : Any
        What its codec writes.
    is_swinging : bool
        Whether a number moves by itself, which no address follows.
    """

    settings: Any
    is_swinging: bool = False


@dataclass(frozen=True, slots=True)
class Opening:
    """What a page is opened with.

    Attributes
    ----------
    language : str
        The reader's language.
    tr : Translate
        Its words.
    document : Document
        What is on screen at that moment.
    """

    language: str
    tr: Translate
    document: Document

    def settings(self, page: str) -> Any:  # noqa: ANN401 - each page has its own
        """Give the settings with which a page starts."""
        return self.document.pages[page]


@dataclass(frozen=True, slots=True)
class Page:
    """One entry of the navigation bar.

    Attributes
    ----------
    id : str
        Namespace of the page's inputs and outputs, and its name in the address.
    layout : callable
        Takes the id and an Opening; gives the page with its first numbers.
    server : callable
        Takes the id, an Opening, the sidebar's Controls, and a function that reads the
        settings that back or forward brought, if any; wires the page, and gives a
        function that reads its PageState.
    codec : Codec
        What it adds to the address.
    group : {"pages", "labs", "practice"}
        Where it stands in the navigation: by itself, or in a menu.
    own_controls : bool
        Whether it has controls of its own in place of the example's; the sidebar is not
        there while it is open.
    """

    id: str
    layout: Callable[[str, Opening], ui.TagChild]
    server: Callable[
        [str, Opening, Controls, Callable[[], Any]], Callable[[], PageState]
    ]
    codec: Codec
    group: Group = "pages"
    own_controls: bool = False

    def content(self, opening: Opening) -> ui.TagList:
        """Lay the page out, with the words that the browser needs for it alone."""
        words = ui.tags.script(
            ui.HTML(browser_words(opening.language, self.id)),
            class_="words",
            type="application/json",
        )
        return ui.TagList(words, self.layout(self.id, opening))

    @property
    def title_key(self) -> str:
        """Key of the page's title in the locale files."""
        return f"{self.id}.title"
