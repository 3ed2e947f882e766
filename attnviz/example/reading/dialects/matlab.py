"""Matrices as MATLAB, Octave and Julia show them: factors, parts, slices."""

import re

from attnviz.example.reading.dialects.slices import slice_line

_TITLE = re.compile(r"\s*(?:([A-Za-z]\w*)\s*)?\(:,\s*:,\s*(\d+(?:,\s*\d+)*)\)\s*=\s*")
_JULIA_SLICE = re.compile(r"\s*\[:, :, (\d+(?:, \d+)*)\]\s*=\s*")
_FACTOR = re.compile(r"\s*(\d\.\d*)[eE]([-+]?\d+)\s*\*\s*")
_COLUMNS = re.compile(
    r"\s*Columns? (\d+)(?: (?:through|and|to|thru) \d+)?(?: and \d+)?:?\s*"
)
_KIND = re.compile(
    r"(.{0,60}=)?\s*\d+(?:[×x]\d+)*(?:-element)? .{0,60}"
    r"(?:Matrix|Array|Vector|matrix|array|vector)\b.{0,60}"
)
_NAMED = re.compile(r"\s*[A-Za-z]\w*\s*=\s*")
_NUMBER = re.compile(r"(?<![\w.])([-+]?(?:\d+\.?\d*|\.\d+))(?![\w.])")
_DIAGONAL = "Diagonal Matrix"
_JULIA_ARRAY = re.compile(r"\b(?:Float|Int|UInt)\d+\[")
MARK = re.compile(
    rf"^(?:{_TITLE.pattern}|{_JULIA_SLICE.pattern}|{_FACTOR.pattern}|"
    rf"{_COLUMNS.pattern}|{_KIND.pattern}|\s*{_DIAGONAL}\s*)$|{_JULIA_ARRAY.pattern}",
    re.M,
)
HINTS = ("=", "*", "Column", "Matrix", "Array", "Vector", "array", "[")
ALL = 'Julia: show(stdout, "text/plain", A) · MATLAB: disp(A)'


def strip(text: str) -> str:
    """Multiply by the factor, put parts side by side, and take off all that is said."""
    writer = _Writer()
    for line in _JULIA_ARRAY.sub("[", text).split("\n"):
        writer.take(line)
    return "\n".join([*writer.lines, *writer.rows])


class _Writer:
    """Collects the rows of one table until its last column has come."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.rows: list[str] = []
        self._power = ""
        self._at: int | None = None  # in a table of parts: the row to go on with

    def take(self, line: str) -> None:
        if title := _TITLE.fullmatch(line):
            name = [f"{title[1]} ="] if title[1] else []
            self._begin(*name, slice_line(title[2]))
        elif julia := _JULIA_SLICE.fullmatch(line):
            self._begin(slice_line(julia[1]))
        elif columns := _COLUMNS.fullmatch(line):
            self._take_columns(int(columns[1]))
        elif factor := _FACTOR.fullmatch(line):
            self._power = factor[2]
        elif kind := _KIND.fullmatch(line):
            self._begin(kind[1] or "")
        elif _NAMED.fullmatch(line):
            self._begin(line)
        else:
            self._add(line)

    def _take_columns(self, first: int) -> None:
        """Go on at the first row; a factor stands before the first columns."""
        if first <= 1:
            self.lines += [*self.rows, ""]
            self.rows = []
        self._at = 0

    def _begin(self, *lines: str) -> None:
        """Start another table, whose numbers have no factor yet."""
        self.lines += [*self.rows, *lines]
        self.rows, self._power, self._at = [], "", None

    def _add(self, line: str) -> None:
        if line.strip() == _DIAGONAL:
            return
        if self._power:
            line = _NUMBER.sub(rf"\1e{self._power}", line)
        if self._at is None:
            self.lines.append(line)
        elif line.strip():
            if self._at < len(self.rows):
                self.rows[self._at] += f" {line}"
            else:
                self.rows.append(line)
            self._at += 1
