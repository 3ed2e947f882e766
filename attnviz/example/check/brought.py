"""What somebody brings to be checked: results, perhaps their inputs, and the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.check.kinds import Kind
from attnviz.example.own import Found, OwnData, choose_own
from attnviz.example.own.matrix import matrix_of
from attnviz.example.own.shapes import as_shape
from attnviz.example.reading.names import NAMES, known_name, written_name
from attnviz.example.reading.reading import read
from attnviz.example.reading.result import Comma, Note, Read, Table

_NONE: Mapping[str, FloatArray] = MappingProxyType({})
_INPUTS = tuple(name for name in NAMES if name != "weights")
_LONGEST = 120
_RESULTS: Mapping[str, Kind] = MappingProxyType(
    {
        "weights": "weights",
        "context": "context",
        "output": "output",
        "positions": "positions",
        "q_turned": "q_turned",
        "k_turned": "k_turned",
        "norm_output": "norm_output",
        "norm_normalized": "norm_output",
        "d_q": "grad_q",
        "d_k": "grad_k",
        "d_v": "grad_v",
        "d_scores": "grad_scores",
        "d_weights": "grad_weights",
    }
)
# What gradients start from, and names under which a single number is a size.
_UPSTREAM, _SIZES = "d_context", ("d_k", "d_v")


@dataclass(frozen=True, slots=True, eq=False)
class Brought:
    """Everything in one file or text that can be checked, and what cannot.

    Attributes
    ----------
    results : mapping of str to FloatArray
        Results by their kind, as they are written.
    unnamed : tuple of FloatArray
        Results whose kind nobody has said.
    own : OwnData or None
        The inputs, if a complete set of them came along.
    rows : FloatArray of shape (T, d), or None
        Rows to be normalized, if they came along by themselves.
    d_context : FloatArray, or None
        What gradients start from, dC, if it came along.
    left_out : tuple of str
        What is there besides.
    notes : tuple of Note
        How it was understood, where another might have expected otherwise.
    commas : tuple of Comma
        Both readings of its commas, where both are possible; the first was taken.
    """

    results: Mapping[str, FloatArray] = field(default_factory=lambda: _NONE)
    unnamed: tuple[FloatArray, ...] = ()
    own: OwnData | None = None
    rows: FloatArray | None = None
    d_context: FloatArray | None = None
    left_out: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    commas: tuple[Comma, ...] = ()


def read_brought(
    contents: Sequence[tuple[bytes | str, str]], *, comma: Comma | None = None
) -> Brought:
    """Read files, or one text.

    Parameters
    ----------
    contents : sequence of (bytes or str, str)
        What is in each, and its name.
    comma : Comma, optional
        What commas are; found out if it is not said.

    Returns
    -------
    brought : Brought
        Never without a result.

    Raises
    ------
    SettingError
        If something cannot be read, or there is no result in it.
    """
    found = _Sorted()
    for content, name in contents:
        found.take(read(content, comma=comma), name)
    return found.whole()


@dataclass(slots=True)
class _Sorted:
    """What has been sorted so far."""

    results: dict[str, FloatArray] = field(default_factory=dict)
    unnamed: list[FloatArray] = field(default_factory=list)
    inputs: dict[str, FloatArray] = field(default_factory=dict)
    upstream: dict[str, FloatArray] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    commas: tuple[Comma, ...] = ()

    def take(self, whole: Read, file: str) -> None:
        """Sort what one file or text holds."""
        self.left_out += whole.left_out
        self.notes += [note for note in whole.notes if note not in self.notes]
        self.commas = self.commas or whole.commas
        for table in whole.tables:
            title = table.title or (file if len(whole.tables) == 1 else "")
            self._take_table(table, title)

    def _take_table(self, table: Table, title: str) -> None:
        name = known_name(title)
        if name is None:
            self.unnamed.append(_numbers(table, title))
        elif name in _INPUTS:
            self._keep(self.inputs, name, matrix_of(name, table), title)
        elif name == _UPSTREAM:
            self._keep(self.upstream, name, _numbers(table, title), title)
        elif name in _SIZES and _numbers(table, title).size == 1:
            self.left_out.append(title)
        elif name in _RESULTS:
            self._keep(self.results, _RESULTS[name], _numbers(table, title), title)
        else:
            self.left_out.append(title)

    def _keep(
        self, kept: dict[str, FloatArray], name: str, matrix: FloatArray, title: str
    ) -> None:
        """Take the first of each name; the others are named."""
        if name in kept:
            self.left_out.append(title)
        else:
            kept[name] = matrix

    def _missing(self) -> SettingError:
        """Say what is there instead of a result."""
        if self.inputs:
            names = ", ".join(map(written_name, self.inputs))
            return SettingError("check_inputs_alone", names=names)
        if self.left_out or self.upstream:
            start = ["dC"] if self.upstream else []
            found = ", ".join([*start, *self.left_out])
            shown = found if len(found) <= _LONGEST else f"{found[:_LONGEST]}…"
            return SettingError("check_no_result", names=shown)
        return SettingError("check_nothing")

    def whole(self) -> Brought:
        """Give all of it; inputs that are not complete are left out."""
        if not self.results and not self.unnamed:
            raise self._missing()
        own, rows = None, None
        if set(self.inputs) == {"x"}:
            rows = self.inputs["x"]
        elif self.inputs:
            try:
                own = choose_own(Found(self.inputs))
            except SettingError:
                names = ", ".join(map(written_name, self.inputs))
                self.notes.append(Note("incomplete", {"names": names}))
        return Brought(
            self.results,
            tuple(self.unnamed),
            own,
            rows,
            self.upstream.get(_UPSTREAM),
            tuple(self.left_out),
            tuple(self.notes),
            self.commas,
        )


def _numbers(table: Table, title: str) -> FloatArray:
    """Take the numbers of a result, be they finite or not."""
    numbers = table.source.numbers(title or "?")
    if numbers.size == 0:
        raise SettingError("check_empty", got=as_shape(numbers.shape))
    return np.asarray(numbers, dtype=np.float64)
