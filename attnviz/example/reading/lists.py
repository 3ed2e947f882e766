"""Numbers in brackets, nested or with semicolons between rows, as lists of lists."""

import re
from collections.abc import Iterator
from typing import Any

from attnviz.core.errors import SettingError
from attnviz.example.reading.commas import comma_readings, write_points

# Brackets with a number, or what stands for one, behind them.
OPENING = re.compile(
    r"(?<![\w\])])(?:\(\s*\([\s(]*|(?:\(\s*)*\[[\s\[(]*)"
    r"(?=['\"]?[-+]?\.?\d|[-+]?(?:nan|inf|NaN|Inf|NA|True|False|true|false|null|None|∞)\b"
    r"|\.\.\.|…|\]\s*$)"
)
WORDS = re.compile(
    r"""(?<![\w\])])[\[(]\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
        (?:\s*,\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"))*\s*,?\s*[\])]""",
    re.X,
)
_WORD = re.compile(r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)\"""")
_PIECE = re.compile(r"[\[\]();]|'[^'\n]*'|\"[^\"\n]*\"|[^\s,\[\]();]+")
_BRACKET = re.compile(r"[\[\]()]")
_BLANK_BETWEEN = re.compile(r"\d,\d+[ \t]+[-+]?\d*,?\d")
_CONTINUED = re.compile(r";?[ \t]*\.\.\.[ \t]*\n")
_WIDTH = 60  # NumPy breaks a row when it is wider
_DEEPEST = 16
MAX_PIECES = 600_000


def end_of_list(text: str, start: int) -> int:
    """Find where a list ends.

    Parameters
    ----------
    text : str
        From anyone.
    start : int
        Where its bracket opens.

    Raises
    ------
    SettingError
        If its brackets do not match, or are too many within each other.
    """
    open_ = []
    for found in _BRACKET.finditer(text, start):
        at = found.start()
        if found[0] in "[(":
            open_.append(found[0])
            if len(open_) > _DEEPEST:
                raise SettingError("own_brackets", row=row_of(text, at))
            continue
        if open_.pop() != "[("["])".index(found[0])]:
            raise SettingError("own_brackets", row=row_of(text, at))
        if not open_:
            return at + 1
    raise SettingError("own_brackets", row=row_of(text, len(text)))


def read_list(text: str) -> list[Any]:
    """Read one list, brackets included.

    Parameters
    ----------
    text : str
        With matching brackets. Round ones around a single list count for nothing.

    Returns
    -------
    nested : list
        Lists of lists of texts.
    """
    if ";" in text:
        text = _CONTINUED.sub(";\n", text)
    elif text.count("[") == 1:
        text = _broken_rows(text)
    if "," in text and _BLANK_BETWEEN.search(text):
        rows = re.split(r"[;\n\[\]]", text)
        if comma_readings(rows)[0] == "decimal":
            text = write_points(text)
    pieces = _pieces(text)
    first = next(pieces)
    nested = _nested(pieces, first)
    return nested if isinstance(nested, list) else [nested]


def read_words(text: str) -> list[str]:
    r"""Read a list of quoted words.

    Examples
    --------
    >>> read_words("['[CLS]', \"it's\"]")
    ['[CLS]', "it's"]
    """
    return [re.sub(r"\\(.)", r"\1", one or other) for one, other in _WORD.findall(text)]


def row_of(text: str, at: int) -> int:
    """Count the line in which a place of a text stands, from 1."""
    return text.count("\n", 0, at) + 1


def _broken_rows(text: str) -> str:
    """Take lines within one bracket for rows, unless one row was broken."""
    lines = text.strip("[]() \n").split("\n")
    counts = {len(re.findall(r"[^\s,]+", line)) for line in lines}
    is_short = any(len(line) < _WIDTH for line in lines[:-1])
    if len(lines) > 1 and len(counts) == 1 and counts != {1} and is_short:
        return "[" + ";".join(lines) + "]"
    return text


def _pieces(text: str) -> Iterator[str]:
    for count, piece in enumerate(_PIECE.finditer(text)):
        if count == MAX_PIECES:
            raise SettingError("own_pieces", most=MAX_PIECES)
        yield piece[0]


def _nested(pieces: Iterator[str], opened: str) -> Any:  # noqa: ANN401 - list or leaf
    """Take the rest of a list whose bracket has just opened."""
    items: list[Any] = []
    rows: list[list[Any]] = []
    for piece in pieces:
        if piece in ("]", ")"):
            break
        if piece in ("[", "("):
            items.append(_nested(pieces, piece))
        elif piece == ";":
            rows.append(items)
            items = []
        else:
            items.append(piece.strip("'\""))
    if rows and all(not isinstance(one, list) for row in rows for one in row):
        return [row for row in [*rows, items] if row]
    items = [one for row in rows for one in row] + items
    return items[0] if opened == "(" and len(items) == 1 else items
