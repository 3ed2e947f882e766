"""A sheet of paper with the open section, and its key."""

import numpy as np

from attnviz.export.exercise import MOST, too_large
from attnviz.export.paper import Writer
from attnviz.pages.mistakes.shown import Shown


def shown_worksheet(shown: Shown, writer: Writer) -> str:
    """Write the matrices of the open section, the last row of each left open.

    Returns
    -------
    document : str
        A whole HTML document; where the matrices are too large, it says so.
    """
    tables = {name: shown.screen.table(name, shown.head or 0) for name in shown.tables}
    if max(max(table.shape) for table in tables.values()) > MOST:
        return writer.document("mistakes", [too_large(writer)])
    content = []
    for name, table in tables.items():
        blank = np.zeros(table.shape, dtype=np.bool_)
        blank[-1] = True
        content.append(writer.matrix(shown.screen, name, table, blank=blank))
    title = writer.words("mistakes.sheet", name=shown.file_name)
    return writer.document("mistakes", [writer.section(title, "", content)])
