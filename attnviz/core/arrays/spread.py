"""Mean and variance in double precision, for numbers of any size."""

import math
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray

# Divided by this, no float64 has a square, nor a sum of squares, out of its range.
_HUGE = 2.0**600
# Above this, squares that float32 rounds to 0 do not count.
_SMALL = 1e-30


@dataclass(frozen=True, slots=True, repr=False)
class Spread(Record):
    """How numbers lie about their mean, or about 0, along an axis.

    Attributes
    ----------
    mean : FloatArray
        Their mean, with size 1 along the axis.
    variance : FloatArray
        Mean of their squared deviations, with size 1 along the axis; ∞ where it leaves
        float64.
    deviations : FloatArray
        The numbers less their mean, over `unit`.
    square : FloatArray
        The variance over `unit` squared.
    unit : FloatArray or float
        What keeps the squares finite: 1 except where numbers are huge.
    """

    mean: FloatArray
    variance: FloatArray
    deviations: FloatArray
    square: FloatArray
    unit: FloatArray | float = 1.0

    def root(self, eps: float) -> FloatArray:
        """Give √(v + ε), over `unit`."""
        root: FloatArray = np.sqrt(self.square + eps / self.unit / self.unit)
        return root

    def normalized(self, eps: float) -> FloatArray:
        """Divide the deviations by √(v + ε); ±∞ gives NaN."""
        with np.errstate(invalid="ignore"):
            return self.deviations / self.root(eps)


def spread_of(x: FloatArray, axis: int, *, about_zero: bool = False) -> Spread:
    """Take mean, deviations and mean square along an axis, which stays with size 1.

    In float64 and in two passes, so that a mean that is large against the spread costs
    no accuracy. With `about_zero` the numbers themselves are squared, and not what
    they differ by from their mean.
    """
    wide = x.astype(np.float64)
    # A position that holds ±∞ gets NaN, and no other one does.
    with np.errstate(invalid="ignore", over="ignore"):
        mean, deviations, square = _measure(wide, axis, about_zero)
        if math.isfinite(np.add.reduce(square, axis=None)):
            return Spread(mean, square, deviations, square)
        unit = np.where(np.isfinite(square), 1.0, _HUGE)
        mean, deviations, square = _measure(wide / unit, axis, about_zero)
        return Spread(mean * unit, square * unit * unit, deviations, square, unit)


def normalize(
    x: FloatArray, eps: float, *, about_zero: bool = False
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give mean and variance, in float64, and normalized numbers of each position.

    They are as good as `spread_of` gives them. What is normalized stays in float32 for
    numbers of single precision, and is in float64 for all others.
    """
    if x.dtype == np.float32:
        return _normalize_single(x, eps, about_zero)
    spread = spread_of(x, -1, about_zero=about_zero)
    return spread.mean, spread.variance, spread.normalized(eps)


def _normalize_single(
    x: FloatArray, eps: float, about_zero: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Normalize in float32, and in float64 the positions that leave its range.

    Near its mean, however large that is, a number and the rounded mean differ by a
    number that float32 holds exactly. So what rounding took from the mean can be taken
    off the differences, and nothing is lost.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        mean = np.zeros((*x.shape[:-1], 1))
        deviations = x
        if not about_zero:
            near = _mean(x, -1)
            deviations = x - near
            rest = _mean(deviations, -1)
            deviations -= rest
            mean = near.astype(np.float64) + rest
        squares = np.square(deviations)
        variance = _mean(squares, -1).astype(np.float64)
        rate = 1 / np.sqrt(variance + eps)
        normalized = np.multiply(deviations, rate.astype(np.float32), out=squares)
    odd = ~(np.isfinite(variance) & (variance + eps > _SMALL))[..., 0]
    if odd.any():
        spread = spread_of(x[odd], -1, about_zero=about_zero)
        mean[odd], variance[odd] = spread.mean, spread.variance
        normalized[odd] = spread.normalized(eps)
    return mean, variance, normalized


def _measure(
    wide: FloatArray, axis: int, about_zero: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    if about_zero:
        return np.zeros(1), wide, _mean(np.square(wide), axis)
    mean = _mean(wide, axis)
    deviations = wide - mean
    # The mean of equal numbers can be off in the last digit; that must not show.
    deviations -= _mean(deviations, axis)
    return mean, deviations, _mean(np.square(deviations), axis)


def _mean(x: FloatArray, axis: int) -> FloatArray:
    """Do what `np.mean` does, which for short rows costs more than the sum."""
    mean: FloatArray = np.add.reduce(x, axis=axis, keepdims=True) / x.shape[axis]
    return mean
