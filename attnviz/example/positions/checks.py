"""Check the claims of the Positions page on the numbers on screen."""

import numpy as np

from attnviz.core.checks._measures import not_applicable, worst
from attnviz.core.checks.check import Check
from attnviz.core.positions import diagonal_spread
from attnviz.example.positions.bias import BiasTrace
from attnviz.example.positions.compute import PositionsTrace
from attnviz.example.positions.order import OrderTrace
from attnviz.example.positions.rotary import RotaryTrace
from attnviz.example.positions.rounding import rounding_among
from attnviz.example.positions.table import TableTrace


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
        _order(trace),
        *_table(trace, trace.table),
        *_rotary(trace.rotary),
        _bias(trace.bias),
    )


def _order(trace: PositionsTrace) -> Check:
    order = trace.order
    if not isinstance(order, OrderTrace):
        return not_applicable("order_kept")
    largest = np.array([order.largest["none", "none"]])
    return worst("order_kept", largest, order.rounding(trace.head))


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
        worst(name, deviations, rounding_among(table.gram))
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
    return (
        worst(names[0], norms, rotary.rounding),
        worst(names[1], diagonal_spread(rotary.scores), rotary.rounding),
    )


def _bias(bias: object) -> Check:
    if not isinstance(bias, BiasTrace):
        return not_applicable("bias_diagonals")
    return worst(
        "bias_diagonals", diagonal_spread(bias.bias), rounding_among(bias.bias)
    )
