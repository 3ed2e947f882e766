"""The tables of the Scaling lab."""

import numpy as np
import pandas as pd

from attnviz.example.scaling.compute import ScalingTrace
from attnviz.example.scaling.draws import Measured
from attnviz.example.scaling.settings import SIZES
from attnviz.tables.screen import screen_tables

TABLES = (
    "divided",
    "shares",
    "jacobian_raw",
    "jacobian",
    "d_context",
    "d_v",
    "d_weights",
    "d_scores",
    "d_q",
    "d_k",
)


def scaling_tables(trace: ScalingTrace) -> dict[str, pd.DataFrame]:
    """Tabulate the curves with their standard errors, and the matrices.

    Returns
    -------
    tables : dict of str to DataFrame
        Curves with a row for each size of a key.
    """
    curves = {
        f"{name}_curve": _curve(getattr(trace.draws, name), trace.divisor_names[:3])
        for name in ("largest", "norm")
    }
    return {**curves, **screen_tables(trace.screen(), TABLES)}


def _curve(measured: Measured, divisors: tuple[str, ...]) -> pd.DataFrame:
    columns = {}
    for at, divisor in enumerate(divisors):
        columns[divisor] = measured.mean[at]
        columns[f"± {divisor}"] = np.asarray(measured.error[at])
    return pd.DataFrame(columns, index=pd.Index(SIZES, name="d_k"))
