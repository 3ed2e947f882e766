"""One token's way through a layer: what it is after each stage, and how long."""

from functools import partial
from typing import NamedTuple

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation import Derivation, carry, collect, then
from attnviz.core.derivation.pieces import Rule
from attnviz.example.layer.compute import LayersTrace
from attnviz.example.layer.settings import Station, Sublayer

# What the sublayers give, by name.
GIVES: dict[Sublayer, str] = {
    "attention": "output",
    "cross": "cross_output",
    "network": "ffn_output",
}


class Stage(NamedTuple):
    """One stage of the way.

    Attributes
    ----------
    station : Station
        Where it stands on the line.
    sign : {"", "+", "="}
        What it does to the stage before: an addend, a sum, or something of its own.
    name : str
        Matrix that has the token's row.
    first : tuple of int
        What its places begin with.
    """

    station: Station
    sign: str
    name: str
    first: Index


def stages_of(trace: LayersTrace, layer: int) -> tuple[Stage, ...]:
    """List the stages of one layer, and behind the last one its norm.

    Parameters
    ----------
    layer : int
        The layer, counted from 0.
    """
    sublayers = trace.settings.sublayers
    is_pre = trace.settings.place == "pre"
    base, at = layer * len(sublayers), (layer,)
    stages = [Stage("input", "", f"stream_{base}", ())]
    for step, sublayer in enumerate(sublayers):
        after = f"stream_{base + step + 1}"
        total: Station = f"{sublayer}_sum"  # type: ignore[assignment]
        if is_pre:
            before: Station = f"{sublayer}_before"  # type: ignore[assignment]
            stages.append(Stage(before, "", "norm_output", (layer, step)))
        stages.append(Stage(sublayer, "+", GIVES[sublayer], at))
        if is_pre:
            stages.append(Stage(total, "=", after, ()))
        else:
            stages.append(Stage(total, "=", f"residual_{step + 1}", at))
            behind: Station = f"{sublayer}_after"  # type: ignore[assignment]
            stages.append(Stage(behind, "", after, ()))
    if trace.final is not None and layer == len(trace.layers) - 1:
        stages.append(Stage("final", "", "final_output", ()))
    return tuple(stages)


def lay_out_way(
    sheet: Sheet, stages: tuple[Stage, ...], token: int, prefix: str = ""
) -> Sheet:
    """Lay out the way of one token with its means and lengths.

    Parameters
    ----------
    sheet : Sheet
        All matrices of the layers.
    token : int
        The position, counted from 0.
    prefix : str, default=""
        What names begin with: that of gradients where the stages are gradients.

    Returns
    -------
    way : Sheet
        "way", "way_mean" and "way_norm", one row a stage.
    """
    way: FloatArray = np.stack(
        [sheet.matrix(each.name)[(*each.first, token)] for each in stages]
    )

    def follow(own: Sheet, stage: str, index: Index) -> Derivation:
        """Lead on to where the number was computed."""
        at = stages[index[0]]
        place = (*at.first, token, index[1])
        return carry(stage, index, own.operand(at.name, place))

    name = f"{prefix}way"
    rules: dict[str, Rule] = {
        name: follow,
        f"{name}_mean": partial(_mean, name),
        f"{name}_norm": partial(_norm, name),
    }
    found = {
        name: way,
        f"{name}_mean": way.mean(axis=-1, keepdims=True),
        f"{name}_norm": lengths(way)[:, None],
    }
    return Sheet(found, rules=rules)


def lengths(rows: FloatArray) -> FloatArray:
    """Measure how long each row is."""
    found: FloatArray = np.sqrt(np.square(rows).sum(axis=-1))
    return found


def _mean(name: str, sheet: Sheet, stage: str, index: Index) -> Derivation:
    entries = [
        (sheet.operand(name, (index[0], feature)),)
        for feature in range(sheet.shape(name)[1])
    ]
    return then(collect(stage, index, "sum", entries), "divide", sheet.operand("d"))


def _norm(name: str, sheet: Sheet, stage: str, index: Index) -> Derivation:
    entries = [
        sheet.operand(name, (index[0], feature))
        for feature in range(sheet.shape(name)[1])
    ]
    squares = [(entry, entry) for entry in entries]
    return then(collect(stage, index, "sum_of_products", squares), "root")
