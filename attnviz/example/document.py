"""Everything an address holds: the example, the page, and what the page shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from attnviz.core.errors import SettingError
from attnviz.example.address import (
    DEFAULT_PRESET,
    read_example,
    shortest,
    write_example,
)
from attnviz.example.compute import EXAMPLES, Example
from attnviz.example.norms import NORM_EXAMPLES, NormExample
from attnviz.example.own import OwnData
from attnviz.example.reading.typed_numbers import read_numbers, read_rows
from attnviz.example.sources.drawn import MAX_HEADS

VERSION_KEY, VERSION = "v", "1"
PAGE_KEY, HEAD_KEY = "page", "head"
_ROW_MARK = "~"

Numbers = tuple[float, ...]


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
    head : int
        Head on screen, counted from 0.
    norm : NormExample
        Settings of the Layer norm page.
    """

    preset: str = DEFAULT_PRESET
    example: Example = field(default_factory=lambda: EXAMPLES[DEFAULT_PRESET])
    page: str = ""
    head: int = 0
    norm: NormExample = field(default_factory=NormExample)


def write_document(document: Document, *, first_page: str) -> dict[str, str]:
    """Write what differs from the defaults.

    Parameters
    ----------
    document : Document
        What is on screen.
    first_page : str
        The page that needs no key.

    Returns
    -------
    query : dict of str to str
        Short keys and their values, with the version unless nothing differs.
    """
    query = write_example(document.example, document.preset)
    if document.page not in ("", first_page):
        query[PAGE_KEY] = document.page
    if document.head:
        query[HEAD_KEY] = str(document.head + 1)
    start = norm_start(document.preset)
    for name, form in _NORM.items():
        value = getattr(document.norm, name)
        if value != getattr(start, name):
            query[form.key] = form.write(value)
    return {VERSION_KEY: VERSION, **query} if query else {}


def read_document(
    query: Mapping[str, str],
    *,
    pages: Sequence[str],
    brought: Mapping[str, OwnData] = MappingProxyType({}),
) -> tuple[Document, list[str]]:
    """Read an address from anyone; what cannot be falls back, key by key.

    Parameters
    ----------
    query : mapping of str to str
        The query of the address; unknown keys are left alone.
    pages : sequence of str
        Pages there are, the first as default.
    brought : mapping of str to OwnData, optional
        Matrices that the reader has brought, by their fingerprint.

    Returns
    -------
    document : Document
        A valid document.
    dropped : list of str
        Keys whose values could not be used.
    """
    preset, example, dropped = read_example(query, brought)
    page = query.get(PAGE_KEY, pages[0])
    if page not in pages:
        dropped.append(PAGE_KEY)
        page = pages[0]
    head = query.get(HEAD_KEY, "1")
    is_head = head.isascii() and head.isdecimal() and 1 <= int(head[:4]) <= MAX_HEADS
    if not is_head:
        dropped.append(HEAD_KEY)
    norm, refused = _read_norm(query, norm_start(preset))
    return (
        Document(preset, example, page, int(head) - 1 if is_head else 0, norm),
        dropped + refused,
    )


def norm_start(preset: str) -> NormExample:
    """Give the settings of the Layer norm page that a preset starts with.

    Parameters
    ----------
    preset : str
        Name of the preset.

    Returns
    -------
    settings : NormExample
        The preset's own, or the default.
    """
    return NORM_EXAMPLES.get(preset, NormExample())


@dataclass(frozen=True, slots=True)
class _Form:
    """How one setting is written and read."""

    key: str
    write: Callable[[Any], str]
    read: Callable[[str], Any]


def _write_numbers(numbers: Numbers) -> str:
    return ",".join(map(shortest, numbers))


def _numbers_form(key: str, name: str) -> _Form:
    return _Form(key, _write_numbers, lambda text: read_numbers(text, name=name))


def _write_rows(rows: tuple[Numbers, ...]) -> str:
    return _ROW_MARK.join(map(_write_numbers, rows))


def _read_rows(text: str) -> tuple[Numbers, ...]:
    return read_rows(text.replace(_ROW_MARK, "\n"), name="rows")


_NORM: Mapping[str, _Form] = MappingProxyType(
    {
        "source": _Form("ns", str, str),
        "rows": _Form("nr", _write_rows, _read_rows),
        "gamma": _numbers_form("ng", "gamma"),
        "beta": _numbers_form("nb", "beta"),
        "eps": _Form("ne", repr, float),
        "n_samples": _Form("nm", str, int),
        "disturbance": _Form("nd", str, str),
    }
)


def _read_norm(
    query: Mapping[str, str], start: NormExample
) -> tuple[NormExample, list[str]]:
    refused = []
    for name, form in _NORM.items():
        if form.key not in query:
            continue
        try:
            start = replace(start, **{name: form.read(query[form.key])})
        except (SettingError, ValueError):
            refused.append(form.key)
    return start, refused
