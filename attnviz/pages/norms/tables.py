"""The tables of the Layer norm page."""

import pandas as pd

from attnviz.example.norms import NormExampleTrace
from attnviz.tables.matrix import matrix_table


def norm_tables(trace: NormExampleTrace) -> dict[str, pd.DataFrame]:
    """Tabulate every stage of Layer Normalization.

    Parameters
    ----------
    trace : NormExampleTrace
        The normalization on screen.

    Returns
    -------
    tables : dict of str to DataFrame
        One row a position; γ and β as one row each.
    """
    norm, names = trace.norm, trace.tokens
    statistics = pd.DataFrame(
        {
            "μ": norm.mean,
            "v": norm.variance,
            "μ_y": trace.output_mean,
            "v_y": trace.output_variance,
        },
        index=matrix_table(norm.x, rows=names).index,
    )
    return {
        "norm_input": matrix_table(norm.x, rows=names),
        "norm_statistics": statistics,
        "norm_normalized": matrix_table(norm.normalized, rows=names),
        "gamma": matrix_table(norm.gamma[None], rows=["γ"]),
        "beta": matrix_table(norm.beta[None], rows=["β"]),
        "norm_output": matrix_table(norm.output, rows=names),
    }
