"""How far numbers are from what they should be, and the check that comes of it."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, FloatArray, IntArray
from attnviz.core.checks.check import Check


def not_applicable(name: str) -> Check:
    """Say that a check has nothing to measure."""
    return Check(name, "not applicable", None, None, None)


def worst(name: str, deviations: FloatArray, tolerance: npt.ArrayLike) -> Check:
    """Judge deviations from 0 by the largest that exceeds its tolerance.

    NaN counts as infinitely far; with nothing to judge the check passes.
    """
    if deviations.size == 0:
        return Check(name, "pass", 0.0, None, None)
    sizes = np.where(np.isnan(deviations), np.inf, np.abs(deviations))
    limits = np.broadcast_to(tolerance, sizes.shape)
    beyond = sizes > limits
    place = int(np.argmax(np.where(beyond, sizes, -1) if beyond.any() else sizes))
    measured, limit = float(sizes.flat[place]), float(limits.flat[place])
    if measured <= limit:
        return Check(name, "pass", measured, limit, None)
    index = tuple(int(i) for i in np.unravel_index(place, sizes.shape))
    return Check(name, "fail", measured, limit, index)


def fewest_keys(seen: BoolArray, valid: BoolArray) -> Check:
    """Check that every valid query sees a key."""
    counts = seen.sum(axis=-1)
    counts = np.where(valid, counts, np.iinfo(counts.dtype).max)
    if not valid.any():
        return not_applicable("visible_keys")
    place = np.unravel_index(int(np.argmin(counts)), counts.shape)
    fewest = int(counts[place])
    if fewest > 0:
        return Check("visible_keys", "pass", fewest, None, None)
    return Check("visible_keys", "fail", 0, None, tuple(map(int, place)))


def beyond_shares(weights: FloatArray) -> FloatArray:
    """Measure how far each row reaches out of [0, 1]; NaN reaches no side."""
    wide = weights.astype(np.float64, copy=False)
    outside = np.fmax(np.fmax(-wide, wide - 1), 0)
    furthest: FloatArray = np.max(outside, axis=-1, initial=0)
    return furthest


def decisive(sizes: FloatArray, limits: FloatArray, *, axis: int) -> IntArray:
    """Find the largest size beyond its limit; the largest of all if none is."""
    beyond = sizes > limits
    counted = beyond | ~beyond.any(axis=axis, keepdims=True)
    place: IntArray = np.argmax(np.where(counted, sizes, -1), axis=axis, keepdims=True)
    return place


def differences(left: FloatArray, right: FloatArray) -> FloatArray:
    """Measure |left − right|: 0 between equal ±∞ or NaN, ∞ where only one is NaN."""
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.abs(left - right)
    if np.isfinite(gaps).all():
        return gaps
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    return np.where(same, 0, np.where(np.isnan(gaps), np.inf, gaps))
