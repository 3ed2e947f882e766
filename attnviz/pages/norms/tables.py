"""The tables of the Layer norm page."""

import pandas as pd

from attnviz.example.norms import NormExampleTrace
from attnviz.tables.screen import screen_tables

TABLES = (
    "norm_input",
    "norm_statistics",
    "norm_normalized",
    "gamma",
    "beta",
    "norm_output",
)
STATISTICS = ("norm_mean", "norm_variance", "output_mean", "output_variance")


def norm_tables(trace: NormExampleTrace) -> dict[str, pd.DataFrame]:
    """Tabulate every stage of Layer Normalization.

    Returns
    -------
    tables : dict of str to DataFrame
        One row a position; γ and β as one row each.
    """
    beside = {"norm_statistics": STATISTICS}
    return screen_tables(trace.screen(), TABLES, beside=beside)
