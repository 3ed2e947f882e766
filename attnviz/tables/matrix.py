"""Matrices as pandas frames with labelled rows and columns."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attnviz.core.arrays.shapes import BoolArray, FloatArray


def matrix_table(
    values: FloatArray,
    *,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    hidden: BoolArray | None = None,
) -> pd.DataFrame:
    """Label a matrix.

    Parameters
    ----------
    values : FloatArray of shape (rows, columns)
        The numbers.
    rows, columns : sequence of str, optional
        Names of the axes; counted from 1 where there are none.
    hidden : BoolArray of shape (rows, columns), optional
        Cells that hold −∞ instead of their number.

    Returns
    -------
    table : DataFrame
        Labels such as "2 cat"; equal names stay apart by their position.
    """
    shown = values if hidden is None else np.where(hidden, -np.inf, values)
    n_rows, n_columns = values.shape
    return pd.DataFrame(
        shown, index=_labels(rows, n_rows), columns=_labels(columns, n_columns)
    )


def _labels(names: Sequence[str], count: int) -> list[str]:
    if not names:
        return [str(i + 1) for i in range(count)]
    return [f"{i + 1} {name}" for i, name in enumerate(names)]
