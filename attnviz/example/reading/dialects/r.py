"""Matrices as R prints them: labels [1,] and [,1], columns that go on further down."""

import re

from attnviz.example.reading.dialects.slices import slice_line

_COLUMNS = re.compile(r"\s*((?:\[,\d+\]\s*)+)")
_ROW = re.compile(r"\s*\[(\d+),\]\s*(.*)")
_VECTOR = re.compile(r"\s*\[(\d+)\](?!\s*[:=])\s+(.*)")
_SLICE = re.compile(r"\s*, , (\d+(?:, \d+)*)\s*")
_FEWER = re.compile(r"\s*\[ reached .*\]\s*")
ALL = "options(max.print = 1e6)"
MARK = re.compile(
    r"^[ \t]*(?:\[,\d+\]|\[\d+,\]|, , \d|\[1\][ \t]+\S|\[ reached )", re.M
)


def strip(text: str) -> str:
    """Take off the labels, and put what was printed in parts side by side."""
    writer = _Writer()
    for line in text.split("\n"):
        writer.take(line)
    writer.finish()
    return "\n".join(writer.lines)


class _Writer:
    """Collects the rows of one table until it is whole."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._words = ""  # over the columns, if they have names
        self._rows: list[str] = []
        self._at = 0  # the row to go on with
        self._is_table = False

    def take(self, line: str) -> None:
        columns, row = _COLUMNS.fullmatch(line), _ROW.fullmatch(line)
        vector, slice_ = _VECTOR.fullmatch(line), _SLICE.fullmatch(line)
        if columns is not None:
            self._begin(is_more=not columns[1].startswith("[,1]"))
        elif row is not None:
            self._add(row[2])
        elif vector is not None:
            self._take_vector(int(vector[1]), vector[2])
        elif slice_ is not None:
            self.finish()
            self.lines.append(slice_line(slice_[1]))
        elif _FEWER.fullmatch(line):
            self.finish()
            self.lines.append("...")
        elif self._is_table and self._rows and self._words and line.strip():
            self._words += f" {line.strip()}"
            self._at = 0
        elif self._is_table and len(line.split()) > 1:
            label, *cells = line.split()
            self._add(" ".join(cells), f"{label} ")
        else:
            self._pass(line)

    def finish(self) -> None:
        """Write down the table there is."""
        self.lines += [self._words] if self._words else []
        self.lines += self._rows
        self._words, self._rows, self._at, self._is_table = "", [], 0, False

    def _pass(self, line: str) -> None:
        """Write down a line of no table; it may be the words over one."""
        self.finish()
        if len(line.split()) > 1:
            self._words = line.strip()
        else:
            self.lines.append(line)

    def _begin(self, *, is_more: bool) -> None:
        if not is_more:
            self.finish()
        self._is_table, self._at = True, 0

    def _add(self, cells: str, label: str = "") -> None:
        self._is_table = True
        if self._at < len(self._rows):
            self._rows[self._at] += f" {cells}"
        else:
            self._rows.append(f"{label}{cells}")
        self._at += 1

    def _take_vector(self, first: int, cells: str) -> None:
        if first > 1 and self._rows:
            self._rows[-1] += f" {cells}"
        else:
            self.finish()
            self._rows = [cells]
