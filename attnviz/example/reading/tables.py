"""Tables in lines of cells, each under the last title before it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from attnviz.core.errors import SettingError
from attnviz.example.reading.cells import cells_of
from attnviz.example.reading.dialects import SLICE
from attnviz.example.reading.headers import Row, is_head, take_edges
from attnviz.example.reading.numbers import MAX_CELLS, MAX_LINE, as_number
from attnviz.example.reading.result import Comma
from attnviz.example.reading.titles import COMMENT, DOTS, is_tuple, title_of

# More than an export of the largest example has: beyond, nothing is even looked at.
MAX_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Lines:
    """One table in lines.

    Attributes
    ----------
    title : str
        As it was written; empty if there was none.
    rows : list of list of str
        Its cells.
    place : tuple of int
        Where it stands in a table of more axes, if it is a slice.
    naming : int
        Which line gave it its title; tables under one title are slices.
    """

    title: str
    rows: list[Row]
    place: tuple[int, ...] = ()
    naming: int = 0


@dataclass(slots=True)
class TableReader:
    """Cuts lines into tables.

    Attributes
    ----------
    comma : Comma
        What commas are in this text.
    mark : str or None
        What stands between cells, if that is known.
    left_out : list of str
        Lines with digits that are part of no table.
    """

    comma: Comma
    mark: str | None = None
    left_out: list[str] = field(default_factory=list)
    _title: str = ""
    _naming: int = 0
    _is_used: bool = True
    _place: tuple[int, ...] = ()
    _rows: list[Row] = field(default_factory=list)

    def read(self, lines: Iterable[str]) -> Iterator[Lines]:
        """Give tables in the order in which they stand in lines.

        Raises
        ------
        SettingError
            If there are too many lines, or cells or characters in one.
        """
        self._title, self._naming, self._is_used, self._place = "", 0, True, ()
        for count, line in enumerate([*lines, ""], start=1):
            if count > MAX_LINES:
                raise SettingError("own_lines", got=count, most=MAX_LINES)
            if len(line) > MAX_LINE:
                raise SettingError("own_long", row=count, got=len(line), most=MAX_LINE)
            yield from self._take(count, line)
        self._leave_title()

    def leave(self, text: str) -> None:
        """Remember a text that is part of no table, if there are digits in it."""
        if any(map(str.isdigit, text)):
            self.left_out.append(text.strip())

    def _take(self, count: int, line: str) -> Iterator[Lines]:
        """Take a line; give the table that ends with it."""
        if is_tuple(line):
            self.leave(line)
            line = ""
        cells = cells_of(COMMENT.sub("", line), self.comma, self.mark)
        if len(cells) > MAX_CELLS:
            raise SettingError("own_columns", row=count, most=MAX_CELLS)
        is_slice = line.startswith(SLICE)
        named = None if is_slice else title_of(line, cells, is_inside=bool(self._rows))
        if self._rows and (not cells or is_slice or named is not None):
            for part in self._parts(self._rows):
                yield Lines(self._title, part, self._place, self._naming)
            self._rows, self._is_used = [], True
        if is_slice:
            self._place = tuple(map(int, line[1:].split()))
        elif named is not None:
            self._name(*named, cells)
            self._naming = count
        elif cells:
            self._rows.append(cells)

    def _name(self, title: str, rest: str, cells: Row) -> None:
        """Take a title, and the first row if it stands on its line."""
        self._leave_title()
        self._title, self._place, self._is_used = title, (), False
        first = cells_of(rest, self.comma)
        if any(map(_is_number, first)):
            self._rows = [first]
        elif self.mark is None:
            self.leave(rest or " ".join(filter(str.isdecimal, cells[1:])))

    def _leave_title(self) -> None:
        if not self._is_used:
            self.leave(self._title)

    def _parts(self, rows: list[Row]) -> list[list[Row]]:
        """Put parts of a table side by side that have the same words at their rows."""
        if all(map(_is_prose, rows)):
            for row in rows:
                self.leave(" ".join(row))
            return []
        parts = _cut(rows)
        bodies = [take_edges(part) for part in parts]
        labels = {body.rows for body in bodies}
        if len(parts) == 1 or len(labels) > 1 or labels == {()}:
            return parts
        head = ["", *(word for body in bodies for word in body.columns)]
        joined = zip(*(body.cells for body in bodies), strict=True)
        whole = [
            [label, *(cell for part in row for cell in part)]
            for label, row in zip(bodies[0].rows, joined, strict=True)
        ]
        return [[head, *whole]]


def _is_prose(row: Row) -> bool:
    """Recognize a line of words, some of which may be numbers."""
    numbers = sum(map(_is_number, row))
    if set(row) & DOTS:
        return False
    return not numbers or (len(row) > 2 and 2 * numbers <= len(row))


def _cut(rows: list[Row]) -> list[list[Row]]:
    """Cut rows where words stand over columns again."""
    parts: list[list[Row]] = [[]]
    for row in rows:
        has_numbers = parts[-1] and not is_head(parts[-1][-1])
        if is_head(row) and has_numbers and not set(row) & DOTS:
            parts.append([])
        parts[-1].append(row)
    if len(parts) > 1 and all(map(is_head, parts[-1])):
        parts[-2:] = [parts[-2] + parts[-1]]
    return parts


def _is_number(cell: str) -> bool:
    return as_number(cell) is not None
