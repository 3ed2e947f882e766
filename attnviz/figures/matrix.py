"""The one heat map: labelled matrices that share their rows and columns."""

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from operator import attrgetter
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, FloatArray

FigureSpec = dict[str, Any]
# Axes that nobody sees: names and numbers of a matrix stand beside it.
_BARE = {"visible": False}
Kind = Literal["signed", "weights"]
# Matrices of more cells are drawn anew each time: to remember them takes memory.
_FEW = 1024


@dataclass(frozen=True, slots=True)
class Axis:
    """What the rows or the columns of a matrix stand for.

    Attributes
    ----------
    meaning : str
        What one index is, such as "query" or "key": equal meanings light together.
    names : sequence of str
        A name for each index, for read-outs; may be empty.
    padding : BoolArray or None
        True where the position is padding.
    of : str
        Another meaning, whose indices stand here in an order of their own; they light
        together. Empty for none.
    order : sequence of int
        Which of those stands at each index.
    """

    meaning: str
    names: Sequence[str] = ()
    padding: BoolArray | None = None
    of: str = ""
    order: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One matrix of a figure.

    Attributes
    ----------
    name : str
        Name by which page and tests find it, such as "scores".
    values : FloatArray of shape (rows, columns)
        The numbers.
    symbol : tuple of str
        Letter, subscript and superscript of its title.
    role : str
        Colour of the quantity, one of figures.theme.ROLES.
    rows, columns : Axis
        What the axes stand for.
    entry : str
        Letter of one of its numbers, where that is another than the title's.
    track, band : int
        Column and row of the figure in which it stands.
    kind : {"signed", "weights"}
        Scale centred at 0, or fixed at [0, 1].
    hidden : BoolArray of shape (rows, columns), or None
        Cells that carry a glyph instead of a number.
    glyph : str
        What a hidden cell shows.
    is_turned : bool
        Whether rows and columns have changed places, as those of keys above a score.
    shows_rows, shows_columns : bool
        Whether the names of the axis are written beside the matrix.
    is_copy : bool
        Whether the same matrix stands in another figure too, where it belongs.
    is_narrow : bool
        Whether it stands close to the matrix at its left, as a statistic of its rows.
    is_optional : bool
        Whether it is drawn only where the stage it belongs to is looked at closely.
    is_whole : bool
        Whether the numbers are whole and need no decimals.
    bound : float or None
        Magnitude of the strongest colour, so that two matrices can be compared; left
        out, the matrix's own.
    marked : tuple of int
        Cells that are framed, row by row and counted from 0.
    texts : tuple of str, or None
        What to write in the cells instead of digits, row by row; an empty text leaves
        the digits.
    """

    name: str
    values: FloatArray
    symbol: tuple[str, str, str]
    role: str
    rows: Axis
    columns: Axis
    entry: str = ""
    track: int = 0
    band: int = 0
    kind: Kind = "signed"
    hidden: BoolArray | None = None
    glyph: str = ""
    is_turned: bool = False
    shows_rows: bool = False
    shows_columns: bool = False
    is_copy: bool = False
    is_narrow: bool = False
    is_optional: bool = False
    is_whole: bool = False
    bound: float | None = None
    marked: tuple[int, ...] = ()
    texts: tuple[str, ...] | None = None


def matrix_figure(
    panels: Sequence[Panel], *, scale: float = 1.0, is_folded: bool = False
) -> FigureSpec:
    """Draw matrices that share row and column axes as one Plotly figure.

    Where each matrix stands in pixels, and its colours, are known to the browser
    alone: they follow its window and its theme.

    Parameters
    ----------
    panels : sequence of Panel
        Matrices of one band have equal numbers of rows, unless their rows mean
        different things; the same holds for tracks and columns.
    scale : float, default=1.0
        Size of a cell against the cells of other figures.
    is_folded : bool, default=False
        Whether many features may show their first and last alone, until asked for.

    Returns
    -------
    spec : FigureSpec
        Plain Plotly JSON: one heatmap a matrix, one more where cells are hidden.
    """
    axes = {
        axis.meaning: {
            "names": list(axis.names),
            "padding": _flags(axis.padding),
            **({"of": axis.of, "order": list(axis.order)} if axis.of else {}),
        }
        for panel in panels
        for axis in (panel.rows, panel.columns)
    }
    meta = {
        "scale": scale,
        "is_folded": is_folded,
        "axes": axes,
    }
    layout: dict[str, Any] = {"meta": meta}
    data: list[dict[str, Any]] = []
    for number, panel in enumerate(panels, start=1):
        suffix = "" if number == 1 else str(number)
        n_rows, n_columns = panel.values.shape
        layout[f"xaxis{suffix}"] = {
            "range": [-0.5, n_columns - 0.5],
            "anchor": f"y{suffix}",
            **_BARE,
        }
        layout[f"yaxis{suffix}"] = {
            "range": [n_rows - 0.5, -0.5],
            "anchor": f"x{suffix}",
            **_BARE,
        }
        data += _drawn(panel, f"x{suffix}", f"y{suffix}")
    return {"data": data, "layout": layout}


def nice_bound(values: FloatArray) -> float:
    """Round the largest magnitude up, so that scales stay put while values move.

    Parameters
    ----------
    values : FloatArray
        Finite numbers.

    Returns
    -------
    bound : float
        The next of 1, 2, 3, 5 times a power of ten; 1 for an empty or zero matrix.
    """
    largest = float(np.abs(values).max(initial=0))
    if largest == 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(m * power for m in (1, 2, 3, 5, 10) if m * power >= largest * 0.999999)


def encode(array: npt.NDArray[Any]) -> dict[str, str]:
    """Pack a matrix the way plotly.js unpacks by itself.

    Parameters
    ----------
    array : ndarray of shape (rows, columns)
        Numbers, sent as float32; booleans, sent as bytes.

    Returns
    -------
    typed : dict
        `dtype`, base64 `bdata` and `shape`.
    """
    dtype = "u1" if array.dtype == np.bool_ else "f4"
    data = np.array(array, dtype=dtype, order="C")
    # What is too small for float32 is drawn as what it is: not zero.
    if np.count_nonzero(data) < np.count_nonzero(array):
        lost = (data == 0) & (array != 0)
        data[lost] = np.copysign(np.finfo(np.float32).tiny, array[lost])
    return {
        "dtype": dtype,
        "bdata": base64.b64encode(data.tobytes()).decode("ascii"),
        "shape": ",".join(map(str, array.shape)),
    }


# What makes two panels look the same, besides the cells and what the axes mean.
_CELLS = ("values", "hidden", "rows", "columns")
_look = attrgetter(*(each.name for each in fields(Panel) if each.name not in _CELLS))


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A panel that is equal to others that look the same."""

    panel: Panel = field(compare=False)
    looks: tuple[object, ...]


def _drawn(panel: Panel, x: str, y: str) -> list[dict[str, Any]]:
    """Draw a panel; most of those on screen stay as they are while others change."""
    values, hidden = panel.values, panel.hidden
    if values.size > _FEW:
        return _heatmaps(panel, x, y)
    cells = values.shape, values.dtype, values.tobytes()
    hides = None if hidden is None else hidden.tobytes()
    axes = panel.rows.meaning, panel.columns.meaning
    return _remembered(_Drawing(panel, (cells, hides, axes, _look(panel))), x, y)


@lru_cache(maxsize=128)
def _remembered(drawing: _Drawing, x: str, y: str) -> list[dict[str, Any]]:
    return _heatmaps(drawing.panel, x, y)


def _heatmaps(panel: Panel, x: str, y: str) -> list[dict[str, Any]]:
    """Make the heat map of a matrix, and the layer of its hidden cells."""
    hidden = ~np.isfinite(panel.values)
    if panel.hidden is not None:
        hidden = hidden | panel.hidden
    shown = np.where(np.isfinite(panel.values), panel.values, 0)
    bound = 1.0 if panel.kind == "weights" else (panel.bound or nice_bound(shown))
    common = {"type": "heatmap", "xaxis": x, "yaxis": y, "showscale": False}
    heatmap = {
        **common,
        "name": panel.name,
        "z": encode(shown),
        "zmin": 0.0 if panel.kind == "weights" else -bound,
        "zmax": bound,
        "meta": {
            "role": panel.role,
            "kind": panel.kind,
            "glyph": panel.glyph,
            "symbol": panel.symbol,
            "entry": panel.entry,
            "is_turned": panel.is_turned,
            "is_copy": panel.is_copy,
            "is_narrow": panel.is_narrow,
            "is_optional": panel.is_optional,
            "is_whole": panel.is_whole,
            "texts": panel.texts and list(panel.texts),
            "marked": list(panel.marked) or None,
            "track": panel.track,
            "band": panel.band,
            "rows": panel.rows.meaning,
            "columns": panel.columns.meaning,
            "shows_rows": panel.shows_rows,
            "shows_columns": panel.shows_columns,
        },
    }
    if not hidden.any():
        return [heatmap]
    layer = {
        **common,
        "name": f"{panel.name} hidden",
        "z": encode(hidden),
        "zmin": 0,
        "zmax": 1,
        "meta": {"hides": panel.name},
    }
    return [heatmap, layer]


def _flags(padding: BoolArray | None) -> list[bool] | None:
    if padding is None or not padding.any():
        return None
    return [bool(flag) for flag in padding]
