"""Read numbers that a person typed."""

import math

import numpy as np

from attnviz.core.errors import SettingError
from attnviz.example.reading.cells import words_of
from attnviz.example.reading.characters import plain_characters
from attnviz.example.reading.commas import comma_readings, write_points
from attnviz.example.reading.numbers import as_number
from attnviz.example.reading.reading import read
from attnviz.example.reading.result import Comma
from attnviz.example.setting import Form, shortest

MAX_ROWS = 32
MAX_COLUMNS = 64
LARGEST = 1e6


def read_numbers(
    text: str, *, name: str, comma: Comma | None = None
) -> tuple[float, ...]:
    """Read one line of numbers.

    Parameters
    ----------
    text : str
        Numbers separated by spaces, commas or semicolons.
    name : str
        The setting they belong to, for the sentence about what is wrong.
    comma : Comma, optional
        What commas are; found out if it is not said.

    Returns
    -------
    numbers : tuple of float
        Between 1 and 64 finite numbers.

    Raises
    ------
    SettingError
        If something is no number, is too large, the count does not fit, or commas can
        be read in two ways.

    Examples
    --------
    >>> read_numbers("1, −0.5；2e-1", name="gamma")
    (1.0, -0.5, 0.2)
    >>> read_numbers("0,5 1,5", name="gamma")
    (0.5, 1.5)
    """
    rows = read_rows(text, name=name, comma=comma)
    return rows[0] if len(rows) == 1 else tuple(one for row in rows for one in row)


def read_rows(
    text: str, *, name: str, comma: Comma | None = None
) -> tuple[tuple[float, ...], ...]:
    r"""Read a table of numbers, one row a line, or one that a program has printed.

    Parameters
    ----------
    text : str
        Lines of numbers; empty lines are skipped.
    name : str
        The setting they belong to, for the sentence about what is wrong.
    comma : Comma, optional
        What commas are; found out if it is not said.

    Returns
    -------
    rows : tuple of tuple of float
        Between 1 and 32 rows of equal length.

    Raises
    ------
    SettingError
        If there is no row, there are too many, a row is ragged or holds no numbers, or
        commas can be read in two ways.

    Examples
    --------
    >>> read_rows("1 2\n3 4", name="rows")
    ((1.0, 2.0), (3.0, 4.0))
    >>> read_rows("[[0.5 1.5]\n [2.5 3.5]]", name="rows")
    ((0.5, 1.5), (2.5, 3.5))
    """
    try:
        return _typed(text, name, comma)
    except SettingError as refused:
        rows = _printed(text) if refused.reason == "not_numbers" else None
        if rows is None:
            raise
        return _typed("\n".join(map(_line, rows)), name, "between")


def _typed(text: str, name: str, comma: Comma | None) -> tuple[tuple[float, ...], ...]:
    """Read lines that hold nothing but numbers."""
    lines = [line for line in plain_characters(text).split("\n") if line.strip()]
    if not lines:
        raise SettingError("no_numbers", name=name)
    if len(lines) > MAX_ROWS:
        raise SettingError("many_rows", name=name, got=len(lines), most=MAX_ROWS)
    if comma is None:
        readings = comma_readings(lines)
        if len(readings) > 1:
            one, other = (" ".join(_cells(lines[0], each)) for each in readings)
            raise SettingError("two_readings", name=name, one=one, other=other)
        comma = readings[0]
    rows = tuple(
        _read_line(_cells(line, comma), name=name, row=i + 1)
        for i, line in enumerate(lines)
    )
    width = len(rows[0])
    for i, row in enumerate(rows):
        if len(row) != width:
            raise SettingError(
                "ragged_rows", name=name, row=i + 1, got=len(row), wanted=width
            )
    return rows


def _cells(line: str, comma: Comma) -> list[str]:
    return words_of(write_points(line) if comma == "decimal" else line)


def _printed(text: str) -> list[list[float]] | None:
    """Read the one table that a program has printed, if that is all there is."""
    try:
        found = read(text)
        if len(found.tables) != 1 or found.left_out:
            return None
        (table,) = found.tables
        if table.rows or table.columns:  # words have no place here
            return None
        numbers = np.atleast_2d(table.source.numbers(""))
    except SettingError:
        return None
    if math.prod(numbers.shape[:-2]) != 1:
        return None
    rows = numbers.reshape(numbers.shape[-2:])
    return [list(map(float, row)) for row in rows]


def _line(row: list[float]) -> str:
    return " ".join(map(shortest, row))


def _read_line(cells: list[str], *, name: str, row: int) -> tuple[float, ...]:
    if not cells:
        raise SettingError("no_numbers", name=name)
    if len(cells) > MAX_COLUMNS:
        raise SettingError("many_columns", name=name, got=len(cells), most=MAX_COLUMNS)
    return tuple(
        _read_cell(cell, name=name, row=row, column=i + 1)
        for i, cell in enumerate(cells)
    )


def _read_cell(cell: str, *, name: str, row: int, column: int) -> float:
    shown = cell if len(cell) <= 20 else f"{cell[:20]}…"
    number = as_number(cell)
    if number is None:
        raise SettingError("not_numbers", name=name, got=shown, row=row, column=column)
    if not math.isfinite(number) or abs(number) > LARGEST:
        raise SettingError(
            "large_number",
            name=name,
            got=shown,
            row=row,
            column=column,
            most=f"{LARGEST:.0f}",
        )
    return number


# How `write_numbers` separates.
_WRITTEN: Comma = "between"


def write_numbers(numbers: tuple[float, ...], *, between: str = ",") -> str:
    """Write numbers so that `read_numbers` gives the same ones back."""
    return between.join(map(shortest, numbers))


def numbers_form(name: str) -> Form:
    """Say how a setting of several numbers stands in an address."""
    return Form(
        write_numbers, lambda text: read_numbers(text, name=name, comma=_WRITTEN)
    )


_ROW_MARK = "~"
ROWS = Form(
    lambda rows: _ROW_MARK.join(map(write_numbers, rows)),
    lambda text: read_rows(text.replace(_ROW_MARK, "\n"), name="rows", comma=_WRITTEN),
)
