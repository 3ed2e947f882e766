"""Everything an address holds: the example, the page, and what each page adds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from attnviz.example.address import (
    DEFAULT_PRESET,
    FIRST_VERSION,
    VERSION,
    VERSION_KEY,
    read_example,
    read_settings,
    write_example,
    write_settings,
)
from attnviz.example.compute import EXAMPLES
from attnviz.example.own import OwnData
from attnviz.example.setting import Settings
from attnviz.example.settings import Example

PAGE_KEY = "page"


@dataclass(frozen=True, slots=True)
class Codec:
    """What a page adds to an address.

    Attributes
    ----------
    settings : mapping of str to Setting
        The fields of its settings.
    start : callable
        Takes the name of a preset; gives the settings with which the page starts.
    """

    settings: Settings
    start: Callable[[str], Any]


_KNOWN = tuple(map(str, range(int(FIRST_VERSION), int(VERSION) + 1)))
Codecs = Mapping[str, Codec]
"""What each page adds, by its name; the first page needs no key."""


@dataclass(frozen=True, slots=True)
class Document:
    """What stands in an address.

    Attributes
    ----------
    preset : str
        Preset the example started from.
    example : Example
        Settings of the example.
    page : str
        Page on screen.
    pages : mapping of str to Any
        Settings of each page, by its name; those that are left out are as their preset
        starts.
    """

    preset: str = DEFAULT_PRESET
    example: Example = field(default_factory=lambda: EXAMPLES[DEFAULT_PRESET])
    page: str = ""
    pages: Mapping[str, Any] = field(default_factory=dict)


def write_document(document: Document, codecs: Codecs) -> dict[str, str]:
    """Write what differs from the defaults.

    Parameters
    ----------
    document : Document
        What is on screen.
    codecs : mapping of str to Codec
        What each page adds.

    Returns
    -------
    query : dict of str to str
        Short keys and their values, with the version unless nothing differs.
    """
    query = write_example(document.example, document.preset)
    if document.page not in ("", next(iter(codecs))):
        query[PAGE_KEY] = document.page
    for page, codec in codecs.items():
        if page in document.pages:
            start = codec.start(document.preset)
            query |= write_settings(document.pages[page], start, codec.settings)
    return {VERSION_KEY: VERSION, **query} if query else {}


def read_document(
    query: Mapping[str, str],
    codecs: Codecs,
    brought: Mapping[str, OwnData] = MappingProxyType({}),
) -> tuple[Document, list[str]]:
    """Read an address from anyone; what cannot be falls back, key by key.

    Parameters
    ----------
    query : mapping of str to str
        The query of the address; unknown keys are left alone.
    codecs : mapping of str to Codec
        What each page adds.
    brought : mapping of str to OwnData, optional
        Matrices that the reader has brought, by their fingerprint.

    Returns
    -------
    document : Document
        A valid document, with the settings of every page.
    dropped : list of str
        Keys whose values could not be used.
    """
    preset, example, dropped = read_example(query, brought)
    if query.get(VERSION_KEY, VERSION) not in _KNOWN:
        dropped.append(VERSION_KEY)
    first = next(iter(codecs))
    page = query.get(PAGE_KEY, first)
    if page not in codecs:
        dropped.append(PAGE_KEY)
        page = first
    pages = {}
    for name, codec in codecs.items():
        pages[name], refused = read_settings(query, codec.start(preset), codec.settings)
        dropped += refused
    return Document(preset, example, page, pages), dropped
