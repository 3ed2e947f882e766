"""The tables of the Cost lab."""

import pandas as pd

from attnviz.core.cost import LINES
from attnviz.example.cost.calculator import LENGTHS, CostTrace
from attnviz.text.catalog import Translate


def cost_tables(trace: CostTrace, tr: Translate) -> dict[str, pd.DataFrame]:
    """Tabulate the lines of a layer, and the curves over the length.

    Returns
    -------
    tables : dict of str to DataFrame
        "cost_lines" and "cost_curves".
    """
    curves = trace.curves
    lines = {
        tr("cost.column.elements"): list(trace.elements),
        tr("cost.column.bytes"): [trace.bytes(each) for each in trace.elements],
        tr("cost.column.work"): list(trace.work),
    }
    over = {
        tr("cost.curve.scores"): curves.scores,
        tr("cost.curve.projections"): curves.projections,
        tr("cost.curve.table_bytes"): curves.score_bytes,
        tr("cost.curve.kept_bytes"): curves.cache_bytes,
    }
    if trace.cost.window:
        over[tr("cost.curve.window", window=trace.cost.window)] = curves.window
    return {
        "cost_lines": pd.DataFrame(
            lines, index=pd.Index([line.name for line in LINES]), dtype=float
        ),
        "cost_curves": pd.DataFrame(over, index=pd.Index(LENGTHS, name="T")),
    }
