"""Read matrices from plain text: tables such as CSV, or lists as Python prints them."""

import csv
import json
import re
from collections.abc import Iterator
from typing import Any

from attnviz.core.errors import SettingError
from attnviz.example.reading.found import Found, read_labels
from attnviz.example.reading.matrix import from_lists
from attnviz.example.reading.names import known_name
from attnviz.example.reading.numbers import MAX_CELLS, as_number, cells_of

# "Q = [[1, 2]", "[[1. 2.]", "array([[1": brackets with a number behind them.
_LISTS = re.compile(r"^[ \t]*(\w+[ \t]*[=:][ \t]*)?[\w.]*\(?\[[\[ \t]*[-+−.\d]", re.M)
_PIECE = re.compile(r"[\[\]]|[^\s,\[\]()=:]+")
_MAKERS = ("array", "tensor")
_SHAPE = re.compile(r"[=:]?|\d+(?:[×x]\d+)*")
_NUMBERED = re.compile(r"(.+)_\d+")
# How an export of this app begins, and what a spreadsheet may have made of its comma.
_ABOUT = re.compile(r"about([,;\t])")
_DEEPEST = 6
# More than an export of the largest example has: beyond, nothing is even looked at.
MAX_LINES = 20_000
MAX_PIECES = 300_000

Named = tuple[str, list[Any]]


def read_plain(text: str, *, unnamed: str) -> Found:
    """Read tables or lists.

    Parameters
    ----------
    text : str
        Rows of numbers, matrices apart by empty lines, each with its name on a line
        above it or with none; a name begins a new matrix without an empty line, too.
        Further tables under a name, or under the name with _1, _2, …, are its heads.
        Or nested lists in brackets, as in Python. From anyone.
    unnamed : str
        The name of a matrix that has none.

    Returns
    -------
    found : Found
        Matrices by name.

    Raises
    ------
    SettingError
        If something is no number, or a matrix cannot be shown.
    """
    about, text = _take_about(text)
    read = _lists if _LISTS.search(text) else _tables
    blocks: dict[str, list[Any]] = {}
    others: dict[str, None] = {}
    for title, rows in read(text):
        name = _name(title) if title else unnamed
        if name is None:
            others[title] = None
        else:
            blocks.setdefault(name, []).append(rows)
    arrays = {
        name: from_lists(name, found if len(found) > 1 else found[0])
        for name, found in blocks.items()
    }
    settings = about.get("settings")
    return Found(
        arrays,
        tuple(others),
        read_labels(about.get("labels")),
        settings if isinstance(settings, dict) else {},
    )


def _take_about(text: str) -> tuple[dict[str, Any], str]:
    """Take off the line with which an export begins, if there is one."""
    mark = _ABOUT.match(text)
    if mark is None:
        return {}, text
    line, _, rest = text.partition("\n")
    try:
        cells = next(csv.reader([line], delimiter=mark[1]), [])
        about = json.loads(cells[1])
    except (csv.Error, ValueError, IndexError, RecursionError):
        about = {}
    return about if isinstance(about, dict) else {}, rest


def _name(title: str) -> str | None:
    """Recognize a title; q_1, q_2, … are the heads of q."""
    numbered = _NUMBERED.fullmatch(title)
    return known_name(title) or (known_name(numbered[1]) if numbered else None)


def _tables(text: str) -> Iterator[Named]:
    """Cut text into tables, each under the last title before it."""
    title, is_labelled = "", False
    rows: list[list[str]] = []
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        raise SettingError("own_lines", got=len(lines), most=MAX_LINES)
    for row, line in enumerate([*lines, ""], start=1):
        cells = cells_of(line.lstrip("#"))
        if len(cells) > MAX_CELLS:
            raise SettingError("own_columns", row=row, most=MAX_CELLS)
        if rows and (not cells or _is_next(cells)):
            yield title, rows
            rows, is_labelled = [], False
        if not rows and _is_title(cells):
            title = cells[0].strip("=: ")
        elif not rows and cells and not (cells[0] and any(map(_is_number, cells))):
            is_labelled = not cells[0]
        elif cells:
            is_labelled = is_labelled or (not rows and not _is_number(cells[0]))
            rows.append(cells[1:] if is_labelled else cells)


def _is_title(cells: list[str]) -> bool:
    """Recognize a name, alone or with a shape behind it."""
    return (
        0 < len(cells) <= 2
        and cells[0] != ""
        and not _is_number(cells[0])
        and all(_SHAPE.fullmatch(cell) for cell in cells[1:])
    )


def _is_next(cells: list[str]) -> bool:
    """Recognize a known name; a number behind it would make it the label of a row."""
    is_name = _is_title(cells) and not cells[-1].isdecimal()
    return is_name and _name(cells[0].strip("=: ")) is not None


def _is_number(cell: str) -> bool:
    return as_number(cell) is not None


def _lists(text: str) -> Iterator[Named]:
    """Cut text into nested lists, each under the last word before it."""
    title = ""
    pieces = _pieces(text)
    for piece in pieces:
        if piece[0] == "[":
            yield title, _nested(pieces, text, 1)
            title = ""
        elif piece[0] == "]":
            raise SettingError("own_brackets", row=_row(text, piece.start()))
        elif not piece[0].endswith(_MAKERS):
            title = piece[0]


def _pieces(text: str) -> Iterator[re.Match[str]]:
    for count, piece in enumerate(_PIECE.finditer(text)):
        if count == MAX_PIECES:
            raise SettingError("own_pieces", most=MAX_PIECES)
        yield piece


def _nested(pieces: Iterator[re.Match[str]], text: str, depth: int) -> list[Any]:
    """Take the rest of a list whose bracket has just opened."""
    nested: list[Any] = []
    for piece in pieces:
        if piece[0] == "]":
            return nested
        if piece[0] == "[" and depth == _DEEPEST:
            raise SettingError("own_brackets", row=_row(text, piece.start()))
        nested.append(_nested(pieces, text, depth + 1) if piece[0] == "[" else piece[0])
    raise SettingError("own_brackets", row=_row(text, len(text)))


def _row(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
