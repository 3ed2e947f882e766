"""The script of the Positions page."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.positions.bias import BiasTrace
from attnviz.example.positions.compute import PositionsTrace
from attnviz.example.positions.order import OrderTrace
from attnviz.example.positions.rotary import RotaryTrace
from attnviz.example.positions.table import TableTrace
from attnviz.export.dialect import Dialect, Words, assemble, magnitude, shown
from attnviz.pages.positions.script.functions import define_functions
from attnviz.pages.positions.script.order import order_sections
from attnviz.pages.positions.script.parts import (
    bias_section,
    rotary_section,
    table_section,
)


def positions_script(trace: PositionsTrace, dialect: Dialect, words: Words) -> str:
    """Write the script that tries the order, and makes tables, rotations and biases."""
    sections = [define_functions(trace, dialect, words)]
    arrays: dict[str, FloatArray] = {}
    if isinstance(trace.order, OrderTrace):
        sections += order_sections(trace, trace.order, dialect, words)
        arrays |= {
            "order_original": trace.order.original.attention.context,
            "order_permuted": trace.order.back,
            "order_change": trace.order.change,
        }
    if isinstance(trace.table, TableTrace):
        sections.append(table_section(trace, trace.table, dialect, words))
        arrays |= {
            "position_table": trace.table.table,
            "position_gram": trace.table.gram,
        }
        if trace.table.total is not None:
            arrays["sum_inputs"] = trace.table.total
    if isinstance(trace.rotary, RotaryTrace):
        sections.append(rotary_section(trace.rotary, dialect, words))
        arrays |= {
            "rotary_queries": trace.rotary.queries,
            "rotary_keys": trace.rotary.keys,
            "rotary_scores": trace.rotary.scores,
        }
    if isinstance(trace.bias, BiasTrace):
        sections.append(bias_section(trace, trace.bias, dialect, words))
        arrays |= {
            "position_bias": trace.bias.bias,
            "biased_weights": trace.bias.attention.weights,
        }
    return assemble(
        dialect,
        words,
        words("export.script.positions"),
        magnitude(np.zeros(1), *arrays.values()),
        [*sections, shown(dialect, words("export.script.shown"), arrays)],
    )
