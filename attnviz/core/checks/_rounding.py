"""How far rounding carries a right result away from the exact one."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks.case import AttentionCase

# Decimals to which people print numbers; what has up to eight may come from single
# precision, which prints no more.
_DECIMALS = range(2, 17)
_PRINTED_BY_SINGLE = 8
# exp(−750) is 0 in every precision, and exp(30) times a weight is all there is to give.
_VANISHED, _ANYTHING = 750.0, 30.0


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
        Whether so few decimals were kept that people must have printed them.
    """

    unit: float
    tolerance: float
    growth: float
    floor: float
    digit: float = 0.0
    printed: bool = False

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


def digits_precision(array: FloatArray, *, least: int = _DECIMALS[0]) -> Precision:
    """Tell the precision of numbers from their digits, whatever type holds them.

    Parameters
    ----------
    array : FloatArray
        Results that someone gave.
    least : int, default=2
        Fewest decimals that count as printed.

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
    with np.errstate(over="ignore", invalid="ignore"):
        for decimals in _DECIMALS[_DECIMALS.index(least) :]:
            digit, rounded = 0.5 * 10.0**-decimals, finite.round(decimals)
            few = decimals <= _PRINTED_BY_SINGLE
            if few and np.array_equal(rounded, finite):
                unit = _DOUBLE.unit
            elif np.array_equal(rounded.astype(stored), finite):
                unit = precision.unit
            else:
                continue
            # Steps finer than those of a type leave every number as it is.
            telling = digit >= 2 * unit * np.abs(finite).min(
                where=finite != 0, initial=1
            )
            if few and telling:
                return replace(precision.with_other(_SINGLE), digit=digit, printed=True)
            # Even so, what was 0 may have been less than a step.
            return replace(precision, digit=digit if telling or not finite.all() else 0)
    return precision


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
        That of bfloat16 if all numbers have its 8 digits and some need more than 4, as
        small whole numbers do not; else that of the type.
    """
    fit = all(np.array_equal(_cut(a, 8), a, equal_nan=True) for a in arrays)
    if fit and not all(np.array_equal(_cut(a, 4), a, equal_nan=True) for a in arrays):
        return _BRAIN.with_other(type_precision(*arrays))
    return type_precision(*arrays)


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
    """Find the narrowest type that holds numbers, no wider than the one they are in."""
    stored = dtype
    with np.errstate(over="ignore"):
        for narrow in map(np.dtype, (np.float32, np.float16)):
            if narrow.itemsize < dtype.itemsize and np.array_equal(
                numbers.astype(narrow), numbers
            ):
                stored = narrow
    if dtype.itemsize > 2 and np.array_equal(_cut(numbers, 8), numbers):
        return stored, _BRAIN
    return stored, _OF_BYTES.get(stored.itemsize, _DOUBLE)


def dot_sizes(case: AttentionCase) -> FloatArray:
    """Sum the sizes of the products that each raw score is made of.

    Parameters
    ----------
    case : AttentionCase
        What was asked.

    Returns
    -------
    sizes : FloatArray of shape (..., T_q, T_k)
        |q|·|k|, as large as q·k or larger; NaN and ±∞ stay what they are.
    """
    q, k = np.abs(case.q.astype(np.float64)), np.abs(case.k.astype(np.float64))
    with np.errstate(invalid="ignore", over="ignore"):
        sizes: FloatArray = q @ k.swapaxes(-1, -2)
    return sizes


def weight_errors(case: AttentionCase, precision: Precision) -> FloatArray:
    """Bound the relative error of each weight that right code computes.

    A sum of products is off by its precision times the sum of their sizes, however
    small the sum itself comes out.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    precision : Precision
        What it was computed with.

    Returns
    -------
    errors : FloatArray of shape (..., T_q, T_k)
        For small scores, the tolerance; with larger ones it grows by their own error
        and by the largest error of a score of the row that takes part.
    """
    scores, sizes = _scores(case)
    own = precision.tolerance * precision.growth * sizes
    with np.errstate(invalid="ignore"):
        surest = np.max(scores - own, axis=-1, keepdims=True, initial=-np.inf)
        partakes = scores + own >= surest - _VANISHED
    row = np.max(own, axis=-1, keepdims=True, initial=0, where=partakes)
    return np.where(partakes, precision.tolerance + own + row, 0)


def _scores(case: AttentionCase) -> tuple[FloatArray, FloatArray]:
    """Give scores, −∞ where they are hidden or NaN, and the sizes they are made of."""
    q, k = case.q.astype(np.float64), case.k.astype(np.float64).swapaxes(-1, -2)
    with np.errstate(invalid="ignore", over="ignore"):
        scores, sizes = q @ k * case.scale, dot_sizes(case) * abs(case.scale)
        if case.softcap is not None:
            scores = case.softcap * np.tanh(scores / case.softcap)
        if case.bias is not None:
            scores, sizes = scores + case.bias, sizes + np.abs(case.bias)
    counted = case.visible & ~np.isnan(scores) & ~np.isnan(sizes)
    return np.where(counted, scores, -np.inf), np.where(counted, sizes, 0)


@dataclass(frozen=True, slots=True)
class Limits:
    """How far right results may be from exact ones.

    Attributes
    ----------
    weights : FloatArray of shape (..., T_q, T_k)
        For each weight.
    context : FloatArray of shape (..., T_q, d_v)
        For each number of the context.
    """

    weights: FloatArray
    context: FloatArray


def limits(
    case: AttentionCase,
    weights: FloatArray,
    errors: FloatArray,
    *,
    of_weights: Precision,
    of_context: Precision,
) -> Limits:
    """Bound what rounding does to weights and to what they mix.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    weights : FloatArray of shape (..., T_q, T_k)
        Exact weights; with another shape, the context is bounded as the core's.
    errors : FloatArray of shape (..., T_q, T_k)
        What `weight_errors` gives.
    of_weights, of_context : Precision
        What both were computed with and rounded to.

    Returns
    -------
    limits : Limits
        In proportion to each weight, and to the sizes of the values it is mixed of.
    """
    same = weights.shape == errors.shape
    relative = errors if same else np.full(weights.shape, errors.max(initial=0))
    exact = np.abs(_finite(weights, 1)).astype(np.float64)
    spread = exact * np.expm1(np.minimum(relative, _ANYTHING))
    spread = np.where(relative > _ANYTHING, 1, np.minimum(spread, 1))
    taking = (exact > 0) | (case.visible if same else False)
    carried = np.where(taking, spread + of_weights.floor + of_weights.digit, 0)
    values = np.abs(_finite(case.v.astype(np.float64), 0))
    if not same:
        # What such weights mix is not known.
        right = case.answer.weights
        own = limits(case, right, errors, of_weights=of_weights, of_context=of_context)
        return Limits(carried, own.context)
    with np.errstate(over="ignore", invalid="ignore"):
        mixed = _finite(carried @ values, float(np.finfo(np.float64).max))
    return Limits(carried, mixed + of_context.floor + of_context.digit)


def _finite(numbers: FloatArray, size: float) -> FloatArray:
    """Put 0 for NaN, and a size for ±∞; where there is none, nothing is copied."""
    if np.isfinite(numbers).all():
        return numbers
    return np.nan_to_num(numbers, posinf=size, neginf=-size)
