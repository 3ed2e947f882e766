"""The tables of the Attention page."""

import pandas as pd

from attnviz.example.matrices import SIDED
from attnviz.example.weights_alone import Shown
from attnviz.pages.attention.captions import counted_positions
from attnviz.tables.screen import screen_tables

TABLES = (
    "x",
    "positions",
    "inputs",
    "x_k",
    "key_positions",
    "key_inputs",
    "w_q",
    "w_k",
    "w_v",
    "q",
    "k",
    "v",
    "q_turned",
    "k_turned",
    "score_w",
    "q_w",
    "score_w_q",
    "score_w_k",
    "score_v",
    "bias",
    "scores",
    "mask",
    "weights",
    "context",
    "joined",
    "w_o",
    "output",
)


def attention_tables(trace: Shown, head: int) -> dict[str, pd.DataFrame]:
    """Tabulate every matrix of one head.

    Returns
    -------
    tables : dict of str to DataFrame
        By matrix name, in the order of the computation; what the example does not
        have is left out. The weights carry the statistics of each row, the corner of
        sinusoids says where positions begin to count. Where keys come from elsewhere,
        inputs and positions are named as the queries'.
    """
    beside = {"weights": ("weights", "row_max", "row_sum", "weight_sum")}
    tables = screen_tables(trace.screen(), TABLES, head, beside=beside)
    if trace.example.positions == "sinusoidal":
        for name in ("positions", "key_positions"):
            if name in tables:
                counted = counted_positions(trace.example, len(tables[name]))
                tables[name].index.name = counted
    if not trace.example.is_cross:
        return tables
    return {f"{name}_q" if name in SIDED else name: one for name, one in tables.items()}
