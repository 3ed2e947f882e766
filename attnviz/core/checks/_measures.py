"""How far numbers are from what they should be, and the check that comes of it."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.checks.check import Check


def not_applicable(name: str) -> Check:
    """Say that a check has nothing to measure."""
    return Check(name, "not applicable", None, None, None)


def worst(name: str, deviations: FloatArray, tolerance: npt.ArrayLike) -> Check:
    """Judge deviations from 0 by the one that exceeds its tolerance most.

    NaN counts as infinitely far; with nothing to judge the check passes.
    """
    limits = np.broadcast_to(np.asarray(tolerance, dtype=np.float64), deviations.shape)
    if deviations.size == 0:
        return Check(name, "pass", 0.0, None, None)
    sizes = np.abs(np.where(np.isnan(deviations), np.inf, deviations))
    place = int(np.argmax(sizes - limits))
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


def differences(left: FloatArray, right: FloatArray) -> FloatArray:
    """Measure |left − right|: 0 between equal ±∞ or NaN, ∞ where only one is NaN."""
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.abs(left - right)
    if np.isfinite(gaps).all():
        return gaps
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    return np.where(same, 0, np.where(np.isnan(gaps), np.inf, gaps))
