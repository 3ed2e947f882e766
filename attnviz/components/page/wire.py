"""What travels to a browser: of each picture, only what it does not have already."""

from collections.abc import Mapping
from typing import Any

from attnviz.figures.matrix import FigureSpec

# What changes with every move of a slider; the rest follows sizes and words.
_NUMBERS = ("z", "zmin", "zmax")
Packed = dict[str, Any]
# What a browser takes for granted of a matrix.
_USUAL = (None, False, 0, "", "signed")


def pack(figures: Mapping[str, FigureSpec]) -> tuple[Packed, Packed]:
    """Part figures from their numbers.

    Parameters
    ----------
    figures : mapping of str to FigureSpec
        By name.

    Returns
    -------
    frames : dict of str to Any
        What tells the matrices of each figure apart, by its name; each has the `key`
        of its numbers and, where cells are hidden, that of their layer. Plotly's own
        words are left out: the browser knows them, as it knows geometry and colours.
    numbers : dict of str to Any
        By key, once for all figures that show the same matrix.
    """
    frames: Packed = {}
    numbers: Packed = {}
    for name, spec in figures.items():
        panels: dict[str, Packed] = {}
        for trace in spec["data"]:
            own = {field: trace[field] for field in _NUMBERS}
            key = trace["name"]
            # The same matrix may stand on its side, or on another scale.
            while numbers.setdefault(key, own) != own:
                key += "′"
            meta = trace["meta"]
            if "hides" in meta:
                panels[meta["hides"]]["hidden"] = key
            else:
                told = {f: value for f, value in meta.items() if value not in _USUAL}
                panels[trace["name"]] = {"name": trace["name"], "key": key, **told}
        frames[name] = {"panels": list(panels.values()), **spec["layout"]["meta"]}
    return frames, numbers


def news(now: Packed, before: Packed) -> Packed:
    """Give what differs from what was sent before; None for what is gone."""
    gone = dict.fromkeys(before.keys() - now.keys())
    return gone | {
        key: value
        for key, value in now.items()
        if key not in before or before[key] != value
    }
