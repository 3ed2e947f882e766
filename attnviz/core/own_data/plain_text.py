"""Read matrices from plain text: tables such as CSV, or lists as Python prints them."""

import csv
import re
from collections.abc import Iterator
from typing import Any

from attnviz.core.errors import SettingError
from attnviz.core.own_data.found import Found
from attnviz.core.own_data.matrix import from_lists
from attnviz.core.own_data.names import known_name

# "Q = [[1, 2]", "[[1. 2.]", "array([[1": brackets with a number behind them.
_LISTS = re.compile(r"^[ \t]*(\w+[ \t]*[=:][ \t]*)?[\w.]*\(?\[[\[ \t]*[-+−.\d]", re.M)
_PIECE = re.compile(r"[\[\]]|[^\s,\[\]()=:]+")
_MAKERS = ("array", "tensor")
_SHAPE = re.compile(r"[=:]?|\d+(?:[×x]\d+)*")
_NUMBERED = re.compile(r"(.+)_\d+")
_SEPARATORS = (",", "\t", ";", "，", "；", "、")
_DEEPEST = 6

Named = tuple[str, list[Any]]


def read_plain(text: str, *, unnamed: str) -> Found:
    """Read tables or lists.

    Parameters
    ----------
    text : str
        Rows of numbers, matrices apart by empty lines, each with its name on a line
        above it or with none; further tables under a name, or under the name with
        _1, _2, …, are its heads. Or nested lists in brackets, as in Python. From
        anyone.
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
    return Found(arrays, tuple(others))


def _name(title: str) -> str | None:
    """Recognize a title; q_1, q_2, … are the heads of q."""
    numbered = _NUMBERED.fullmatch(title)
    return known_name(title) or (known_name(numbered[1]) if numbered else None)


def _tables(text: str) -> Iterator[Named]:
    """Cut text into tables, each under the last title before it."""
    title, rows, is_labelled = "", [], False
    for line in [*text.splitlines(), ""]:
        cells = _cells(line)
        if rows and not cells:
            yield title, rows
            rows, is_labelled = [], False
        elif not rows and _is_title(cells):
            title = cells[0].strip("=: ")
        elif not rows and cells and not (cells[0] and any(map(_is_number, cells))):
            is_labelled = not cells[0]
        elif cells:
            is_labelled = is_labelled or (not rows and not _is_number(cells[0]))
            rows.append(cells[1:] if is_labelled else cells)


def _cells(line: str) -> list[str]:
    """Split a line at the first kind of separator it has; empty cells at its end go."""
    line = line.lstrip("#")
    separator = next((mark for mark in _SEPARATORS if mark in line), None)
    if separator is None:
        return line.split()
    if '"' in line:
        cells = next(csv.reader([line], delimiter=separator), [])
    else:
        cells = line.split(separator)
    cells = [cell.strip() for cell in cells]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _is_title(cells: list[str]) -> bool:
    """Recognize a name, alone or with a shape behind it."""
    return (
        0 < len(cells) <= 2
        and cells[0] != ""
        and not _is_number(cells[0])
        and all(_SHAPE.fullmatch(cell) for cell in cells[1:])
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace("−", "-"))
    except ValueError:
        return False
    return True


def _lists(text: str) -> Iterator[Named]:
    """Cut text into nested lists, each under the last word before it."""
    title, lists = "", []
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece == "[":
            lists.append([])
        elif piece == "]" and lists:
            done = lists.pop()
            if lists:
                lists[-1].append(done)
            else:
                yield title, done
                title = ""
        elif lists:
            lists[-1].append(piece)
        elif not piece.endswith(_MAKERS):
            title = piece
        if piece == "]" == title or len(lists) > _DEEPEST:
            raise SettingError("own_brackets", row=_row(text, match.start()))
    if lists:
        raise SettingError("own_brackets", row=_row(text, len(text)))


def _row(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
