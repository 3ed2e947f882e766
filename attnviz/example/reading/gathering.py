"""What the parts of a text come to: tables under their titles, slice by slice."""

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from attnviz.core.errors import SettingError
from attnviz.example.reading.cells import cells_of
from attnviz.example.reading.headers import take_edges
from attnviz.example.reading.labels import clean_labels
from attnviz.example.reading.lists import read_list, read_words
from attnviz.example.reading.names import LONGEST_NAME, TOKENS, is_neutral, known_name
from attnviz.example.reading.nested import Nested
from attnviz.example.reading.numbers import as_number
from attnviz.example.reading.result import Table
from attnviz.example.reading.tables import Lines, TableReader
from attnviz.example.reading.titles import DOTS, is_tuple, title_of

_NUMBERED = re.compile(r"(.*?)[\s_#]*(\d+)")
_TAIL = " \t,([{'\"=:"


class Part(NamedTuple):
    """A piece of a text: lines, one list in brackets, or a list of words."""

    kind: str
    text: str


@dataclass(slots=True)
class _Slice:
    """One table on its way, and what it is a slice of."""

    title: str
    nested: list[Any]
    place: tuple[int, ...] = ()
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    naming: tuple[int, int] = (0, 0)  # which mention of its title it stands under


@dataclass(slots=True)
class Gathered:
    """What has been read of a text so far.

    Attributes
    ----------
    reader : TableReader
        Cuts lines into tables, and remembers what it leaves.
    prints_all : str
        The line after which the program of the text leaves no number out.
    n_parts : int
        The part that is read.
    slices : list of _Slice
        Tables on their way.
    tokens : tuple of str
        Words that were listed by themselves.
    """

    reader: TableReader
    prints_all: str
    n_parts: int = 0
    slices: list[_Slice] = field(default_factory=list)
    tokens: tuple[str, ...] = ()

    def take(self, parts: list[Part]) -> None:
        """Read part after part."""
        title = ""
        is_next_row = False
        for at, part in enumerate(parts):
            self.n_parts = at
            if part.kind == "lines":
                lines = part.text.split("\n")
                if at + 1 < len(parts):
                    lines, title = _take_title(lines)
                is_next_row = (
                    is_next_row and not title and not "".join(lines).strip(" ,)")
                )
                for table in self.reader.read(lines):
                    self._take_lines(table)
            elif part.kind == "words":
                self._take_words(title, read_words(part.text))
                is_next_row = False
            else:
                is_next_row = self._take_list(title, read_list(part.text), is_next_row)

    def tables(self) -> tuple[Table, ...]:
        """Put slices together that have one title."""
        found: dict[str, list[_Slice]] = {}
        firsts: dict[tuple[str, tuple[int, ...]], _Slice] = {}
        for one in self.slices:
            stem = _stem(one.title)
            first = firsts.setdefault((one.title, one.place), one)
            if not stem or not _is_repeated(one, first):
                found.setdefault(stem, []).append(one)
        return tuple(
            Table(
                title,
                Nested(_stacked(slices)),
                self._words([one.rows for one in slices]),
                self._words([one.columns for one in slices]),
            )
            for title, slices in found.items()
        )

    def _words(self, edges: list[tuple[str, ...]]) -> tuple[str, ...]:
        """Take the words that slices share; where they differ, the first are shown."""
        different = [words for words in dict.fromkeys(edges) if words]
        self.reader.left_out += [" ".join(words) for words in different[1:]]
        return clean_labels(different[0]) if different else ()

    def _take_lines(self, table: Lines) -> None:
        body = take_edges(table.rows)
        self._refuse_dots(body.cells)
        self.reader.left_out += body.left_out
        self.slices.append(
            _Slice(
                table.title,
                body.cells,
                table.place,
                body.rows,
                body.columns,
                (self.n_parts, table.naming),
            )
        )

    def _take_list(self, title: str, nested: list[Any], is_next_row: bool) -> bool:
        """Take a list; tell whether a flat one behind it would be its next row."""
        if not nested:
            return False
        self._refuse_dots(nested)
        is_row = not any(isinstance(one, list) for one in nested)
        if is_row and is_next_row:
            last = self.slices[-1]
            if not isinstance(last.nested[0], list):
                last.nested = [last.nested]
            last.nested.append(nested)
        else:
            naming = (self.n_parts, 0)
            self.slices.append(_Slice(title, nested, naming=naming))
        return is_row

    def _take_words(self, title: str, words: list[str]) -> None:
        if not self.tokens or known_name(title, TOKENS) is not None:
            words, self.tokens = list(self.tokens), clean_labels(words)
        self.reader.left_out += [" ".join(words)] if words else []

    def _refuse_dots(self, nested: list[Any]) -> None:
        for one in nested:
            if isinstance(one, list):
                self._refuse_dots(one)
            elif one in DOTS:
                raise SettingError("own_truncated", line=self.prints_all)


def _take_title(lines: list[str]) -> tuple[list[str], str]:
    """Take the title of a list off the lines before it."""
    while lines and not lines[-1].strip(_TAIL):
        lines = lines[:-1]
    if not lines:
        return [], ""
    bare = lines[-1].strip(_TAIL)
    cells = bare.split()
    is_row = any(as_number(cell) is not None for cell in cells_of(bare))
    if is_row or is_tuple(lines[-1]):
        return lines, ""
    last = cells[-1] if cells else ""
    named = title_of(f"{bare} =", cells, is_inside=False)
    title = "" if named is None else named[0]
    if known_name(title) is None and known_name(last) is not None:
        return [*lines[:-1], bare.removesuffix(last)], last
    return (lines[:-1], title) if title else (lines, "")


def _is_repeated(one: _Slice, first: _Slice) -> bool:
    """Tell whether a table is there already, as code and what it prints are.

    Raises
    ------
    SettingError
        If the first of that very name has other numbers.
    """
    if first.naming == one.naming:
        return False
    if first.nested != one.nested:
        raise SettingError("own_twice", matrix=one.title)
    return True


def _stem(title: str) -> str:
    """Give what a slice is a slice of; a number of a head or layer names nothing."""
    numbered = _NUMBERED.fullmatch(title) if len(title) <= LONGEST_NAME else None
    if numbered is not None and known_name(title) is None:
        is_one_of_many = is_neutral(numbered[1]) or known_name(numbered[1]) is not None
        title = numbered[1] if is_one_of_many else title
    return "" if is_neutral(title) else title.strip()


def _stacked(slices: list[_Slice]) -> list[Any]:
    if len(slices) == 1 and len(slices[0].place) < 2:
        return slices[0].nested
    if len({one.place for one in slices}) < len(slices) or not slices[0].place[1:]:
        return [one.nested for one in slices]
    nested: list[Any] = _by_place(sorted((one.place, one.nested) for one in slices))
    return nested


def _by_place(placed: list[tuple[tuple[int, ...], Any]]) -> Any:  # noqa: ANN401
    """Nest slices by their places, the first number outermost."""
    if not placed[0][0]:
        return placed[0][1]
    firsts = dict.fromkeys(place[0] for place, _ in placed)
    return [
        _by_place([(place[1:], one) for place, one in placed if place[0] == first])
        for first in firsts
    ]
