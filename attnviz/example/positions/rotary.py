"""Rotary positions: one query and one key, turned to every place."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.errors import SettingError
from attnviz.core.positions import Pairing, rotate
from attnviz.example.positions.settings import PositionsSettings


@dataclass(frozen=True, slots=True)
class RotaryTrace:
    """What rotation does to a query and a key; read-only.

    Attributes
    ----------
    query, key : FloatArray of shape (d_k,)
        The rows that are turned.
    pairings : tuple of Pairing
        Which features turn together, of queries and of keys.
    query_cos, query_sin, key_cos, key_sin : FloatArray of shape (p, d_k)
        Factors of a feature itself and of its partner, at each place.
    queries, keys : FloatArray of shape (p, d_k)
        The rows as they are at each place.
    scores : FloatArray of shape (p, p)
        Their products, divided by √d_k.
    pair : tuple of (tuple of int)
        Features of the chosen pair, of queries and of keys.
    """

    query: FloatArray
    key: FloatArray
    pairings: tuple[Pairing, Pairing]
    query_cos: FloatArray
    query_sin: FloatArray
    key_cos: FloatArray
    key_sin: FloatArray
    queries: FloatArray
    keys: FloatArray
    scores: FloatArray
    pair: tuple[tuple[int, int], tuple[int, int]]


def compute_rotary(
    query: FloatArray, key: FloatArray, settings: PositionsSettings
) -> RotaryTrace:
    """Turn a query and a key to every place, and let them meet.

    Parameters
    ----------
    query, key : FloatArray of shape (d_k,)
        Rows as they are before they are turned.

    Raises
    ------
    SettingError
        If their features do not pair.
    """
    width, base = query.shape[-1], settings.theta
    if width % 2:
        raise SettingError("odd_pairs", got=width)
    pairings = _pairings(settings)
    places = np.arange(settings.n_positions)
    turned = [
        read_only(
            rotate(
                np.broadcast_to(row, (len(places), width)),
                places,
                base=base,
                pairing=pairing,
            )
        )
        for row, pairing in zip((query, key), pairings, strict=True)
    ]
    factors = [_factors(places, width, base, pairing) for pairing in pairings]
    pair = min(settings.pair, width // 2 - 1)
    return RotaryTrace(
        query,
        key,
        pairings,
        *factors[0],
        *factors[1],
        turned[0],
        turned[1],
        read_only(turned[0] @ turned[1].T / np.sqrt(width)),
        tuple(pair_of(pairing, pair, width) for pairing in pairings),  # type: ignore[arg-type]
    )


def pair_of(pairing: Pairing, pair: int, width: int) -> tuple[int, int]:
    """Name the two features that turn together."""
    if pairing == "interleaved":
        return 2 * pair, 2 * pair + 1
    return pair, pair + width // 2


def _pairings(settings: PositionsSettings) -> tuple[Pairing, Pairing]:
    if settings.turning == "mixed":
        return "interleaved", "half"
    return settings.turning, settings.turning


def _factors(
    places: np.ndarray, width: int, base: float, pairing: Pairing
) -> tuple[FloatArray, FloatArray]:
    """Turn the axes: what is left of a feature, and what comes of its partner."""
    first, second = np.zeros((2, width))
    for pair in range(width // 2):
        own, other = pair_of(pairing, pair, width)
        first[own] = second[other] = 1.0
    ahead, behind = (
        rotate(
            np.broadcast_to(axis, (len(places), width)),
            places,
            base=base,
            pairing=pairing,
        )
        for axis in (first, second)
    )
    is_first = first.astype(bool)
    cos = np.where(is_first, ahead, behind)
    sin = np.where(is_first, behind, ahead)
    return read_only(cos), read_only(sin)
