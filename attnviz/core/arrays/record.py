"""Records of arrays that introduce themselves in a line."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """A frozen dataclass whose repr tells shapes and types, and not every number.

    Its subclasses are made by ``@dataclass(frozen=True, slots=True, repr=False)``.

    Examples
    --------
    >>> from attnviz.core import NormParameters
    >>> NormParameters(gamma=np.ones(4))
    NormParameters(gamma=(4,), beta=None; float64)
    """

    def __repr__(self) -> str:
        """Name the fields with the shapes of arrays, and the floating types in use."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        shown = ", ".join(f"{name}={_show(value)}" for name, value in values.items())
        types = {
            str(value.dtype)
            for value in values.values()
            if isinstance(value, np.ndarray) and value.dtype.kind == "f"
        }
        ending = f"; {' and '.join(sorted(types))}" if types else ""
        return f"{type(self).__name__}({shown}{ending})"


def _show(value: object) -> str:
    """Write a field in a few characters."""
    if isinstance(value, np.ndarray):
        return str(value.shape)
    if isinstance(value, Record):
        return f"{type(value).__name__}(…)"
    if isinstance(value, Mapping):
        return f"{{{', '.join(map(str, value))}}}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return repr(value)
