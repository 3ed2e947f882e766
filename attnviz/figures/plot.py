"""The one plot: lines, bars and points over one pair of axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.figures.matrix import FigureSpec, encode

Kind = Literal["line", "bars", "points"]
# Room that numbers leave at the ends of an axis without bounds of its own.
_MARGIN = 0.05


@dataclass(frozen=True, slots=True)
class Series:
    """One line, one row of bars or one set of points.

    Attributes
    ----------
    name : str
        What it is, in the reader's language: head of its column in the table that a
        screen reader is given, and its name in the tip.
    x, y : FloatArray of shape (n,)
        Where its points stand; a `y` that is not finite leaves a gap.
    kind : {"line", "bars", "points"}
        How it is drawn; bars begin at 0.
    role : str
        Colour of the quantity, one of figures.theme.ROLES, or "ink" or "mute".
    label : str
        What is written at the right end of a line; may be empty.
    is_dashed : bool
        Whether a line is broken, so that colour alone does not tell it from another.
    has_points : bool
        Whether a line shows the points it goes through.
    spread : FloatArray of shape (n,), or None
        How uncertain each `y` is: a band around a line, whiskers on bars and points.
    texts : sequence of str
        What is written above each point; empty texts write nothing.
    is_pale : bool
        Whether bars are background, as those of a histogram under its theory.
    """

    name: str
    x: FloatArray
    y: FloatArray
    kind: Kind = "line"
    role: str = "s"
    label: str = ""
    is_dashed: bool = False
    has_points: bool = False
    spread: FloatArray | None = None
    texts: Sequence[str] = ()
    is_pale: bool = False


@dataclass(frozen=True, slots=True)
class Scale:
    """One axis of a plot.

    Attributes
    ----------
    title : str
        What it measures, in the reader's language; may be empty.
    least, most : float or None
        Its ends; left out, those of the numbers with a little room, and 0 under bars.
    is_log : bool
        Whether equal steps are equal ratios.
    ticks : sequence of float
        Where numbers stand; left out, the browser finds round ones.
    names : sequence of str
        What stands there instead of numbers, one a tick.
    is_bare : bool
        Whether nothing is written along it.
    """

    title: str = ""
    least: float | None = None
    most: float | None = None
    is_log: bool = False
    ticks: Sequence[float] = ()
    names: Sequence[str] = ()
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A dashed line across the whole plot, such as chance or the value that is chosen.

    Attributes
    ----------
    at : float
        Where it stands.
    axis : {"x", "y"}
        The axis on which that is: "y" lies, "x" stands.
    label : str
        What is written at it; may be empty.
    """

    at: float
    axis: Literal["x", "y"] = "y"
    label: str = ""


def plot_figure(
    series: Sequence[Series],
    *,
    x: Scale | None = None,
    y: Scale | None = None,
    references: Sequence[Reference] = (),
    width: int = 320,
    height: int = 160,
) -> FigureSpec:
    """Draw series over one pair of axes.

    The spec goes into `View.figures` as that of a matrix does, and
    `components.page.view.figure(name)` reserves its place, which it fills in width.
    Colours, round ticks and places in pixels are found by the browser.

    Parameters
    ----------
    series : sequence of Series
        What is drawn, the last one on top.
    x, y : Scale, optional
        The axes.
    references : sequence of Reference, optional
        Lines across the plot.
    width, height : int
        The size it would like to have, in pixels at usual zoom; it grows and shrinks
        with its column, and keeps its height.

    Returns
    -------
    spec : FigureSpec
        Plain Plotly JSON: a scatter or bar trace a series.

    Raises
    ------
    ValueError
        If a logarithmic axis has an end or a number that is not above 0.

    Examples
    --------
    >>> steps = np.array([1.0, 10.0, 100.0])
    >>> loss = Series("loss", steps, np.array([2.3, 0.7, 0.1]), label="loss")
    >>> chance = Reference(2.3, label="chance")
    >>> spec = plot_figure([loss], x=Scale("step", is_log=True), references=[chance])
    >>> spec["layout"]["xaxis"]["range"]
    [0.0, 2.0]
    """
    has_bars = any(one.kind == "bars" for one in series)
    steps = _steps(series) if has_bars else 0.0
    across = _ends(x or Scale(), [one.x for one in series], 0.0, steps / 2)
    heights = [each for one in series for each in _heights(one)]
    floor = np.zeros(1 if has_bars else 0)
    up = _ends(y or Scale(), [*heights, floor], _MARGIN, 0.0)
    meta = {
        "plot": {
            "x": _axis(x or Scale(), across),
            "y": _axis(y or Scale(), up),
            "references": [
                {"at": one.at, "axis": one.axis, "label": one.label}
                for one in references
            ],
            "width": width,
            "height": height,
        }
    }
    layout = {
        "meta": meta,
        "xaxis": _plotly_axis(x or Scale(), across),
        "yaxis": _plotly_axis(y or Scale(), up),
        "shapes": [_shape(one) for one in references],
    }
    return {"data": [_trace(one) for one in series], "layout": layout}


def histogram(
    values: FloatArray,
    *,
    edges: FloatArray,
    name: str,
    **look: Any,  # noqa: ANN401 - the fields of Series
) -> Series:
    """Count numbers as the bars of a density, whose area is 1.

    Parameters
    ----------
    values : FloatArray
        Numbers of any shape; those beyond the edges count for the whole, but are not
        drawn.
    edges : FloatArray of shape (bins + 1,)
        Equally wide bins, in order.
    name : str
        Name of the series.
    **look
        Further fields of a Series.
    """
    counts, _ = np.histogram(values, edges)
    density = counts / (values.size * np.diff(edges))
    middles = (edges[1:] + edges[:-1]) / 2
    return Series(name, middles, density, **{"kind": "bars", "is_pale": True, **look})


def _steps(series: Sequence[Series]) -> float:
    """Give the distance between neighbouring bars."""
    places = np.unique(np.concatenate([s.x for s in series if s.kind == "bars"]))
    return float(np.diff(places).min()) if places.size > 1 else 1.0


def _heights(series: Series) -> list[FloatArray]:
    """Give the numbers that have to find room above each other."""
    y = series.y[np.isfinite(series.y)]
    if series.spread is None:
        return [y]
    spread = series.spread[np.isfinite(series.y)]
    return [y - spread, y + spread]


def _ends(
    scale: Scale, numbers: Sequence[FloatArray], margin: float, beyond: float
) -> tuple[float, float]:
    """Give the ends of an axis in its own numbers."""
    every = np.concatenate([np.empty(0), *numbers])
    drawn = [*every.tolist(), *(e for e in (scale.least, scale.most) if e is not None)]
    if scale.is_log and min(drawn, default=1.0) <= 0:
        raise ValueError("a logarithmic axis takes numbers above 0 alone")
    low, high = (min(every), max(every)) if every.size else (0.0, 1.0)
    if scale.is_log:
        low, high = math.log(low), math.log(high)
    if low == high and not beyond:
        margin, low, high = 0.0, low - 0.5, high + 0.5
    room = margin * (high - low)
    # Bars stand on their floor.
    low = low - beyond - (room if low != 0 or scale.is_log else 0.0)
    high = high + beyond + (room if high != 0 or scale.is_log else 0.0)
    if scale.is_log:
        low, high = math.exp(low), math.exp(high)
    least = low if scale.least is None else scale.least
    most = high if scale.most is None else scale.most
    return float(least), float(most)


def _axis(scale: Scale, ends: tuple[float, float]) -> dict[str, Any]:
    """Give what a browser is told of an axis."""
    return {
        "title": scale.title,
        "least": ends[0],
        "most": ends[1],
        "is_log": scale.is_log,
        "ticks": [float(tick) for tick in scale.ticks],
        "names": list(scale.names),
        "is_bare": scale.is_bare,
    }


def _plotly_axis(scale: Scale, ends: tuple[float, float]) -> dict[str, Any]:
    found = [round(math.log10(e), 12) for e in ends] if scale.is_log else list(ends)
    axis: dict[str, Any] = {"title": {"text": scale.title}, "range": found}
    if scale.is_log:
        axis["type"] = "log"
    if scale.is_bare:
        axis["showticklabels"] = False
    if len(scale.ticks):
        axis["tickvals"] = [float(tick) for tick in scale.ticks]
    if scale.names:
        axis["ticktext"] = list(scale.names)
    return axis


def _shape(reference: Reference) -> dict[str, Any]:
    own, other = ("x", "y") if reference.axis == "x" else ("y", "x")
    place = {f"{own}0": reference.at, f"{own}1": reference.at, f"{other}0": 0}
    return {
        "type": "line",
        "line": {"dash": "dash"},
        f"{other}ref": "paper",
        f"{other}1": 1,
        **place,
    }


def _trace(series: Series) -> dict[str, Any]:
    """Draw a series; what Plotly has no word for stands in its meta."""
    trace: dict[str, Any] = {
        "type": "bar" if series.kind == "bars" else "scatter",
        "name": series.name,
        "x": encode(np.asarray(series.x, dtype=float)),
        "y": encode(np.asarray(series.y, dtype=float)),
        "meta": {
            "kind": series.kind,
            "role": series.role,
            "label": series.label,
            "is_dashed": series.is_dashed,
            "has_points": series.has_points,
            "is_pale": series.is_pale,
            "texts": list(series.texts),
        },
    }
    if series.kind != "bars":
        has_points = series.has_points or series.kind == "points"
        parts = ["lines"] * (series.kind == "line") + ["markers"] * has_points
        trace["mode"] = "+".join(parts)
    if series.is_dashed:
        trace["line"] = {"dash": "dash"}
    if series.spread is not None:
        spread = encode(np.asarray(series.spread, dtype=float))
        trace["error_y"] = {"type": "data", "array": spread}
    return trace
