"""Rotary positions: one query and one key, turned to every place."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.errors import SettingError
from attnviz.core.positions import Pairing, diagonal_spread, rotate
from attnviz.example.choices.positions import Encoding, rotation
from attnviz.example.positions.rounding import rounding_among
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
    rows : tuple of int
        Which rows of Q and of K they are, counted from 0.
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
    rows: tuple[int, int]
    pair: tuple[tuple[int, int], tuple[int, int]]

    @property
    def rounding(self) -> float:
        """Up to which size a difference of squares or products is rounding."""
        return rounding_among(np.array([self.query @ self.query, self.key @ self.key]))

    @property
    def sees_distance_alone(self) -> bool:
        """Whether places at one distance share their score."""
        return bool(diagonal_spread(self.scores).max() <= self.rounding)


def compute_rotary(
    q: FloatArray, k: FloatArray, settings: PositionsSettings
) -> RotaryTrace:
    """Turn the first query and the second key to every place, and let them meet.

    Parameters
    ----------
    q, k : FloatArray of shape (T, d_k)
        Queries and keys of a head, as they are before they are turned.

    Raises
    ------
    SettingError
        If their features do not pair.
    """
    width, base = q.shape[-1], settings.theta
    if width % 2:
        raise SettingError("odd_pairs", got=width)
    rows = 0, min(1, len(k) - 1)
    query, key = q[rows[0]], k[rows[1]]
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
    cos, sin = rotation(len(places), width, Encoding(base=base))
    # Where the features stand that `rotation` has as neighbours.
    orders = [np.argsort(np.ravel(pairs_of(pairing, width))) for pairing in pairings]
    factors = [(read_only(cos[:, at]), read_only(sin[:, at])) for at in orders]
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
        rows,
        (pairs_of(pairings[0], width)[pair], pairs_of(pairings[1], width)[pair]),
    )


def pairs_of(pairing: Pairing, width: int) -> list[tuple[int, int]]:
    """Name the pairs of features that turn together."""
    pairs = range(width // 2)
    if pairing == "interleaved":
        return [(2 * pair, 2 * pair + 1) for pair in pairs]
    return [(pair, pair + width // 2) for pair in pairs]


def _pairings(settings: PositionsSettings) -> tuple[Pairing, Pairing]:
    if settings.turning == "mixed":
        return "interleaved", "half"
    return settings.turning, settings.turning
