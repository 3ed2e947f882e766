"""What was found in files or in a text: matrices by name, and what goes with them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.reading.names import written_name

LABELLED = ("query", "key")
_LONGEST_LABEL = 40


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
    """

    arrays: Mapping[str, FloatArray]
    others: tuple[str, ...] = ()
    labels: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


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
    for part in parts:
        for name, matrix in part.arrays.items():
            keep(arrays, name, matrix)
        others += part.others
        labels |= part.labels
        settings |= part.settings
    return Found(arrays, tuple(dict.fromkeys(others)), labels, settings)


def keep(arrays: dict[str, FloatArray], name: str, matrix: FloatArray) -> None:
    """Take in a matrix that is not there yet.

    Parameters
    ----------
    arrays : dict of str to FloatArray
        What is there.
    name : str
        One of NAMES.
    matrix : FloatArray
        The matrix.

    Raises
    ------
    SettingError
        If there is one of that name already.
    """
    if name in arrays:
        raise SettingError("own_twice", matrix=written_name(name))
    arrays[name] = matrix


def read_labels(sent: object) -> dict[str, tuple[str, ...]]:
    """Take the words at queries and keys, if that is what they are.

    Parameters
    ----------
    sent : object
        From anyone.

    Returns
    -------
    labels : dict of str to tuple of str
        What can be shown; labels are no reason to refuse numbers.
    """
    if not isinstance(sent, dict):
        return {}
    return {
        axis: tuple(sent[axis])
        for axis in LABELLED
        if isinstance(sent.get(axis), list) and all(map(_is_label, sent[axis]))
    }


def _is_label(word: object) -> bool:
    return isinstance(word, str) and 0 < len(word) <= _LONGEST_LABEL
