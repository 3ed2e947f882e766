"""The tables of the page on masks and mistakes."""

import pandas as pd

from attnviz.pages.mistakes.shown import Shown
from attnviz.tables.screen import screen_tables


def shown_tables(shown: Shown) -> dict[str, pd.DataFrame]:
    """Tabulate what the open section shows."""
    return screen_tables(shown.screen, shown.tables, shown.head or 0)
