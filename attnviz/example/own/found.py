"""What was found in files or in a text: matrices by name, and what goes with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.matrices import MATRICES
from attnviz.example.own.matrix import is_turned, matrix_of
from attnviz.example.reading.names import NAMES, UNNAMED, known_name, written_name
from attnviz.example.reading.reading import read
from attnviz.example.reading.result import Comma, Note, Read, Table

_NONE: Mapping[str, Any] = MappingProxyType({})
_SIDES = ("query", "key")


@dataclass(frozen=True, slots=True)
class Found:
    """Everything in one file or text that can be used, and what cannot.

    Attributes
    ----------
    arrays : mapping of str to FloatArray
        Matrices by one of NAMES, with an axis for each of its own.
    others : tuple of str
        Names of what is there besides.
    labels : mapping of str to tuple of str
        Words at the queries ("query") and at the keys ("key").
    settings : mapping of str to Any
        Settings that an export of this app wrote down; from anyone, not checked.
    left_out : tuple of str
        Text with digits that is part of no matrix, and words at what has none.
    notes : tuple of Note
        How it was understood, where another might have expected otherwise.
    commas : tuple of Comma
        Both readings of its commas, where both are possible; the first was taken.
    """

    arrays: Mapping[str, FloatArray]
    others: tuple[str, ...] = ()
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NONE)
    settings: Mapping[str, Any] = field(default_factory=lambda: _NONE)
    left_out: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    commas: tuple[Comma, ...] = ()


def read_own(
    content: bytes | str, *, name: str = "", comma: Comma | None = None
) -> Found:
    r"""Read matrices of one's own; the content itself tells its form.

    Parameters
    ----------
    content : bytes or str
        NPY, NPZ, JSON, CSV, or whatever a program prints, up to 8 MB; from anyone.
    name : str, optional
        What a single matrix without a name is, such as the stem of a file "w_q.csv".
        It counts as attention weights if this is no name of a matrix.
    comma : Comma, optional
        What commas are; found out if it is not said.

    Returns
    -------
    found : Found
        Matrices in float64 with an axis for heads, and what goes with them.

    Raises
    ------
    SettingError
        If the content cannot be read, or a matrix in it cannot be shown: "own_…",
        with what is wrong and where. Nothing else is ever raised.

    Examples
    --------
    >>> found = read_own("Q\n1 0\n0 1\n\nK\n1 2\n3 4")
    >>> {name: matrix.shape for name, matrix in found.arrays.items()}
    {'q': (1, 2, 2), 'k': (1, 2, 2)}
    """
    whole = read(content, comma=comma)
    try:
        return _find(whole, name)
    except SettingError:
        raise
    except Exception as error:  # whatever comes next, a reader is told of it
        raise SettingError("own_unreadable", kind=type(error).__name__) from error


def _find(whole: Read, file: str) -> Found:
    """Name the tables, and take those with a name of one's own."""
    arrays: dict[str, FloatArray] = {}
    others: list[str] = []
    labels: dict[str, tuple[str, ...]] = {}
    left_out = list(whole.left_out)
    notes = list(whole.notes)
    is_single = len(whole.tables) == 1
    for table in whole.tables:
        name = known_name(table.title)
        # "y" may be whatever somebody computed.
        if not table.title or (is_single and name in (None, "norm_output")):
            of_file = known_name(file)
            name = of_file if of_file in NAMES else UNNAMED
            if table.title:
                notes.append(
                    Note("named", {"title": table.title, "matrix": written_name(name)})
                )
        if name not in NAMES:
            others.append(table.title)
            continue
        keep(arrays, name, matrix_of(name, table))
        if is_turned(name, table):
            notes.append(Note("turned", {"matrix": written_name(name)}))
        _take_labels(name, table, labels, left_out)
    return Found(
        arrays,
        tuple(dict.fromkeys(others)),
        {**labels, **whole.labels},
        whole.settings,
        tuple(left_out),
        tuple(notes),
        whole.commas,
    )


def _take_labels(
    name: str,
    table: Table,
    labels: dict[str, tuple[str, ...]],
    left_out: list[str],
) -> None:
    """Take words at queries and keys; those at features are left out."""
    sides = MATRICES[name].sides
    for side, words in zip(sides, (table.rows, table.columns), strict=True):
        if words and side in _SIDES:
            labels.setdefault(side, words)
        elif words:
            left_out.append(" ".join(words))


def read_all(contents: Sequence[tuple[bytes | str, str]]) -> tuple[Found, ...]:
    """Read what belongs together, in each way in which its commas can be read.

    Parameters
    ----------
    contents : sequence of (bytes or str, str)
        What is in each file or text, and its name.

    Returns
    -------
    readings : tuple of Found
        One; or two, the likelier first.

    Raises
    ------
    SettingError
        As `read_own` and `join_found`.
    """
    first = join_found(read_own(content, name=name) for content, name in contents)
    others = [
        join_found(
            read_own(content, name=name, comma=comma) for content, name in contents
        )
        for comma in first.commas[1:]
    ]
    return (first, *others)


def join_found(parts: Iterable[Found]) -> Found:
    """Put together what several files hold.

    Parameters
    ----------
    parts : iterable of Found
        One a file.

    Returns
    -------
    found : Found
        All of it.

    Raises
    ------
    SettingError
        If two files hold the same matrix.
    """
    arrays: dict[str, FloatArray] = {}
    others: list[str] = []
    labels: dict[str, tuple[str, ...]] = {}
    settings: dict[str, Any] = {}
    left_out: list[str] = []
    notes: list[Note] = []
    commas: tuple[Comma, ...] = ()
    for part in parts:
        for name, matrix in part.arrays.items():
            keep(arrays, name, matrix)
        others += part.others
        labels |= part.labels
        settings |= part.settings
        left_out += part.left_out
        notes += [note for note in part.notes if note not in notes]
        commas = commas or part.commas
    return Found(
        arrays,
        tuple(dict.fromkeys(others)),
        labels,
        settings,
        tuple(left_out),
        tuple(notes),
        commas,
    )


def keep(arrays: dict[str, FloatArray], name: str, matrix: FloatArray) -> None:
    """Take in a matrix that is not there yet.

    Raises
    ------
    SettingError
        If there is one of that name already.
    """
    if name in arrays:
        raise SettingError("own_twice", matrix=written_name(name))
    arrays[name] = matrix
