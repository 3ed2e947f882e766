"""From a matrix on screen to the panel that draws it."""

from typing import Any

from attnviz.example.fractions import fraction_texts
from attnviz.example.screen import Screen
from attnviz.figures.matrix import Axis, Panel


def panel(
    screen: Screen,
    name: str,
    head: int = 0,
    *,
    track: int = 0,
    band: int = 0,
    is_turned: bool = False,
    **look: Any,  # noqa: ANN401 - the fields of Panel
) -> Panel:
    """Draw a matrix with the symbol, the colour and the axes of the catalogue.

    Parameters
    ----------
    name : str
        The matrix, or a slice of it such as "weights_2".
    track, band : int
        Column and row of the figure in which it stands.
    is_turned : bool, default=False
        Whether rows and columns change places, as those of the keys above a score.
    **look
        Further fields of a Panel.
    """
    matrix, values = screen.matrix(name), screen.table(name, head)
    rows, columns = (axis_of(screen, axis) for axis in matrix.sides)
    hidden = screen.hides(name, head)
    if is_turned:
        values, rows, columns = values.T, columns, rows
        hidden = None if hidden is None else hidden.T
    texts = fraction_texts(values) if name in screen.in_fractions else None
    return Panel(
        **{
            "name": name,
            "values": values,
            "symbol": (matrix.base, matrix.sub, "⊤" if is_turned else matrix.sup),
            "entry": matrix.entry,
            "role": matrix.role,
            "rows": rows,
            "columns": columns,
            "track": track,
            "band": band,
            "is_turned": is_turned,
            "kind": matrix.kind,
            "hidden": hidden,
            "glyph": "" if hidden is None else "0",
            "texts": texts,
            **look,
        }
    )


def axis_of(screen: Screen, name: str) -> Axis:
    """Give an axis with the words along it."""
    return Axis(name, screen.labels.get(name, ()), screen.padding.get(name))
