"""From text to tables: dialects taken off, lists and lines of cells read."""

import csv
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from attnviz.core.errors import SettingError
from attnviz.example.reading.characters import plain_characters
from attnviz.example.reading.commas import comma_readings
from attnviz.example.reading.dialects import line_that_prints_all, strip_dialects
from attnviz.example.reading.gathering import Gathered, Part
from attnviz.example.reading.labels import read_labels
from attnviz.example.reading.lists import (
    OPENING,
    WORDS,
    end_of_list,
    row_of,
)
from attnviz.example.reading.result import Comma, Note, Read
from attnviz.example.reading.tables import TableReader

# How an export of this app begins, and what a spreadsheet may have made of its comma.
_ABOUT = re.compile(r"about([,;\t])")
# Blanks without end, and brackets within each other, hold up those who look for more.
_LONG_BLANK = re.compile(r"\s{40,}")
_DEEP = re.compile(r"[\[({](?:\s{0,40}[\[({]){20}")
_SEPARATOR = re.compile(r"\A\s*sep=.\s*\n")  # the first line of Excel's own CSV
_CLOSING = re.compile(r"[\s)]*\]")
_BETWEEN: tuple[Comma, ...] = ("between",)
# One for each number of the longest list, where each stands on a line of its own.
MAX_LINES = 100_000
# Lists beside each other, such as the rows of matrices without their outer brackets.
MAX_LISTS = 20_000


def read_text(text: str, *, comma: Comma | None = None) -> Read:
    """Read tables and lists.

    Parameters
    ----------
    text : str
        From anyone.
    comma : Comma, optional
        What commas are; found out if it is not said.

    Returns
    -------
    read : Read
        Tables in order; further ones under a name, or under the name with 1, 2, …,
        are slices of the first.

    Raises
    ------
    SettingError
        If brackets do not match, numbers were left out, or there is too much of it.
    """
    text = _LONG_BLANK.sub(_shortened, plain_characters(text))
    if (n_lines := text.count("\n")) > MAX_LINES:
        raise SettingError("own_lines", got=n_lines, most=MAX_LINES)
    _refuse_deep(text)
    about, mark, rest = _take_about(text)
    if mark is not None:  # an export speaks no dialect, whatever words are in it
        parts, commas = [Part("lines", rest)], _BETWEEN
    else:
        stripped = strip_dialects(_SEPARATOR.sub("", text, count=1))
        _refuse_deep(stripped)
        parts = list(islice(_cut(stripped), 2 * MAX_LISTS + 1))
        if len(parts) > 2 * MAX_LISTS:
            raise SettingError("own_lists", most=MAX_LISTS)
        commas = comma_readings(
            line
            for part in parts
            if part.kind == "lines"
            for line in part.text.split("\n")
        )
    chosen = comma or commas[0]
    gathered = Gathered(TableReader(chosen, mark), line_that_prints_all(text))
    gathered.take(parts)
    tables = gathered.tables()
    settings = about.get("settings")
    labels = read_labels(about.get("labels"))
    if gathered.tokens:
        labels = {"query": gathered.tokens} | labels
    return Read(
        tables,
        labels,
        settings if isinstance(settings, dict) else {},
        tuple(gathered.reader.left_out),
        (Note("comma"),) if chosen == "decimal" else (),
        commas if len(commas) > 1 else (),
    )


def _shortened(blanks: re.Match[str]) -> str:
    return blanks[0][:40] + ("\n" if "\n" in blanks[0] else "")


def _refuse_deep(text: str) -> None:
    if found := _DEEP.search(text):
        raise SettingError("own_brackets", row=row_of(text, found.start()))


def _take_about(text: str) -> tuple[dict[str, Any], str | None, str]:
    """Take off the line with which an export begins, if there is one.

    Returns
    -------
    about, mark, rest : dict, str or None, str
        What it says, what stands between its cells, and all other lines.
    """
    mark = _ABOUT.match(text)
    if mark is None:
        return {}, None, text
    line, _, rest = text.partition("\n")
    try:
        cells = next(csv.reader([line], delimiter=mark[1]), [])
        about = json.loads(cells[1])
    except (csv.Error, ValueError, IndexError, RecursionError):
        about = {}
    return about if isinstance(about, dict) else {}, mark[1], rest


def _cut(text: str) -> Iterator[Part]:
    """Cut text at its lists."""
    at = unclosed = 0
    ahead = [OPENING.search(text), WORDS.search(text)]
    while any(ahead):
        found = min((one for one in ahead if one), key=lambda one: one.start())
        is_words = found.re is WORDS
        end = found.end() if is_words else end_of_list(text, found.start())
        before = text[at : found.start()]
        yield Part("lines", before)
        yield Part("words" if is_words else "list", text[found.start() : end])
        at = end
        unclosed += before.count("[") - before.count("]")
        if unclosed <= 0 and (closing := _CLOSING.match(text, at)):
            raise SettingError("own_brackets", row=row_of(text, closing.end()))
        ahead = [
            one if one is None or one.start() >= at else one.re.search(text, at)
            for one in ahead
        ]
    yield Part("lines", text[at:])
