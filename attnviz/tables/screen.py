"""The matrices on screen as tables."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import pandas as pd

from attnviz.example.screen import Screen
from attnviz.tables.matrix import matrix_table

Beside = Mapping[str, tuple[str, ...]]


def screen_tables(
    screen: Screen,
    names: Iterable[str],
    head: int = 0,
    *,
    beside: Beside = MappingProxyType({}),
) -> dict[str, pd.DataFrame]:
    """Tabulate matrices of one head.

    Parameters
    ----------
    names : iterable of str
        Tables in reading order; what is not on screen is left out.
    beside : mapping of str to tuple of str, optional
        Tables that hold more matrices than the one of their name, side by side.

    Returns
    -------
    tables : dict of str to DataFrame
        By name. A column of single numbers is headed by its symbol.
    """
    tables = {}
    for name in names:
        found = [one for one in beside.get(name, (name,)) if one in screen]
        if found:
            frames = [_table(screen, one, head) for one in found]
            tables[name] = pd.concat(frames, axis=1)
    return tables


def _table(screen: Screen, name: str, head: int) -> pd.DataFrame:
    matrix = screen.matrix(name)
    rows, columns = matrix.sides
    table = matrix_table(
        screen.table(name, head),
        rows=[matrix.plain] if matrix.is_row else screen.labels.get(rows, ()),
        columns=screen.labels.get(columns, ()),
    )
    return table.set_axis([matrix.plain], axis=1) if matrix.is_column else table
