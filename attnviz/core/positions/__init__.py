"""Positions: added to the inputs, turned into queries and keys, or put on scores."""

from attnviz.core.positions.diagonals import diagonal_spread
from attnviz.core.positions.relative import (
    alibi_bias,
    alibi_slopes,
    relative_bias,
    relative_buckets,
)
from attnviz.core.positions.rotary import Pairing, rotate, rotate_by
from attnviz.core.positions.sinusoidal import (
    Order,
    learned_positions,
    positions_from_valid,
    sinusoidal_positions,
)

__all__ = [
    "Order",
    "Pairing",
    "alibi_bias",
    "alibi_slopes",
    "diagonal_spread",
    "learned_positions",
    "positions_from_valid",
    "relative_bias",
    "relative_buckets",
    "rotate",
    "rotate_by",
    "sinusoidal_positions",
]
