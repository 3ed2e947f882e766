"""What travels to a browser: of each picture, only what it does not have already."""

from collections.abc import Mapping
from typing import Any

from attnviz.figures.matrix import FigureSpec

# What changes with every move of a slider; the rest follows sizes and words.
_NUMBERS = ("z", "zmin", "zmax", "x", "y")
Packed = dict[str, Any]
# What a browser takes for granted of a matrix, or of a series.
_USUAL: tuple[object, ...] = (None, False, 0, "", [], "signed", "line")


def pack(figures: Mapping[str, FigureSpec]) -> tuple[Packed, Packed]:
    """Part figures from their numbers.

    Parameters
    ----------
    figures : mapping of str to FigureSpec
        By name.

    Returns
    -------
    frames : dict of str to Any
        What tells the matrices of each figure apart, by its name, or the series of a
        plot; each has the `key` of its numbers and, where cells are hidden, that of
        their layer. Plotly's own words are left out: the browser knows them, as it
        knows geometry and colours.
    numbers : dict of str to Any
        By key, once for all figures that show the same matrix.
    """
    frames: Packed = {}
    numbers: Packed = {}
    for name, spec in figures.items():
        panels: dict[str, Packed] = {}
        series: list[Packed] = []
        for trace in spec["data"]:
            own = _numbers(trace)
            key = trace["name"]
            # The same matrix may stand on its side, or on another scale.
            while numbers.setdefault(key, own) != own:
                key += "′"
            meta = trace["meta"]
            told = {f: value for f, value in meta.items() if value not in _USUAL}
            if "hides" in meta:
                panels[meta["hides"]]["hidden"] = key
            elif "z" in own:
                panels[trace["name"]] = {"name": trace["name"], "key": key, **told}
            else:
                series.append({"name": trace["name"], "key": key, **told})
        parts = {"panels": list(panels.values())} if panels else {"series": series}
        frames[name] = {**parts, **spec["layout"]["meta"]}
    return frames, numbers


def _numbers(trace: Mapping[str, Any]) -> Packed:
    own = {field: trace[field] for field in _NUMBERS if field in trace}
    if "error_y" in trace:
        own["spread"] = trace["error_y"]["array"]
    return own


def news(now: Packed, before: Packed) -> Packed:
    """Give what differs from what was sent before; None for what is gone."""
    gone = dict.fromkeys(before.keys() - now.keys())
    return gone | {
        key: value
        for key, value in now.items()
        if key not in before or before[key] != value
    }
