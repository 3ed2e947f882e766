"""Find the numbers that a convention leaves free, from a result that used them."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray, IntArray
from attnviz.core.checks._rounding import digits_precision

# A weight of fewer steps than these has no logarithm to speak of.
_STEPS = 5
# A number is rounded by no more than so many of its standard errors.
_ERRORS = 1.0
_ROUNDS = 20
# Angles up to here have not gone round.
_NO_TURN = 3.1
# Bases in use, the usual first.
_BASES = (1e4, 5e5, 1e6, 1e5, 1e3)
# The logarithm of what is no base any more.
_LARGEST = 300.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and how far it may be off, one for each head where they differ."""

    value: FloatArray
    error: FloatArray

    def rounded(self) -> FloatArray:
        """Give the numbers of fewest digits that are near enough."""
        near = [
            roundest(float(value), float(error))
            for value, error in zip(self.value.flat, self.error.flat, strict=True)
        ]
        return np.asarray(near).reshape(self.value.shape)


def roundest(value: float, error: float) -> float:
    """Find the number of fewest digits that is no farther than `error`."""
    for digits in range(1, 17):
        near = float(f"{value:.{digits}g}")
        if abs(near - value) <= error:
            return near
    return value


def weight_noise(weights: FloatArray) -> FloatArray:
    """Bound what rounding and printing did to each weight."""
    known = digits_precision(weights)
    noise: FloatArray = known.tolerance * np.abs(weights) + known.floor
    return noise + known.lost(weights)


def slopes(
    x: FloatArray, weights: FloatArray, known: FloatArray, usable: BoolArray
) -> Estimate | None:
    """Fit ln a − known by a multiple of `x` and a constant for each row of a head.

    Parameters
    ----------
    x : FloatArray of shape (..., T_q, T_k)
        What the multiple is of.
    weights : FloatArray of shape (..., T_q, T_k)
        What someone computed.
    known : FloatArray of shape (..., T_q, T_k)
        What is known of their logarithms.
    usable : BoolArray of shape (..., T_q, T_k)
        Which weights may count.

    Returns
    -------
    estimate : Estimate or None
        One multiple for each head; None where a head has nothing to tell it by.
    """
    noise = weight_noise(weights)
    usable = usable & (weights > _STEPS * noise) & np.isfinite(x) & np.isfinite(known)
    logs = np.log(weights, where=usable, out=np.zeros(usable.shape))
    sure = np.where(usable, np.square(weights / noise), 0)
    x, y = (_centred(np.where(usable, part, 0), sure) for part in (x, logs - known))
    spread = _over_rows(sure * np.square(x))
    if not (spread > 0).all():
        return None
    return Estimate(
        _over_rows(sure * x * y) / spread, _ERRORS / np.sqrt(np.maximum(spread, 1e-300))
    )


def mean_by_head(values: FloatArray, sure: FloatArray) -> Estimate | None:
    """Average numbers of rows over all rows of a head, by how sure they are.

    Parameters
    ----------
    values, sure : FloatArray of shape (..., T_q, 1)
        Numbers, and one over the squares of their errors.

    Returns
    -------
    estimate : Estimate or None
        One number for each head; None where a head has nothing to tell it by.
    """
    total = _over_rows(sure)
    if not (total > 0).all():
        return None
    return Estimate(_over_rows(sure * values) / total, _ERRORS / np.sqrt(total))


def nearest(
    make: Callable[[float], FloatArray], target: FloatArray, starts: Iterable[float]
) -> Estimate | None:
    """Find the number that brings a result nearest to a target, by Gauss and Newton.

    Parameters
    ----------
    make : callable
        Gives the result for a number.
    target : FloatArray
        What it should give.
    starts : iterable of float
        Where to look first.

    Returns
    -------
    estimate : Estimate or None
        None where the result does not depend on the number.
    """
    error = weight_noise(target).max(initial=0)

    def miss(number: float) -> FloatArray:
        gaps: FloatArray = np.nan_to_num(make(number) - target).ravel()
        return gaps

    best = min(starts, key=lambda number: float(np.square(miss(number)).sum()))
    last, size = np.inf, 0.0
    for _ in range(_ROUNDS):
        here, step = miss(best), 1e-6 * max(abs(best), 1)
        loss = float(here @ here)
        # Near the end each round takes away nearly all that is left.
        if not loss < 0.9 * last:
            break
        last = loss
        turn = (miss(best + step) - here) / step
        size = float(turn @ turn)
        if not size > 0:
            return None
        best -= float(here @ turn) / size
    if not size > 0:
        return None
    return Estimate(np.asarray(best), np.asarray(_ERRORS * error / np.sqrt(size)))


def base_of(
    angles: FloatArray, positions: IntArray, width: int, noise: FloatArray
) -> float | None:
    """Find the base of the rates by which pairs of features were turned.

    Parameters
    ----------
    angles : FloatArray of shape (n, d/2)
        Angles between −π and π.
    positions : IntArray of shape (n,)
        Position of each row; only those count whose angles do not go round.
    width : int
        Number of features d.
    noise : FloatArray of shape (n, d/2)
        How far each angle may be off.

    Returns
    -------
    base : float or None
        One that is in use, or the one of fewest digits, if it is near enough; None
        where no pair tells it.
    """
    exponents = 2 * np.arange(angles.shape[-1]) / width
    counted = (
        (positions != 0)[:, None] & (exponents > 0) & (np.abs(angles) > _STEPS * noise)
    )
    # First those that cannot have gone round; then all that have not at this base.
    base, error, reach = 0.0, 0.0, np.ones(exponents.shape)
    for _ in range(2):
        near = np.abs(positions)[:, None] * reach < _NO_TURN
        rates = angles / np.where(positions == 0, 1, positions)[:, None]
        usable = counted & near & (rates > 0)
        if not usable.any():
            return None
        sure = np.where(usable, np.square(angles / np.maximum(noise, 1e-300)), 0)
        logs = -np.log(rates, where=usable, out=np.zeros(usable.shape))
        spread = float((sure * np.square(exponents)).sum())
        log = min(float((sure * exponents * logs).sum()) / spread, _LARGEST)
        base, reach = math.exp(log), np.exp(-log * exponents)
        error = _ERRORS * base / math.sqrt(spread)
    used = (known for known in _BASES if abs(known - base) <= 2 * error)
    return next(used, roundest(base, error))


def by_head(numbers: FloatArray) -> float | tuple[float, ...]:
    """Give one number if all heads have the same, else one for each."""
    flat = [float(number) for number in np.ravel(numbers)]
    return flat[0] if len(set(flat)) == 1 else tuple(flat)


def _centred(numbers: FloatArray, sure: FloatArray) -> FloatArray:
    total = sure.sum(axis=-1, keepdims=True)
    mean = (sure * numbers).sum(axis=-1, keepdims=True) / np.where(total == 0, 1, total)
    centred: FloatArray = numbers - mean
    return centred


def _over_rows(table: FloatArray) -> FloatArray:
    """Sum over everything but heads."""
    heads = table.ndim - 3
    axes = tuple(axis for axis in range(table.ndim) if axis != heads)
    summed: FloatArray = table.sum(axis=axes, keepdims=True)
    return summed
