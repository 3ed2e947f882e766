"""The tables of the Attention page."""

import numpy as np
import pandas as pd

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.scaled_dot_product import AttentionTrace, slice_head
from attnviz.example.choices.scores import moved_queries
from attnviz.example.compute import ExampleTrace
from attnviz.example.weights_alone import Shown, WeightsTrace
from attnviz.tables.matrix import matrix_table


def attention_tables(trace: Shown, head: int) -> dict[str, pd.DataFrame]:
    """Tabulate every matrix of one head.

    Parameters
    ----------
    trace : ExampleTrace or WeightsTrace
        The example on screen.
    head : int
        The head whose stages are shown, counted from 0.

    Returns
    -------
    tables : dict of str to DataFrame
        By matrix name, in the order of the computation; what the example does not
        have is left out.
    """
    rows, keys = trace.tokens, trace.key_tokens
    if isinstance(trace, WeightsTrace):
        weights = matrix_table(trace.weights[head], rows=rows, columns=keys)
        sums = _column(trace.row_sum[head], rows, "Σ")
        return {"weights": pd.concat([weights, sums], axis=1)}
    a = slice_head(trace.attention, head)
    return {
        **_inputs(trace, head),
        "q": matrix_table(trace.q[head], rows=rows),
        "k": matrix_table(trace.k[head], rows=keys),
        "v": matrix_table(trace.v[head], rows=keys),
        **_meeting(trace, a),
        "scores": matrix_table(a.scores, rows=rows, columns=keys),
        "mask": matrix_table(
            np.zeros_like(a.scores), hidden=~a.visible, rows=rows, columns=keys
        ),
        "weights": _weights(trace, a),
        "context": matrix_table(a.context, rows=rows),
        **_outputs(trace),
    }


def _inputs(trace: ExampleTrace, head: int) -> dict[str, pd.DataFrame]:
    """Tabulate inputs and projections, unless Q, K and V are given."""
    p = trace.parameters
    if p is None:
        return {}
    sides = [("x", "positions", "inputs", trace.tokens)]
    if trace.example.is_cross:
        sides.append(("x_k", "key_positions", "key_inputs", trace.key_tokens))
    tables = {}
    for x, positions, inputs, names in sides:
        for name in (x,) if trace.positions is None else (x, positions, inputs):
            tables[name] = matrix_table(getattr(trace, name), rows=names)
    return tables | {
        "w_q": matrix_table(p.w_q[head]),
        "w_k": matrix_table(p.w_k[head]),
        "w_v": matrix_table(p.w_v[head]),
    }


def _meeting(trace: ExampleTrace, a: AttentionTrace) -> dict[str, pd.DataFrame]:
    """Tabulate what lies between queries and keys and their scores."""
    rows, keys = trace.tokens, trace.key_tokens
    tables = {}
    if trace.example.positions == "rotary":
        tables["q_turned"] = matrix_table(a.q, rows=rows)
        tables["k_turned"] = matrix_table(a.k, rows=keys)
    if trace.scoring is not None and trace.example.scoring == "bilinear":
        tables["score_w"] = matrix_table(trace.scoring.w)
        tables["q_w"] = matrix_table(moved_queries(a.q, trace.scoring), rows=rows)
    if trace.scoring is not None and trace.example.scoring == "additive":
        tables["score_w_q"] = matrix_table(trace.scoring.w_q)
        tables["score_w_k"] = matrix_table(trace.scoring.w_k)
        tables["score_v"] = matrix_table(trace.scoring.v[:, None])
    if a.bias is not None:
        tables["bias"] = matrix_table(a.bias, rows=rows, columns=keys)
    return tables


def _weights(trace: ExampleTrace, a: AttentionTrace) -> pd.DataFrame:
    """Tabulate the weights with the maximum and the sum of each row."""
    rows, keys = trace.tokens, trace.key_tokens
    return pd.concat(
        [
            matrix_table(a.weights, rows=rows, columns=keys),
            _column(a.row_max, rows, "max"),
            _column(a.row_sum, rows, "Σ"),
        ],
        axis=1,
    )


def _column(values: FloatArray, rows: tuple[str, ...], name: str) -> pd.DataFrame:
    return matrix_table(values, rows=rows).set_axis([name], axis=1)


def _outputs(trace: ExampleTrace) -> dict[str, pd.DataFrame]:
    """Tabulate joined heads and output, unless Q, K and V are given."""
    if trace.heads is None or trace.parameters is None:
        return {}
    return {
        "joined": matrix_table(trace.heads.joined, rows=trace.tokens),
        "w_o": matrix_table(trace.parameters.w_o),
        "output": matrix_table(trace.heads.output, rows=trace.tokens),
    }
