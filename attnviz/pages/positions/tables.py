"""The tables of the Positions page."""

import pandas as pd

from attnviz.example.positions.compute import PositionsTrace
from attnviz.tables.screen import screen_tables

TABLES = (
    "x",
    "inputs",
    "weights",
    "order_original",
    "moved_x",
    "moved_inputs",
    "moved_weights",
    "moved_context",
    "order_permuted",
    "order_change",
    "position_table",
    "position_gram",
    "sum_inputs",
    "norms_of_rows",
    "rotary_queries",
    "rotary_keys",
    "rotary_scores",
    "bias_scores",
    "position_bias",
    "biased_scores",
    "biased_weights",
)


def positions_tables(trace: PositionsTrace) -> dict[str, pd.DataFrame]:
    """Tabulate every matrix of the page, of the shown head."""
    beside = {"norms_of_rows": ("x_norm", "p_norm")}
    return screen_tables(trace.screen(), TABLES, trace.head, beside=beside)
