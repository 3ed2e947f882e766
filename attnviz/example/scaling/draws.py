"""Queries and keys are drawn, and their scores at every size of a key."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attnviz.core.arrays.randomness import stream
from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.attention.weights import softmax
from attnviz.core.gradients import softmax_jacobian_norm
from attnviz.example.scaling.settings import SIZES, WIDTHS, Law, Scaling

# In whose order curves stand: not divided, by √d_k, by d_k.
POWERS = (0.0, 0.5, 1.0)
# Rows that are drawn together: few products of many rows take less time.
_AT_ONCE = 256


class Drawn(NamedTuple):
    """What the drawing of queries and keys depends on."""

    seed: int
    law: Law
    keys: int
    rows: int
    width: int
    correlation: float
    mean: float


def drawn(settings: Scaling) -> Drawn:
    """Take from the settings what the drawing depends on, and nothing else."""
    is_free = settings.law == "components"
    return Drawn(
        settings.seed,
        settings.law,
        settings.keys,
        settings.n_drawn,
        0 if is_free else settings.width,
        settings.correlation if is_free else 0.0,
        settings.mean if is_free else 0.0,
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean over all rows, and how far sampling may have moved it.

    Attributes
    ----------
    mean, error : FloatArray
        Mean and its standard error, from the spread of whole sequences: rows of one
        sequence share their keys.
    """

    mean: FloatArray
    error: FloatArray


@dataclass(frozen=True, slots=True)
class Draws:
    """Scores at every size of a key, and what the softmax makes of them.

    Attributes
    ----------
    raw : FloatArray of shape (sizes, sequences, T, T)
        Dot products q·k over the first 1, 2, 4, … components.
    largest, norm : Measured of shape (divisors, sizes)
        Mean largest weight, and mean norm of the softmax's Jacobian, for the divisors
        1, √d_k and d_k.
    """

    raw: FloatArray
    largest: Measured
    norm: Measured


@remember(12_000_000)
def draw_scores(of: Drawn) -> Draws:
    """Draw queries and keys, sequence by sequence.

    A sequence has as many queries as keys, drawn from streams of its own at the
    largest size: more rows, more keys and longer ones keep every number that is there.

    Returns
    -------
    draws : Draws
        In float32, which is enough to draw and to measure.
    """
    count = max(1, of.rows // of.keys)
    raw = np.empty((len(SIZES), count, of.keys, of.keys), dtype=np.float32)
    step = max(1, _AT_ONCE // of.keys)
    for start in range(0, count, step):
        places = range(start, min(start + step, count))
        q, k = sequences(of, places)
        for at, size in enumerate(SIZES):
            turned = k[..., :size].swapaxes(-1, -2)
            np.matmul(q[..., :size], turned, out=raw[at, start : places.stop])
    statistics = np.array([_curves(raw, power) for power in POWERS])
    largest, norm = (_measure(statistics[:, at]) for at in range(2))
    return Draws(read_only(raw), largest, norm)


def sequences(of: Drawn, places: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Draw the queries and the keys of some sequences, at the largest size.

    Returns
    -------
    q, k : FloatArray of shape (sequences, T, 1024)
        In float32.
    """
    if of.law == "components":
        q, k = (
            np.stack([_components(of, f"scaling.{side}.{place}") for place in places])
            for side in "qk"
        )
        return q, k
    names = [f"scaling.x.{place}" for place in places]
    x = np.concatenate([_normal(of.seed, name, (of.keys, of.width)) for name in names])
    if of.law == "inverse":
        x *= np.float32(of.width**-0.5)
    q, k = (x @ draw_weights(of.seed, f"scaling.w_{side}")[: of.width] for side in "qk")
    shape = len(places), of.keys, SIZES[-1]
    return q.reshape(shape), k.reshape(shape)


@remember(7_000_000)
def draw_weights(seed: int, name: str) -> FloatArray:
    """Draw W at its largest size."""
    return read_only(_normal(seed, name, (WIDTHS[-1], SIZES[-1])))


def _components(of: Drawn, name: str) -> FloatArray:
    """Draw vectors whose components have variance 1, one mean and one correlation."""
    own = _normal(of.seed, name, (of.keys, SIZES[-1]))
    if of.correlation:
        common = _normal(of.seed, f"{name}.common", (of.keys, 1))
        own *= np.float32((1 - of.correlation) ** 0.5)
        own += common * np.float32(of.correlation**0.5)
    if of.mean:
        own += np.float32(of.mean)
    return own


def _normal(seed: int, name: str, shape: tuple[int, ...]) -> FloatArray:
    return stream(seed, name).standard_normal(shape, dtype=np.float32)


def _curves(raw: FloatArray, power: float) -> FloatArray:
    """Measure largest weights and Jacobian norms: (2, sizes, sequences)."""
    divisors = np.array(SIZES, dtype=np.float32)[:, None, None, None] ** power
    weights = softmax(raw / divisors.astype(np.float32))
    both = weights.max(axis=-1), softmax_jacobian_norm(weights)
    return np.stack([one.mean(axis=-1, dtype=np.float64) for one in both])


def _measure(per_sequence: FloatArray) -> Measured:
    return Measured(
        read_only(per_sequence.mean(axis=-1)),
        read_only(standard_error(per_sequence)),
    )


def standard_error(per_sequence: FloatArray) -> FloatArray:
    """Estimate how far the mean of independent sequences may lie from the truth."""
    count = per_sequence.shape[-1]
    if count == 1:
        return np.full(per_sequence.shape[:-1], np.nan)
    error: FloatArray = per_sequence.std(axis=-1, ddof=1) / np.sqrt(count)
    return error
