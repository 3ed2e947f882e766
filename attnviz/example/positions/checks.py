"""Check the claims of the Positions page on the numbers on screen."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks._measures import not_applicable, worst
from attnviz.core.checks.check import Check
from attnviz.core.positions import diagonal_spread
from attnviz.example.positions.bias import BiasTrace
from attnviz.example.positions.compute import PositionsTrace
from attnviz.example.positions.order import OrderTrace
from attnviz.example.positions.rotary import RotaryTrace
from attnviz.example.positions.table import TableTrace

# Rounding, as a share of the largest number on the way.
_ROUNDING = 1e-13


def check_positions(trace: PositionsTrace) -> tuple[Check, ...]:
    """Measure what must hold of order, tables, rotations and biases.

    Parameters
    ----------
    trace : PositionsTrace
        What is on screen.

    Returns
    -------
    checks : tuple of Check
        Without positions and mask a change of 0; rows of a sinusoidal table of one
        length, products of them constant along diagonals and the same in either order
        of features; rotations that keep lengths, and scores and biases constant along
        diagonals.
    """
    return (
        _order(trace.order),
        *_table(trace, trace.table),
        *_rotary(trace.rotary),
        _bias(trace.bias),
    )


def _order(order: object) -> Check:
    if not isinstance(order, OrderTrace):
        return not_applicable("order_kept")
    values = order.original.attention.v
    return _zero("order_kept", np.array([order.largest["none", "none"]]), values)


def _table(trace: PositionsTrace, table: object) -> tuple[Check, ...]:
    """Check what holds of sinusoids; of learned rows nothing need hold."""
    names = ("pair_norm", "gram_diagonals", "gram_order")
    if not isinstance(table, TableTrace) or trace.settings.table == "learned":
        return tuple(map(not_applicable, names))
    half = table.table.shape[-1] / 2
    measured = (
        (table.table**2).sum(axis=-1) - half,
        diagonal_spread(table.gram),
        table.gram - table.other_gram,
    )
    return tuple(
        _zero(name, deviations, table.gram)
        for name, deviations in zip(names, measured, strict=True)
    )


def _rotary(rotary: object) -> tuple[Check, ...]:
    names = ("rotary_norm", "rotary_diagonals")
    if not isinstance(rotary, RotaryTrace):
        return tuple(map(not_applicable, names))
    sides = ((rotary.query, rotary.queries), (rotary.key, rotary.keys))
    norms = np.stack(
        [(turned**2).sum(axis=-1) - (row**2).sum() for row, turned in sides]
    )
    squares = np.stack([(row**2).sum() for row, _ in sides])
    return (
        _zero(names[0], norms, squares),
        _zero(names[1], diagonal_spread(rotary.scores), squares),
    )


def _bias(bias: object) -> Check:
    if not isinstance(bias, BiasTrace):
        return not_applicable("bias_diagonals")
    return _zero("bias_diagonals", diagonal_spread(bias.bias), np.zeros(1))


def _zero(name: str, deviations: FloatArray, among: FloatArray) -> Check:
    """Require 0, but for the rounding of numbers of some size."""
    tolerance = _ROUNDING * max(1.0, float(np.abs(among).max()))
    return worst(name, deviations, tolerance)
