"""Lines of a table cut into cells."""

import csv
import re

from attnviz.example.reading.commas import write_points
from attnviz.example.reading.numbers import MAX_CELLS
from attnviz.example.reading.result import Comma

# The first of these that a line has stands between its cells.
_BETWEEN = ("\t", ";", "；", "，", "、")
_PARTED = re.compile(r"[\s,\t;，；、]+")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def cells_of(line: str, comma: Comma = "between", mark: str | None = None) -> list[str]:
    r"""Split a line of a table at what stands between its cells.

    Parameters
    ----------
    line : str
        From anyone. Of one with too many cells, a few more than `MAX_CELLS` are given.
    comma : Comma, default="between"
        What a comma is in this text.
    mark : str, optional
        What stands between cells, if that is known.

    Returns
    -------
    cells : list of str
        Without blanks around them; empty ones at the end go. Quotes hold together
        what they enclose.

    Examples
    --------
    >>> cells_of("the cat, 1, , 2, "), cells_of("1  2 ")
    (['the cat', '1', '', '2'], ['1', '2'])
    >>> cells_of("the\t0,5", "decimal")
    ['the', '0.5']
    """
    mark = mark or next((each for each in _BETWEEN if each in _bare(line)), None)
    if comma == "decimal":
        line = write_points(line)
    if mark is None and "," in _bare(line):
        mark = ","
    cells = [cell.strip() for cell in _split(line, mark)]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def words_of(line: str) -> list[str]:
    """Split a line that holds nothing but numbers, at whatever parts them.

    Examples
    --------
    >>> words_of("1, -0.5；2e-1")
    ['1', '-0.5', '2e-1']
    """
    return [word for word in _PARTED.split(line.strip()) if word]


def _bare(line: str) -> str:
    """Take out what stands in quotes."""
    return _QUOTED.sub("", line)


def _split(line: str, mark: str | None) -> list[str]:
    if '"' in line:
        try:
            quoted = csv.reader(
                [line.strip(" ")], delimiter=mark or " ", skipinitialspace=True
            )
            return next(quoted, [])
        except csv.Error:  # a cell of more than 131 072 characters
            pass
    if mark is None:
        return line.split(maxsplit=MAX_CELLS)
    return line.split(mark, MAX_CELLS)
