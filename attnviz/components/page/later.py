"""Content that comes when it is first looked at: a document stays small without it."""

from collections.abc import Callable, Mapping

from htmltools import Tag
from shiny import Inputs, reactive, ui
from shiny.module import resolve_id

Contents = Mapping[str, Callable[[], ui.TagChild]]


def later(id: str) -> Tag:
    """Reserve a place whose content the browser asks for by the input of that name."""
    name = resolve_id(id)
    return ui.div({"data-later": name}, id=f"{name}-place")


def bring_later(input: Inputs, contents: Contents) -> None:
    """Put each content into its place when it is asked for.

    Parameters
    ----------
    input : Inputs
        Of the page that reserved the places.
    contents : mapping of str to callable
        What makes the content of each place.
    """

    def follow(id: str, make: Callable[[], ui.TagChild]) -> None:
        @reactive.effect
        @reactive.event(input[id])
        def bring() -> None:
            # Asked once more, as after a lost connection, it does not come twice.
            effect.destroy()
            ui.insert_ui(make(), selector=f"#{resolve_id(id)}-place")

        effect = bring

    for id, make in contents.items():
        follow(id, make)
