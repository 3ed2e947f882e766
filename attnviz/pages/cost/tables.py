"""The tables of the Cost lab."""

import pandas as pd

from attnviz.core.cost import LINES
from attnviz.example.cost.calculator import LENGTHS, CostTrace


def cost_tables(trace: CostTrace) -> dict[str, pd.DataFrame]:
    """Tabulate the lines of a layer, and the curves over the length.

    Returns
    -------
    tables : dict of str to DataFrame
        "lines" and "curves".
    """
    names = [line.name for line in LINES]
    elements = pd.Series(trace.elements, dtype=object)
    lines = {
        "elements": elements,
        "bytes": elements.map(trace.bytes),
        "multiply-adds": pd.Series(trace.work, dtype=object),
    }
    curves = trace.curves
    return {
        "lines": pd.DataFrame(lines).set_axis(names, axis=0),
        "curves": pd.DataFrame(
            {
                "scores": curves.scores,
                "projections": curves.projections,
                "window": curves.window,
                "score bytes": curves.score_bytes,
                "cache bytes": curves.cache_bytes,
            },
            index=pd.Index(LENGTHS, name="T"),
        ),
    }
