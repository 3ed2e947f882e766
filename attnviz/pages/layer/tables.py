"""The tables of the Layer page."""

import pandas as pd

from attnviz.example.layer.view import LayerView
from attnviz.example.matrices import GRADIENT
from attnviz.pages.layer.figures import station_names
from attnviz.tables.screen import screen_tables


def layer_tables(view: LayerView) -> dict[str, pd.DataFrame]:
    """Tabulate the token's way and what the open station is about.

    Returns
    -------
    tables : dict of str to DataFrame
        By matrix name, in the order of the figures.
    """
    way = f"{GRADIENT}way" if view.settings.shows_gradients else "way"
    return screen_tables(
        view.screen(),
        [way, *station_names(view)],
        view.settings.layer,
        beside={way: (way, f"{way}_mean", f"{way}_norm")},
    )
