"""Check arrays against symbolic shapes, and say what went wrong."""

import math
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from attnviz.core.errors import MaskError, ShapeError

FloatArray = npt.NDArray[np.floating[Any]]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.integer[Any]]
Array = TypeVar("Array", bound=npt.NDArray[Any])


_LARGEST = int(np.finfo(np.float64).max)
# No axis is longer than this, and no position farther away.
_MOST = 2**31

# Numbers that leave the range of their type become ±∞, and ∞ − ∞ becomes NaN: a result
# that says so needs no warning besides.
quiet = np.errstate(over="ignore", invalid="ignore")


def expect(operation: str, name: str, value: object, kind: type) -> None:
    """Refuse an argument that is no record of the kind wanted.

    Examples
    --------
    >>> expect("demo", "x", {}, str)
    Traceback (most recent call last):
        ...
    TypeError: demo: `x` needs str; got dict
    """
    if not isinstance(value, kind):
        raise TypeError(
            f"{operation}: `{name}` needs {kind.__name__}; got {type(value).__name__}"
        )


def as_floats(operation: str, **arrays: npt.ArrayLike) -> tuple[FloatArray, ...]:
    """Copy arguments into floating-point arrays of one common type.

    Integers become float64; the smallest floating type that holds all arguments is
    kept, so float32 stays float32. A trace can keep the copies: what the caller does
    to the originals later does not reach it. Ragged lists and what holds no real
    numbers raise a ShapeError.

    Examples
    --------
    >>> as_floats("demo", q=[1, 2])[0].dtype
    dtype('float64')
    """
    return tuple(array.copy() for array in float_views(operation, **arrays))


def float_views(operation: str, **arrays: npt.ArrayLike) -> tuple[FloatArray, ...]:
    """See arguments as `as_floats` copies them: for functions that keep nothing."""
    found: list[npt.NDArray[Any]] = []
    for name, value in arrays.items():
        array = _as_array(ShapeError, operation, name, value)
        if array.dtype.kind not in "iuf":
            raise ShapeError(
                f"{operation}: `{name}` needs real numbers; got dtype {array.dtype}"
            )
        found.append(array if array.dtype.kind == "f" else array.astype(np.float64))
    common = np.result_type(*found)
    return tuple(array.astype(common, copy=False) for array in found)


def bind_shapes(
    operation: str, **arrays: tuple[npt.NDArray[Any], str]
) -> dict[str, int]:
    """Bind symbolic dimensions to the trailing axes of arrays.

    Leading axes are free, but must broadcast against each other. Learned arrays have
    none: their dimensions are put in brackets.

    Parameters
    ----------
    operation : str
        Name that opens the message of an error.
    **arrays : tuple of (ndarray, str)
        For each argument, the array and its dimensions, such as ``"T_q d_k"`` or
        ``"(d d_ff)"``.

    Returns
    -------
    sizes : dict of str to int
        The size bound to each symbol.

    Raises
    ------
    ShapeError
        If an array has too few axes, or too many for its brackets, a symbol gets two
        sizes, or leading axes disagree.

    Examples
    --------
    >>> sizes = bind_shapes("demo", q=(np.zeros((3, 2)), "T_q d_k"))
    >>> sizes["T_q"], sizes["d_k"]
    (3, 2)
    """
    sizes: dict[str, int] = {}
    owner: dict[str, str] = {}
    leading: tuple[int, ...] = ()
    for name, (array, spec) in arrays.items():
        is_whole = spec[0] == "("
        symbols = spec.strip("()").split()
        wanted = f"(..., {', '.join(symbols)})"
        if is_whole:
            wanted = f"({', '.join(symbols)}{',' * (len(symbols) == 1)})"
        if array.ndim < len(symbols) or (is_whole and array.ndim > len(symbols)):
            raise ShapeError(
                f"{operation}: `{name}` needs shape {wanted}; got {array.shape}"
            )
        for symbol, size in zip(symbols, array.shape[-len(symbols) :], strict=True):
            if sizes.setdefault(symbol, size) != size:
                raise ShapeError(
                    f"{operation}: `{name}` needs shape {wanted} with "
                    f"{symbol}={sizes[symbol]} (from `{owner[symbol]}`); "
                    f"got {array.shape}"
                )
            owner.setdefault(symbol, name)
        own = array.shape[: -len(symbols)]
        if own == leading:
            continue
        try:
            leading = np.broadcast_shapes(leading, own)
        except ValueError as error:
            raise ShapeError(
                f"{operation}: `{name}` needs leading axes that broadcast with "
                f"{leading}; got {array.shape}"
            ) from error
    return sizes


def bind_parameter(
    operation: str, name: str, value: npt.ArrayLike, shape: tuple[int, ...]
) -> FloatArray:
    """Copy a parameter that must have an exact shape; any other is a ShapeError."""
    (array,) = as_floats(operation, **{name: value})
    if array.shape != shape:
        raise ShapeError(
            f"{operation}: `{name}` needs shape {shape}; got {array.shape}"
        )
    return array


def as_mask(operation: str, name: str, value: npt.ArrayLike) -> BoolArray:
    """Take a boolean mask, and refuse anything that only looks like one.

    0/1 numbers are read in opposite ways by different libraries, so they are not
    guessed at: they raise a MaskError.
    """
    mask = _as_array(MaskError, operation, name, value)
    if mask.dtype != np.bool_:
        raise MaskError(
            f"{operation}: `{name}` needs booleans (True = may be seen); got dtype "
            f"{mask.dtype}. Additive masks belong in `bias`"
        )
    return mask


def finite(operation: str, name: str, value: object) -> float:
    """Require a single finite number; anything else is a ValueError."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, int | float | np.integer | np.floating):
        # Python's whole numbers may be larger than any double.
        large = isinstance(value, int) and abs(value) > _LARGEST
        number = math.inf if large else float(value)
        if math.isfinite(number) and not isinstance(value, bool):
            return number
    raise ValueError(f"{operation}: `{name}` needs a finite number; got {value!r}")


def positive(operation: str, name: str, value: object) -> float:
    """Require a single finite number above 0; anything else is a ValueError."""
    number = finite(operation, name, value)
    if number <= 0:
        raise ValueError(f"{operation}: `{name}` needs a number above 0; got {number}")
    return number


def choice(operation: str, name: str, value: object, known: tuple[str, ...]) -> None:
    """Refuse a value that is none of the names; anything else is a ValueError.

    Examples
    --------
    >>> choice("demo", "norm", "per", ("post", "pre"))
    Traceback (most recent call last):
        ...
    ValueError: demo: `norm` needs 'post' or 'pre'; got 'per'
    """
    if not isinstance(value, str) or value not in known:
        *others, last = map(repr, known)
        raise ValueError(
            f"{operation}: `{name}` needs {', '.join(others)} or {last}; got {value!r}"
        )


def count(
    operation: str,
    name: str,
    value: object,
    *,
    least: int | None = 0,
    most: int | None = _MOST,
) -> int:
    """Require a whole number from `least` to `most`; None sets no bound."""
    number = 0
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        number = int(value)
        is_small = most is None or abs(number) <= most
        if (least is None or number >= least) and is_small:
            return number
    bound = "" if least is None else f" of at least {least}"
    bound = f" of at most {most}" if most is not None and number > most else bound
    raise ValueError(
        f"{operation}: `{name}` needs a whole number{bound}; got {value!r}"
    )


def read_only(array: Array) -> Array:
    """Give a view through which nobody can write; the array's own flag stays."""
    view = array.view()
    view.flags.writeable = False
    return view


def _as_array(
    refusal: type[ValueError], operation: str, name: str, value: npt.ArrayLike
) -> npt.NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise refusal(
            f"{operation}: `{name}` needs a plain array, whose mask is an argument of "
            "its own; got a masked array"
        )
    try:
        return np.asarray(value)
    except ValueError as error:
        raise refusal(
            f"{operation}: `{name}` needs rows of equal length; got a ragged list"
        ) from error
