"""The numbers of a page, named and labelled, ready to be written to a file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.example.screen import Screen
from attnviz.example.settings import Example

_MOST_AXES = 3


@dataclass(frozen=True, slots=True)
class Matrix:
    """One array with the meaning of its axes.

    Attributes
    ----------
    values : ndarray
        Floats, or booleans for a mask.
    axes : tuple of str
        What each axis counts.
    """

    values: npt.NDArray[Any]
    axes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageData:
    """All numbers of a page.

    Attributes
    ----------
    page : str
        Name of the page.
    settings : mapping of str to Any
        All settings the numbers depend on, as plain values.
    labels : mapping of str to tuple of str
        Tokens along an axis, by what the axis counts.
    matrices : mapping of str to Matrix
        Arrays by the name they have on the page, in the order of the computation.
    """

    page: str
    settings: Mapping[str, Any]
    labels: Mapping[str, tuple[str, ...]]
    matrices: Mapping[str, Matrix]


def page_data(page: str, screen: Screen, settings: Mapping[str, Any]) -> PageData:
    """Collect the numbers of a page, of every head.

    Parameters
    ----------
    page : str
        Name of the page.
    settings : mapping of str to Any
        All settings the numbers depend on, as plain values.

    Returns
    -------
    data : PageData
        Matrices in the order of the computation. The mask is told as what each query
        sees, since no file format has a word for −∞; what has more than three axes is
        left out.
    """
    found: dict[str, Matrix] = {}
    for name, matrix in screen.names.items():
        if name not in screen.matrices or not 1 <= len(matrix.axes) <= _MOST_AXES:
            continue
        values = np.asarray(screen.matrices[name])
        if name == "mask":
            found["visible"] = Matrix(values == 0, matrix.axes)
        else:
            found[name] = Matrix(values, matrix.axes)
    return PageData(page, settings, screen.labels, found)


def plain_settings(example: Example) -> dict[str, Any]:
    """Write settings as plain values.

    Returns
    -------
    settings : dict of str to Any
        Without the reader's own matrices, which stand among the others.
    """
    settings = {
        field.name: getattr(example, field.name)
        for field in fields(example)
        if field.name != "own"
    }
    return settings | {"edits": [asdict(edit) for edit in example.edits]}
