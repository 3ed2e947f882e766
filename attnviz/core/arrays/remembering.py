"""Results that are kept as long as there is room for their bytes."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

import numpy as np

# Bytes that an array or a record takes besides the numbers in it.
OVERHEAD = 200
P = ParamSpec("P")
R = TypeVar("R")


def remember(size: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function keep its latest results, as many as fit.

    Parameters
    ----------
    size : int
        Bytes that all results kept may take, by `bytes_of`; the last one stays in any
        case.

    Returns
    -------
    decorator : callable
        For functions of hashable arguments whose results nobody changes.

    Examples
    --------
    >>> square = remember(1000)(lambda n: np.arange(n) ** 2)
    >>> square(3) is square(3)
    True
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        kept: OrderedDict[Hashable, tuple[R, int]] = OrderedDict()
        held = 0
        lock = Lock()

        @wraps(function)
        def remembered(*args: P.args, **kwargs: P.kwargs) -> R:
            nonlocal held
            names = sorted(kwargs)
            given = *args, *(kwargs[name] for name in names)
            # What is refused as 1.0 or True is not let in as 1.
            key = given, tuple(names), tuple(map(type, given))
            with lock:
                if key in kept:
                    kept.move_to_end(key)
                    return kept[key][0]
            result = function(*args, **kwargs)
            own = bytes_of(result)
            with lock:
                if key not in kept:
                    kept[key] = result, own
                    held += own
                while held > size and len(kept) > 1:
                    held -= kept.popitem(last=False)[1][1]
            return result

        return remembered

    return decorate


def bytes_of(value: object) -> int:
    """Count the bytes of records, tuples and mappings of arrays, each array once."""
    found: dict[int, int] = {}
    _collect(value, found)
    return sum(found.values())


def _collect(value: object, found: dict[int, int]) -> None:
    if isinstance(value, np.ndarray):
        found[id(value)] = OVERHEAD + value.nbytes
    elif isinstance(value, Mapping):
        for item in value.values():
            _collect(item, found)
    elif isinstance(value, tuple | list):
        for item in value:
            _collect(item, found)
    elif is_dataclass(value):
        found[id(value)] = OVERHEAD
        for field in fields(value):
            _collect(getattr(value, field.name), found)
