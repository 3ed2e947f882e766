"""Open pages when they are first visited, and read what they add to the address."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shiny import reactive, ui

from attnviz.components.sidebar.controls import Controls
from attnviz.example.document import Document
from attnviz.pages.page import Opening, Page, PageState


@dataclass(frozen=True, slots=True)
class OpenPages:
    """The pages of one session.

    Attributes
    ----------
    settings : callable
        Reads the settings of every page, by its name, opened or not.
    is_swinging : callable
        Reads whether a number moves by itself on one of them.
    """

    settings: Callable[[], Mapping[str, Any]]
    is_swinging: Callable[[], bool]


def panel_id(page: Page) -> str:
    """Name the element that takes a page's content."""
    return f"page-{page.id}"


def open_pages(
    pages: Sequence[Page],
    shown: Callable[[], str],
    controls: Controls,
    restored: Callable[[], Document | None],
    first: Opening,
) -> OpenPages:
    """Start the page on screen at once, and each other one when it is turned to.

    Parameters
    ----------
    pages : sequence of Page
        All there are.
    shown : callable
        Reads the name of the page on screen.
    controls : Controls
        The sidebar.
    restored : callable
        Reads the document that back or forward brought, if any.
    first : Opening
        What the address asks for; its page came with the document.

    Returns
    -------
    opened : OpenPages
        To read what all of them add to the address.
    """
    states: dict[str, Callable[[], PageState]] = {}
    opened = reactive.value(0, name="opened")

    def document() -> Document:
        """Say what is on screen, as an address would."""
        chosen = controls.chosen()
        asked = restored() or first.document
        pages_asked = asked.pages if asked.preset == chosen.preset else {}
        return Document(
            chosen.preset,
            chosen.example,
            pages={
                page.id: pages_asked.get(page.id) or page.codec.start(chosen.preset)
                for page in pages
            },
        )

    def start(page: Page, opening: Opening) -> None:
        def back() -> Any:  # noqa: ANN401 - each page has its own
            asked = restored()
            return None if asked is None else asked.pages[page.id]

        states[page.id] = page.server(page.id, opening, controls, back)
        opened.set(len(states))

    with reactive.isolate():
        start(next(page for page in pages if page.id == first.document.page), first)

    @reactive.effect
    def open_page() -> None:
        name = shown()
        page = next((page for page in pages if page.id == name), None)
        if page is None or name in states:
            return
        with reactive.isolate():
            opening = replace(first, document=document())
            ui.insert_ui(page.content(opening), selector=f"#{panel_id(page)}")
            start(page, opening)

    def settings() -> Mapping[str, Any]:
        opened()
        unopened = document().pages
        return {
            page.id: states[page.id]().settings
            if page.id in states
            else unopened[page.id]
            for page in pages
        }

    def is_swinging() -> bool:
        opened()
        return any(state().is_swinging for state in states.values())

    return OpenPages(settings, is_swinging)
