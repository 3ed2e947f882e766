"""The address of a session: told to the browser, and read when back or forward asks."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from htmltools import Tag
from shiny import Inputs, Session, reactive, ui

from attnviz.components.inputs.steering import steered
from attnviz.components.session.page_state import PageState
from attnviz.components.session.share import PARTS
from attnviz.components.sidebar.controls import Chosen, Controls
from attnviz.example.address import OWN_KEY, parse_query
from attnviz.example.document import (
    PAGE_KEY,
    Document,
    read_document,
    write_document,
)
from attnviz.example.own import OwnData
from attnviz.text.catalog import Translate

# The stages that a page can be walked through.
MOST_STAGES = 7


def address_notices(dropped: Sequence[str], tr: Translate) -> Tag:
    """Reserve the place that says what of an address could not be used.

    Parameters
    ----------
    dropped : sequence of str
        Keys whose values could not be used.
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    notices : Tag
        With the sentences for the address that the page came from; every address that
        the server tells brings its own.
    """
    sentences = [ui.p(sentence, class_="problem") for sentence in _notices(dropped, tr)]
    return ui.div(*sentences, class_="notices", role="status")


def read_address(
    search: str,
    *,
    pages: Sequence[str],
    brought: Mapping[str, OwnData] = MappingProxyType({}),
) -> tuple[Document, list[str]]:
    """Read an address from anyone, also what only the browser makes use of.

    Parameters
    ----------
    search : str
        Query with or without its question mark.
    pages : sequence of str
        Names of the pages, the first as default.
    brought : mapping of str to OwnData, optional
        Matrices that the reader has brought, by their fingerprint.

    Returns
    -------
    document : Document
        A valid document.
    dropped : list of str
        Keys whose values could not be used.
    """
    query = parse_query(search)
    document, dropped = read_document(query, pages=pages, brought=brought)
    passed_over = [
        key for key, is_sound in _OF_BROWSER.items() if not is_sound(query.get(key, ""))
    ]
    return document, dropped + passed_over


def _are_parts(value: str) -> bool:
    return set(value.split(",")) <= {"", *PARTS}


# What the browser reads by itself: key -> whether it can make use of a value.
_OF_BROWSER: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "hide": _are_parts,
        "lock": _are_parts,
        "cell": re.compile(r"(\w+\.[1-9]\d?\.[1-9]\d?)?").fullmatch,
        "stage": re.compile(rf"[0-{MOST_STAGES}]?").fullmatch,
        "cover": re.compile("1?").fullmatch,
        "projector": re.compile("1?").fullmatch,
    }
)


def follow_address(
    input: Inputs,
    session: Session,
    *,
    pages: Sequence[str],
    dropped: Sequence[str],
    controls: Controls,
    states: Sequence[Callable[[], PageState]],
    restored: reactive.Value[Document | None],
    tr: Translate,
) -> None:
    """Keep address and session together, whichever of them moves.

    Parameters
    ----------
    input, session
        Shiny's own; inputs of the page's name and `address`.
    pages : sequence of str
        Names of the pages, the first as default.
    dropped : sequence of str
        Keys of the first address whose values could not be used.
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
        message["notices"] = _notices(dropped, tr)
        with reactive.isolate():
            message["answers"] = str(input.address()) if "address" in input else None

        async def tell() -> None:
            await session.send_custom_message("attnviz-address", message)

        session.on_flushed(tell, once=True)

    @reactive.effect
    @reactive.event(input.address)
    def restore() -> None:
        nonlocal dropped
        back, dropped = read_address(
            str(input.address()), pages=pages, brought=controls.brought()
        )
        controls.propose(Chosen(back.preset, back.example))
        restored.set(back)
        turn_to(back.page)
        ui.update_navset(PAGE_KEY, selected=back.page)


def _notices(dropped: Sequence[str], tr: Translate) -> list[str]:
    """Say it; own data never travel in an address."""
    keys = [key for key in dropped if key != OWN_KEY]
    sentences = [tr("address.dropped", keys=", ".join(keys))] if keys else []
    return sentences + [tr("own.lost")] * (OWN_KEY in dropped)
