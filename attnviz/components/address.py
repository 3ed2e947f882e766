"""The address of a session: told to the browser, and read when back or forward asks."""

from collections.abc import Callable, Sequence

from htmltools import Tag
from shiny import Inputs, Session, reactive, render, ui

from attnviz.components.example_controls import Chosen, Controls
from attnviz.components.page_state import PageState
from attnviz.components.steering import steered
from attnviz.export.address import OWN_KEY, parse_query
from attnviz.export.document import (
    PAGE_KEY,
    Document,
    read_document,
    write_document,
)
from attnviz.text.catalog import Translate


def address_notices(dropped: Sequence[str], tr: Translate) -> list[Tag]:
    """Say what of an address could not be used; own data never travels in it.

    Parameters
    ----------
    dropped : sequence of str
        Keys whose values could not be used.
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    notices : list of Tag
        One sentence each, none where all went well.
    """
    keys = [key for key in dropped if key != OWN_KEY]
    sentences = [tr("address.dropped", keys=", ".join(keys))] if keys else []
    if OWN_KEY in dropped:
        sentences.append(tr("own.lost"))
    return [ui.p(sentence, class_="problem") for sentence in sentences]


def follow_address(
    input: Inputs,
    session: Session,
    *,
    pages: Sequence[str],
    controls: Controls,
    states: Sequence[Callable[[], PageState]],
    restored: reactive.Value[Document | None],
    tr: Translate,
) -> None:
    """Keep address and session together, whichever of them moves.

    Parameters
    ----------
    input, session
        Shiny's own: inputs of the page's name and `address`, output `notices`.
    pages : sequence of str
        Names of the pages, the first as default.
    controls : Controls
        Reads the example on screen, and takes another.
    states : sequence of callable
        Read what each page adds.
    restored : reactive.Value
        Gets the document that back or forward brought.
    tr : Translate
        Words of the reader's language.
    """
    page, turn_to = steered(input[PAGE_KEY])
    dropped: reactive.Value[list[str]] = reactive.value([], name="dropped")

    def write() -> dict[str, str]:
        chosen = controls.chosen()
        parts = [state() for state in states]
        heads = [part.head for part in parts if part.head is not None]
        norms = [part.norm for part in parts if part.norm is not None]
        document = Document(chosen.preset, chosen.example, page(), heads[0], norms[0])
        return write_document(document, first_page=pages[0])

    # The picture first: a browser that writes its address leaves less to those at work.
    @reactive.effect(priority=-1)
    def keep_address() -> None:
        # Back and forward are always answered, whatever the browser has kept to itself.
        restored()
        if any(state().is_swinging for state in states):
            return
        message: dict[str, object] = {"query": write()}
        with reactive.isolate():
            message["answers"] = input.address() if "address" in input else None

        async def tell() -> None:
            await session.send_custom_message("attnviz-address", message)

        session.on_flushed(tell, once=True)

    @reactive.effect
    @reactive.event(input.address)
    def restore() -> None:
        back, refused = read_document(
            parse_query(str(input.address())), pages=pages, brought=controls.brought()
        )
        dropped.set(refused)
        controls.propose(Chosen(back.preset, back.example))
        restored.set(back)
        turn_to(back.page)
        ui.update_navset(PAGE_KEY, selected=back.page)

    @render.ui
    def notices() -> ui.TagChild:
        return ui.TagList(address_notices(dropped(), tr))
