"""Single numbers that a person changed by hand."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType

from attnviz.core.arrays.shapes import Array, read_only
from attnviz.core.errors import SettingError
from attnviz.example.matrices import EDITABLE
from attnviz.example.setting import Form, shortest

MAX_EDITS = 512
MAX_VALUE = 1e6
# The longest axis there can be: 8 joined heads of 64 features.
_LONGEST = 512
# Names of matrices in an address: "wq.1.3.4:1.5;m.3.5:0".
_SHORT = MappingProxyType(
    {name: "m" if name == "mask" else name.replace("_", "") for name in EDITABLE}
)
_NAMES = MappingProxyType({short: name for name, short in _SHORT.items()})


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """One cell of one matrix, and the number a person put there.

    Attributes
    ----------
    name : str
        One of EDITABLE. In "mask", 1 makes a key visible and 0 hides it.
    index : tuple of int
        Place in the matrix, counted from 0: (head, i, j) or (i, j), as EDITABLE says.
    value : float
        The number.
    """

    name: str
    index: tuple[int, ...]
    value: float

    def __post_init__(self) -> None:
        """Refuse what no matrix could hold.

        Raises
        ------
        SettingError
            If the matrix is unknown, the place cannot be, or the number is not finite
            or too large.
        """
        if self.name not in EDITABLE:
            raise SettingError("unknown_choice", name="edits")
        if len(self.index) != len(EDITABLE[self.name]) or not all(
            _is_place(place) for place in self.index
        ):
            raise SettingError("edit_place", name="edits")
        if not _is_number(self.value):
            raise SettingError("edit_value", name="edits", most=f"{MAX_VALUE:.0f}")
        if self.name == "mask" and self.value not in (0, 1):
            raise SettingError("edit_mask", name="edits")
        object.__setattr__(self, "value", float(self.value))

    @property
    def place(self) -> tuple[str, tuple[int, ...]]:
        """The matrix, and where in it the cell stands."""
        return self.name, self.index


def settle_edits(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Keep the last edit of each cell, in an order of their own.

    Parameters
    ----------
    edits : iterable of Edit
        In the order in which they were made.

    Returns
    -------
    settled : tuple of Edit
        Equal for all ways to the same numbers.

    Raises
    ------
    SettingError
        If there are more than 512 of them.

    Examples
    --------
    >>> first, second = Edit("x", (0, 0), 1.0), Edit("x", (0, 0), 2.0)
    >>> settle_edits([first, second]) == (second,)
    True
    """
    last = {edit.place: edit for edit in edits}
    if len(last) > MAX_EDITS:
        raise SettingError("many_edits", got=len(last), most=MAX_EDITS)
    return tuple(sorted(last.values()))


def apply_edits(edits: Iterable[Edit], name: str, matrix: Array) -> Array:
    """Put edited numbers into a matrix.

    Parameters
    ----------
    edits : iterable of Edit
        Edits of any matrices.
    name : str
        Which matrix this is.
    matrix : ndarray
        Its numbers; for "mask", True where a key is visible.

    Returns
    -------
    edited : ndarray
        The very same array if no edit concerns it, else a changed copy that is
        read-only. An edit outside the matrix has no effect.
    """
    inside = [
        edit
        for edit in edits
        if edit.name == name
        and all(
            place < size for place, size in zip(edit.index, matrix.shape, strict=True)
        )
    ]
    if not inside:
        return matrix
    edited = matrix.copy()
    for edit in inside:
        edited[edit.index] = edit.value
    return read_only(edited)


def _is_place(value: object) -> bool:
    """Tell whole numbers that can count a row or a column from all else."""
    return type(value) is int and 0 <= value < _LONGEST


def _is_number(value: object) -> bool:
    """Tell finite numbers of a size that can be shown from all else."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and abs(value) <= MAX_VALUE
    )


def write_edits(edits: Iterable[Edit]) -> str:
    """Write edits as they stand in an address, with places counted from 1."""
    return ";".join(
        ".".join([_SHORT[edit.name], *(str(place + 1) for place in edit.index)])
        + f":{shortest(edit.value)}"
        for edit in edits
    )


def read_edits(text: str, *, first: int = 1) -> tuple[Edit, ...]:
    """Read edits of an address.

    Parameters
    ----------
    text : str
        From anyone.
    first : int, default=1
        The number of the first row.

    Returns
    -------
    edits : tuple of Edit
        In the order of the text.

    Raises
    ------
    SettingError
        If no matrix could hold one of them.
    ValueError
        If something is no number.

    Examples
    --------
    >>> read_edits(write_edits([Edit("x", (0, 2), 1.5)]))
    (Edit(name='x', index=(0, 2), value=1.5),)
    """
    edits = []
    for part in text.split(";"):
        place, _, number = part.partition(":")
        name, *index = place.split(".")
        at = tuple(int(each) - first for each in index)
        edits.append(Edit(_NAMES.get(name, name), at, float(number)))
    return tuple(edits)


EDITS = Form(write_edits, read_edits)
