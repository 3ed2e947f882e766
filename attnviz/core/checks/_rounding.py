"""What numbers were computed with and rounded to, read out of their digits."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, FloatArray, quiet
from attnviz.core.checks._figures import written_figures

# Decimals to which people print numbers; what has up to eight may come from single
# precision, which prints no more.
_DECIMALS = range(1, 17)
_PRINTED_BY_SINGLE = 8
# Binary digits that numbers have which people make up.
_FEW = 4


@dataclass(frozen=True, slots=True)
class Precision:
    """What numbers were computed with, and what they were rounded to.

    Attributes
    ----------
    unit : float
        Largest relative error of one rounding.
    tolerance : float
        Relative error of a number that right code computes.
    growth : float
        How much of the tolerance each unit of a score adds to the error of a score.
    floor : float
        Numbers below this may come out as 0.
    digit : float
        Half a unit of the last decimal that was kept; 0 if none was cut off.
    printed : bool
        Whether so few digits were kept that people must have printed them.
    relative : float
        Half a unit of the last significant digit over the number, at most; 0 where
        decimals were kept.
    """

    unit: float
    tolerance: float
    growth: float
    floor: float
    digit: float = 0.0
    printed: bool = False
    relative: float = 0.0

    @property
    def step(self) -> float:
        """The largest half unit of a last digit near 1; 0 if nothing was printed."""
        return max(self.digit, self.relative) if self.printed else 0.0

    def lost(self, numbers: FloatArray) -> FloatArray:
        """Bound what cutting off the last digits did to numbers."""
        if not self.relative:
            return np.full(numbers.shape, self.digit)
        sizes = np.nan_to_num(np.abs(numbers), posinf=0)
        cut: FloatArray = self.digit + self.relative * sizes
        return cut

    def with_other(self, other: "Precision") -> "Precision":
        """Join with the precision of what was computed along with it.

        Parameters
        ----------
        other : Precision
            Of another array of the same computation.

        Returns
        -------
        precision : Precision
            The worse of each; the digits stay this array's own.
        """
        return Precision(
            max(self.unit, other.unit),
            max(self.tolerance, other.tolerance),
            max(self.growth, other.growth),
            max(self.floor, other.floor),
            self.digit,
            self.printed,
            self.relative,
        )


# The wide ones leave room for long sums in any order; code in a narrow one rounds each
# of its few steps.
_DOUBLE = Precision(2.0**-53, 1e-12, 0.05, 2.0**-1022)
_SINGLE = Precision(2.0**-24, 1e-5, 0.05, 2.0**-126)
_HALF = Precision(2.0**-11, 4e-3, 0.25, 2.0**-24)
_BRAIN = Precision(2.0**-8, 3.2e-2, 0.25, 2.0**-126)
_OF_BYTES = {2: _HALF, 4: _SINGLE}


def type_precision(*arrays: npt.NDArray[Any] | None) -> Precision:
    """Tell the precision of the least precise type among some arrays.

    Parameters
    ----------
    *arrays : ndarray or None
        What was computed, and from what.

    Returns
    -------
    precision : Precision
        A tolerance of 1e-12 in double, 1e-5 in single, 4e-3 in half precision.

    Examples
    --------
    >>> type_precision(np.zeros(2, dtype=np.float32), np.zeros(2), None).tolerance
    1e-05
    """
    return max(
        (_OF_BYTES.get(a.dtype.itemsize, _DOUBLE) for a in arrays if a is not None),
        key=lambda precision: precision.tolerance,
        default=_DOUBLE,
    )


@quiet
def digits_precision(array: FloatArray, *, least: int = 1) -> Precision:
    """Tell the precision of numbers from their digits, whatever type holds them.

    Parameters
    ----------
    array : FloatArray
        Results that someone gave.
    least : int, default=1
        Fewest decimals that count as printed. A single one counts only if some number
        is no multiple of a half, for those may be exact.

    Returns
    -------
    precision : Precision
        That of the narrowest type that holds the same numbers, single precision at
        best if they were printed with few decimals. Nothing but zeros have no digits,
        and tell nothing but their type.

    Examples
    --------
    >>> digits_precision(np.array([0.6652, 0.2447, 0.0900])).digit
    5e-05
    """
    own = type_precision(array)
    finite = array[np.isfinite(array)].astype(np.float64)
    if not finite.any():
        return own
    stored, precision = _narrowest(finite, array.dtype)
    figures = _few_figures(finite, stored)
    if figures is not None:
        relative = _relative(figures)
        if figures > _PRINTED_BY_SINGLE:
            return replace(precision, relative=relative)
        joined = precision.with_other(_SINGLE)
        return replace(joined, relative=relative, printed=True)
    halves = bool((2 * finite % 1 == 0).all())
    for decimals in _DECIMALS[_DECIMALS.index(max(least, 1 + halves)) :]:
        digit, rounded = 0.5 * 10.0**-decimals, finite.round(decimals)
        few = decimals <= _PRINTED_BY_SINGLE
        if few and np.array_equal(rounded, finite):
            unit = _DOUBLE.unit
        elif np.array_equal(rounded.astype(stored), finite):
            unit = precision.unit
        else:
            continue
        # Steps finer than those of a type leave every number as it is.
        telling = digit >= 2 * unit * np.abs(finite).min(where=finite != 0, initial=1)
        if few and telling:
            origin = _behind_print([(finite, decimals)]) or _SINGLE
            joined = precision.with_other(origin).with_other(_SINGLE)
            return replace(joined, digit=digit, printed=True)
        # Even so, what was 0 may have been less than a step.
        return replace(precision, digit=digit if telling or not finite.all() else 0)
    return precision


def _few_figures(finite: FloatArray, stored: np.dtype[Any]) -> int | None:
    """Count significant digits, where they say more than decimals do."""
    if stored.itemsize < finite.itemsize:
        return None
    decimals = next((n for n in _DECIMALS if _has_decimals(finite, n)), None)
    return written_figures(finite, decimals)


def _has_decimals(finite: FloatArray, decimals: int) -> bool:
    return np.array_equal(finite.round(decimals), finite)


def _relative(figures: int) -> float:
    """Bound half a unit of the last digit over a number, or over its rounding."""
    return 0.5 * 10.0 ** (1 - figures) * (1 + 10.0 ** (1 - figures))


@quiet
def lost_in_print(array: FloatArray) -> tuple[int, float] | None:
    """Tell how inputs were printed, and how far they may be off.

    Parameters
    ----------
    array : FloatArray
        Inputs that someone gave.

    Returns
    -------
    printed : tuple of (int, float) or None
        Decimals or significant digits, and half a unit of the last one in the largest
        number; None if they need more than eight, or are multiples of an eighth.

    Examples
    --------
    >>> lost_in_print(np.array([0.31, 2.0])), lost_in_print(np.array([123.0, 1.23e-4]))
    ((2, 0.005), (3, 0.5))
    """
    decimals = printed_decimals(array)
    finite = array[np.isfinite(array)].astype(np.float64)
    if decimals is None and (8 * finite % 1 == 0).all():
        return None
    figures = _few_figures(finite, array.dtype)
    if figures is not None and figures <= _PRINTED_BY_SINGLE:
        largest = math.floor(math.log10(np.abs(finite).max()))
        return figures, 0.5 * 10.0 ** (largest + 1 - figures)
    return None if decimals is None else (decimals, 0.5 * 10.0**-decimals)


@quiet
def printed_decimals(array: FloatArray) -> int | None:
    """Count the decimals that inputs were printed with.

    Parameters
    ----------
    array : FloatArray
        Inputs that someone gave.

    Returns
    -------
    decimals : int or None
        None if they need more than eight, or are multiples of an eighth: those are
        what people make up, and are exact.

    Examples
    --------
    >>> printed_decimals(np.array([0.31, 2.0])), printed_decimals(np.array([0.5, 2.0]))
    (2, None)
    """
    finite = array[np.isfinite(array)]
    if (8 * finite.astype(np.float64) % 1 == 0).all():
        return None
    for decimals in _DECIMALS[:_PRINTED_BY_SINGLE]:
        rounded = finite.astype(np.float64).round(decimals)
        if np.array_equal(rounded.astype(array.dtype), finite):
            return decimals
    return None


@quiet
def source_precision(*arrays: FloatArray) -> Precision:
    """Tell the precision that inputs point to when results were printed.

    No type of NumPy tells that numbers came from bfloat16, and print hides it.

    Parameters
    ----------
    *arrays : FloatArray
        What was computed from.

    Returns
    -------
    precision : Precision
        That of bfloat16 or half precision if all numbers are in it and some need more
        than 4 binary digits, as small whole numbers do not; that of a narrow type whose
        numbers they are as it prints them; else that of the type.
    """
    own = type_precision(*arrays)
    printed: list[tuple[FloatArray, int]] = [
        (a.astype(np.float64), decimals)
        for a in arrays
        if (decimals := printed_decimals(a)) is not None
    ]
    origin = _behind_print(printed) if len(printed) == len(arrays) else None
    if origin is not None:
        return own.with_other(origin)
    if all(np.array_equal(_cut(a, _FEW), a, equal_nan=True) for a in arrays):
        return own
    if all(np.array_equal(_cut(a, 8), a, equal_nan=True) for a in arrays):
        return own.with_other(_BRAIN)
    if all(np.array_equal(_nearest_half(a), a, equal_nan=True) for a in arrays):
        return own.with_other(_HALF)
    return own


def _behind_print(printed: list[tuple[FloatArray, int]]) -> Precision | None:
    """Find the narrow type whose numbers look like these when they are printed.

    Between two numbers of a narrow type lie many of so few decimals: that all happen
    to be printed ones of the type is chance only for few or small numbers.
    """
    for nearest, bits, smallest, unlikely, precision in _NARROW:
        chance = 0.0
        for numbers, decimals in printed:
            finite = numbers[np.isfinite(numbers)]
            if not _same_print(nearest(finite), finite, decimals).all():
                break
            exponents = np.frexp(np.maximum(np.abs(finite), smallest))[1] - bits
            gaps = np.ldexp(1.0, exponents) * 10.0**decimals
            chance -= float(np.log(np.maximum(gaps, 1)).sum())
        else:
            if chance < math.log(unlikely):
                return precision
    return None


def _same_print(left: FloatArray, right: FloatArray, decimals: int) -> BoolArray:
    """Tell which numbers look alike with so many decimals."""
    near: BoolArray = np.abs(left - right) <= 0.5000001 * 10.0**-decimals
    return near


def _nearest_half(numbers: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return numbers.astype(np.float16).astype(np.float64)


def _nearest_brain(numbers: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):
        step = np.ldexp(1.0, np.frexp(numbers)[1] - 8)
        near: FloatArray = np.round(numbers / step) * step
    return near


# How to round to it, digits, smallest number with all digits, precision; numbers that
# fit it by chance less often than the fourth number says come from it. The bound of
# half precision is so narrow that little is lost by a wrong guess.
_NARROW = (
    (_nearest_brain, 8, 2.0**-126, 1e-4, _BRAIN),
    (_nearest_half, 11, 2.0**-14, 1e-2, _HALF),
)


def _cut(numbers: FloatArray, digits: int) -> FloatArray:
    """Keep the first binary digits of numbers, in the range of a single."""
    with np.errstate(over="ignore"):
        single = numbers.astype(np.float32)
    kept = np.uint32(0xFFFFFFFF << (24 - digits) & 0xFFFFFFFF)
    cut: FloatArray = (single.view(np.uint32) & kept).view(np.float32)
    return cut


def _narrowest(
    numbers: FloatArray, dtype: np.dtype[Any]
) -> tuple[np.dtype[Any], Precision]:
    """Find the narrowest type that holds numbers, no wider than the one they are in.

    Numbers of a few binary digits, such as 1 and 0.5, are in every type and tell none.
    """
    stored = dtype
    if np.array_equal(_cut(numbers, _FEW), numbers):
        return stored, _OF_BYTES.get(stored.itemsize, _DOUBLE)
    with np.errstate(over="ignore"):
        for narrow in map(np.dtype, (np.float32, np.float16)):
            if narrow.itemsize < dtype.itemsize and np.array_equal(
                numbers.astype(narrow), numbers
            ):
                stored = narrow
    if dtype.itemsize > 2 and np.array_equal(_cut(numbers, 8), numbers):
        return stored, _BRAIN
    return stored, _OF_BYTES.get(stored.itemsize, _DOUBLE)
