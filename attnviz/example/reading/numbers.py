"""The one reader of numbers that a person wrote: typed, pasted, or in a file."""

import csv
import re

SEPARATORS = (",", "\t", ";", "，", "；", "、")
_PARTED = re.compile(rf"[\s{''.join(SEPARATORS)}]+")
MAX_CELLS = 1_000


def as_number(cell: str) -> float | None:
    """Read one number.

    Parameters
    ----------
    cell : str
        From anyone, with either minus sign.

    Returns
    -------
    number : float or None
        It may be infinite or NaN; None if the cell is no number.

    Examples
    --------
    >>> as_number(" −0.5"), as_number("2e-1"), as_number("cat")
    (-0.5, 0.2, None)
    """
    try:
        return float(cell.replace("−", "-"))
    except ValueError:
        return None


def cells_of(line: str) -> list[str]:
    """Split a line of a table at the first kind of separator it has.

    Parameters
    ----------
    line : str
        From anyone. Of one with too many cells, a few more than `MAX_CELLS` are given.

    Returns
    -------
    cells : list of str
        Without blanks around them; empty ones at the end go. Quotes hold together
        what they enclose.

    Examples
    --------
    >>> cells_of("the cat, 1, , 2, "), cells_of("1  2 ")
    (['the cat', '1', '', '2'], ['1', '2'])
    """
    separator = next((mark for mark in SEPARATORS if mark in line), None)
    if separator is None:
        return line.split(maxsplit=MAX_CELLS)
    if '"' in line:
        cells = next(csv.reader([line], delimiter=separator), [])
    else:
        cells = line.split(separator, MAX_CELLS)
    cells = [cell.strip() for cell in cells]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def words_of(line: str) -> list[str]:
    """Split a line that holds nothing but numbers, at whatever parts them.

    Examples
    --------
    >>> words_of("1, −0.5；2e-1")
    ['1', '−0.5', '2e-1']
    """
    return [word for word in _PARTED.split(line.strip()) if word]
