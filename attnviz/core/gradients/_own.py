"""Arguments beside a trace, which must be what it was computed from."""

from dataclasses import fields

import numpy as np

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import float_views
from attnviz.core.errors import ShapeError


def refuse_others(operation: str, name: str, given: object, own: object) -> None:
    """Refuse an array or a record of arrays that is not the trace's own.

    Parameters
    ----------
    operation, name : str
        The function and its argument, for the message of an error.
    given : array_like, Record or None
        The argument; None passes.
    own : FloatArray, Record or None
        What the trace holds.

    Raises
    ------
    ShapeError
        If the shapes differ.
    ValueError
        If the numbers differ, or one of the two is missing.
    """
    if given is None or given is own:
        return
    if isinstance(given, Record) and type(given) is type(own):
        for field in fields(given):
            mine, theirs = getattr(given, field.name), getattr(own, field.name)
            if (mine is None) != (theirs is None):
                _refuse(operation, f"{name}.{field.name}", "others")
            refuse_others(operation, f"{name}.{field.name}", mine, theirs)
    elif isinstance(own, np.ndarray):
        (array,) = float_views(operation, **{name: given})  # type: ignore[arg-type]
        if array.shape != own.shape:
            raise ShapeError(
                f"{operation}: `{name}` needs the shape it had in `trace`, "
                f"{own.shape}; got {array.shape}"
            )
        if not np.array_equal(array, own, equal_nan=True):
            differs = ~((array == own) | (np.isnan(array) & np.isnan(own)))
            place = tuple(map(int, np.argwhere(differs)[0]))
            _refuse(
                operation, name, f"{array[place]:.6g} for {own[place]:.6g} at {place}"
            )
    else:
        _refuse(operation, name, "others")


def _refuse(operation: str, name: str, got: str) -> None:
    raise ValueError(
        f"{operation}: `{name}` needs the numbers that `trace` was computed from; "
        f"got {got}"
    )
