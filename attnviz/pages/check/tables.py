"""The tables of the page Check mine."""

import pandas as pd

from attnviz.example.screen import Screen
from attnviz.tables.screen import screen_tables


def check_tables(screen: Screen, head: int) -> dict[str, pd.DataFrame]:
    """Tabulate what is on screen, of one head."""
    return screen_tables(screen, screen.matrices, head)
