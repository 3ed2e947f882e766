"""Read numbers that a person typed."""

import math

from attnviz.core.errors import SettingError
from attnviz.example.reading.numbers import as_number, words_of
from attnviz.example.setting import Form, shortest

MAX_ROWS = 32
MAX_COLUMNS = 64
LARGEST = 1e6


def read_numbers(text: str, *, name: str) -> tuple[float, ...]:
    """Read one line of numbers.

    Parameters
    ----------
    text : str
        Numbers separated by spaces, commas or semicolons.
    name : str
        The setting they belong to, for the sentence about what is wrong.

    Returns
    -------
    numbers : tuple of float
        Between 1 and 64 finite numbers.

    Raises
    ------
    SettingError
        If something is no number, is too large, or the count does not fit.

    Examples
    --------
    >>> read_numbers("1, −0.5；2e-1", name="gamma")
    (1.0, -0.5, 0.2)
    """
    return _read_line(text, name=name, row=1)


def read_rows(text: str, *, name: str) -> tuple[tuple[float, ...], ...]:
    r"""Read a table of numbers, one row a line.

    Parameters
    ----------
    text : str
        Lines of numbers; empty lines are skipped.
    name : str
        The setting they belong to, for the sentence about what is wrong.

    Returns
    -------
    rows : tuple of tuple of float
        Between 1 and 32 rows of equal length.

    Raises
    ------
    SettingError
        If there is no row, there are too many, a row is ragged or holds no numbers.

    Examples
    --------
    >>> read_rows("1 2\n3 4", name="rows")
    ((1.0, 2.0), (3.0, 4.0))
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise SettingError("no_numbers", name=name)
    if len(lines) > MAX_ROWS:
        raise SettingError("many_rows", name=name, got=len(lines), most=MAX_ROWS)
    rows = tuple(_read_line(line, name=name, row=i + 1) for i, line in enumerate(lines))
    width = len(rows[0])
    for i, row in enumerate(rows):
        if len(row) != width:
            raise SettingError(
                "ragged_rows", name=name, row=i + 1, got=len(row), wanted=width
            )
    return rows


def _read_line(line: str, *, name: str, row: int) -> tuple[float, ...]:
    cells = words_of(line)
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


def write_numbers(numbers: tuple[float, ...], *, between: str = ",") -> str:
    """Write numbers so that `read_numbers` gives the same ones back."""
    return between.join(map(shortest, numbers))


def numbers_form(name: str) -> Form:
    """Say how a setting of several numbers stands in an address."""
    return Form(write_numbers, lambda text: read_numbers(text, name=name))


_ROW_MARK = "~"
ROWS = Form(
    lambda rows: _ROW_MARK.join(map(write_numbers, rows)),
    lambda text: read_rows(text.replace(_ROW_MARK, "\n"), name="rows"),
)
