"""A sheet of paper on order and positions, and its key."""

import numpy as np
from htmltools import Tag

from attnviz.core.positions import sinusoidal_positions
from attnviz.example.positions.compute import PositionsTrace
from attnviz.example.positions.order import OrderTrace
from attnviz.example.positions.table import TableTrace
from attnviz.export.exercise import DECIMALS, MOST, rounded, too_large
from attnviz.export.paper import Writer

# Rows of the table that are asked for.
_ROWS = 3


def positions_worksheet(trace: PositionsTrace, writer: Writer) -> str:
    """Write the sheet of the Positions page.

    Returns
    -------
    document : str
        As `attention_worksheet`.
    """
    order, table = trace.order, trace.table
    sections: list[Tag] = []
    if isinstance(order, OrderTrace):
        shape = order.original.attention.context[trace.head].shape
        fits = max(shape) <= MOST
        sections.append(_order(trace, order, writer) if fits else too_large(writer))
    if isinstance(table, TableTrace) and table.wavelength is not None:
        if table.table.shape[-1] <= MOST:
            sections.append(_table(trace, writer))
        else:
            sections.append(too_large(writer))
    return writer.document("positions", sections or [too_large(writer)])


def _order(trace: PositionsTrace, order: OrderTrace, writer: Writer) -> Tag:
    """Ask for the rows of the first run, in the order of the second."""
    screen, head = trace.screen(), trace.head
    context = rounded(order.original.attention.context[head])
    moved = rounded(order.moved.attention.context[head])
    back = moved[list(order.places)]
    everywhere = np.ones(context.shape, dtype=np.bool_)
    return writer.section(
        writer.words("export.sheet.order"),
        writer.formula("order"),
        [
            writer.matrix(screen, "order_original", context, decimals=DECIMALS),
            writer.matrix(screen, "moved_context", moved, decimals=DECIMALS),
            writer.matrix(
                screen, "order_permuted", back, blank=everywhere, decimals=DECIMALS
            ),
            writer.matrix(
                screen,
                "order_change",
                rounded(back - context),
                blank=everywhere,
                decimals=DECIMALS,
            ),
        ],
    )


def _table(trace: PositionsTrace, writer: Writer) -> Tag:
    """Ask for the first rows of the table."""
    settings, first = trace.settings, trace.example.first_position
    rows = sinusoidal_positions(
        _ROWS,
        trace.example.d_model,
        start=first,
        base=settings.theta,
        order=settings.features,
    )
    numbers = writer.table(
        rows,
        rows=[f"p = {first + row}" for row in range(_ROWS)],
        columns=trace.screen().labels.get("feature", ()),
        blank=np.ones(rows.shape, dtype=np.bool_),
    )
    return writer.section(
        writer.words("export.sheet.table", base=settings.base),
        writer.formula("sinusoid"),
        [numbers],
    )
