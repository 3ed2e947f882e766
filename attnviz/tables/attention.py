"""The tables of the Attention page."""

import numpy as np
import pandas as pd

from attnviz.core.attention import slice_head
from attnviz.core.example import ExampleTrace
from attnviz.tables.matrix import matrix_table


def attention_tables(trace: ExampleTrace, head: int) -> dict[str, pd.DataFrame]:
    """Tabulate every matrix of one head.

    Parameters
    ----------
    trace : ExampleTrace
        The example on screen.
    head : int
        The head whose stages are shown, counted from 0.

    Returns
    -------
    tables : dict of str to DataFrame
        By matrix name, in the order of the computation.
    """
    p = trace.parameters
    a = slice_head(trace.heads.attention, head)
    names = trace.tokens
    rows = pd.concat(
        [
            matrix_table(a.weights, rows=names, columns=names),
            matrix_table(a.row_max, rows=names, columns=["max"]),
            matrix_table(a.row_sum, rows=names, columns=["Σ"]),
        ],
        axis=1,
    )
    rows.columns = [*rows.columns[: len(names)], "max", "Σ"]
    return {
        "x": matrix_table(trace.x, rows=names),
        "w_q": matrix_table(p.w_q[head]),
        "w_k": matrix_table(p.w_k[head]),
        "w_v": matrix_table(p.w_v[head]),
        "q": matrix_table(a.q, rows=names),
        "k": matrix_table(a.k, rows=names),
        "v": matrix_table(a.v, rows=names),
        "scores": matrix_table(a.scores, rows=names, columns=names),
        "mask": matrix_table(
            np.zeros_like(a.scores), hidden=~a.visible, rows=names, columns=names
        ),
        "weights": rows,
        "context": matrix_table(a.context, rows=names),
        "joined": matrix_table(trace.heads.joined, rows=names),
        "w_o": matrix_table(p.w_o),
        "output": matrix_table(trace.heads.output, rows=names),
    }
