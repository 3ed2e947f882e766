"""The address of a session: told to the browser, and read when back or forward asks."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from htmltools import Tag
from shiny import Inputs, Session, reactive, ui

from attnviz.components.session.share import PARTS
from attnviz.components.sidebar.controls import Chosen, Controls
from attnviz.example.address import OWN_KEY, VERSION_KEY, parse_query
from attnviz.example.document import (
    Codecs,
    Document,
    read_document,
    write_document,
)
from attnviz.example.own import OwnData
from attnviz.text.catalog import Translate


def address_notices(dropped: Sequence[str], tr: Translate) -> Tag:
    """Reserve the place that says what of an address could not be used.

    Parameters
    ----------
    dropped : sequence of str
        Keys whose values could not be used.

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
    codecs: Codecs,
    brought: Mapping[str, OwnData] = MappingProxyType({}),
) -> tuple[Document, list[str]]:
    """Read an address from anyone, also what only the browser makes use of.

    Parameters
    ----------
    search : str
        Query with or without its question mark.

    Returns
    -------
    document : Document
        A valid document.
    dropped : list of str
        Keys whose values could not be used.
    """
    query = parse_query(search)
    document, dropped = read_document(query, codecs, brought)
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
        "stage": re.compile(r"\d{0,2}").fullmatch,
        "cover": re.compile("1?").fullmatch,
        "projector": re.compile("1?").fullmatch,
    }
)


def follow_address(
    input: Inputs,
    session: Session,
    codecs: Codecs,
    *,
    dropped: Sequence[str],
    controls: Controls,
    write: Callable[[], Document | None],
    restored: reactive.Value[Document | None],
    turn_to: Callable[[str], None],
    tr: Translate,
) -> None:
    """Keep address and session together, whichever of them moves.

    Parameters
    ----------
    input, session
        Shiny's own; the input `address`.
    dropped : sequence of str
        Keys of the first address whose values could not be used.
    controls : Controls
        Takes another example.
    write : callable
        Reads the document on screen; None while a number moves by itself.
    restored : reactive.Value
        Gets the document that back or forward brought.
    turn_to : callable
        Takes the name of the page to show.
    """

    # The picture first: a browser that writes its address leaves less to those at work.
    @reactive.effect(priority=-1)
    def keep_address() -> None:
        # Back and forward are always answered, whatever the browser has kept to itself.
        restored()
        document = write()
        if document is None:
            return
        message: dict[str, object] = {"query": write_document(document, codecs)}
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
        # Behind a # stands which question it is: addresses come back.
        search, _, _ = str(input.address()).partition("#")
        back, dropped = read_address(search, codecs, brought=controls.brought())
        controls.propose(Chosen(back.preset, back.example))
        restored.set(back)
        turn_to(back.page)


def _notices(dropped: Sequence[str], tr: Translate) -> list[str]:
    """Say it; own data never travel in an address."""
    keys = [key for key in dropped if key not in (OWN_KEY, VERSION_KEY)]
    sentences = [tr("browser.address.dropped", keys=", ".join(keys))] if keys else []
    sentences += [tr("address.version")] * (VERSION_KEY in dropped)
    return sentences + [tr("own.lost")] * (OWN_KEY in dropped)
