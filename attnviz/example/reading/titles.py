"""Titles over tables: a name alone, before an equals sign, or before a shape."""

import re

from attnviz.example.reading.cells import cells_of
from attnviz.example.reading.headers import Row
from attnviz.example.reading.names import known_name
from attnviz.example.reading.numbers import as_number

COMMENT = re.compile(r"^\s*(?:#+|%+|//|--)\s*")
DOTS = frozenset({"...", "..", "…", "⋯", "⋮", "⋱", "⋰"})
_SHAPE = re.compile(r"[=:]?|\(?\d+(?:[×x, ]+\d+)*\)?")
_CALL = re.compile(r"(?:print|disp|display|show)\(['\"]?([^()'\"]+)['\"]?\)")
_ASSIGNED = re.compile(r"([^=:<]{1,60}?)\s*(?::=|<-|=|:)\s*(.*)")
_TUPLE = re.compile(r"\s*\(\s*\d+\s*(?:,\s*\d+\s*)*,?\s*\)\s*")
_NAMING = re.compile(r"[\w .,'^{}()×#/-]{1,60}")


def is_tuple(line: str) -> bool:
    """Recognize a shape that was printed by itself."""
    return _TUPLE.fullmatch(line) is not None


def title_of(line: str, cells: Row, *, is_inside: bool) -> tuple[str, str] | None:
    """Recognize a title, and what stands behind it on its line.

    Parameters
    ----------
    line : str
        The line.
    cells : list of str
        Its cells.
    is_inside : bool
        Whether rows stand directly before it.

    Returns
    -------
    title, rest : str, str; or None
        None if the line is no title.

    Examples
    --------
    >>> title_of("Q = softmax(S)", ["Q", "=", "softmax(S)"], is_inside=False)
    ('Q', 'softmax(S)')
    >>> title_of("A 2×3", ["A", "2×3"], is_inside=False)
    ('A', '')
    """
    bare = COMMENT.sub("", line).strip().rstrip(",;")
    if not cells or not cells[0] or _is_number(cells[0]) or cells[0] in DOTS:
        return None
    if called := _CALL.fullmatch(bare):
        bare = called[1]
    return _assigned(bare) or _bare_title(bare, cells, is_inside=is_inside)


def _assigned(bare: str) -> tuple[str, str] | None:
    """Recognize a name before an equals sign, a colon or an arrow."""
    assigned = _ASSIGNED.fullmatch(bare)
    if assigned is None or not _NAMING.fullmatch(assigned[1]):
        return None
    is_row = any(map(_is_number, cells_of(assigned[2])))
    if is_row and known_name(assigned[1]) is None:
        return None
    return assigned[1].strip(" '\""), assigned[2]


def _bare_title(bare: str, cells: Row, *, is_inside: bool) -> tuple[str, str] | None:
    """Recognize a name that stands alone, or with a shape behind it."""
    if known_name(bare) is not None:
        return bare, ""
    if len(cells) > 2 or not all(map(_SHAPE.fullmatch, cells[1:])):
        return None
    if len(cells) == 2:
        is_known = known_name(cells[0]) is not None
        is_count = cells[1].isdecimal()
        if (is_inside and (is_count or not is_known)) or (is_count and not is_known):
            return None
    return cells[0].strip("=: "), ""


def _is_number(cell: str) -> bool:
    return as_number(cell) is not None
