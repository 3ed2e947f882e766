"""Every matrix of the layers by its name on screen, and how its cells come about."""

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation import Derivation, carry, given, then
from attnviz.core.derivation.pieces import Rule
from attnviz.example.derivation import tied
from attnviz.example.layer.ends import END_RULES, ends_of
from attnviz.example.layer.naming import name_all
from attnviz.example.layer.stacking import Lazy, stacks
from attnviz.example.matrices import CROSS

if TYPE_CHECKING:
    from attnviz.example.layer.compute import LayersTrace

# Of the example: what the first stream is made of, what turns queries and keys, and
# what is added to scores.
_SHARED = (
    *("x", "positions", "cos", "sin", "base", "first_position"),
    "bucket_values",
)
_SETTINGS = ("scale", "temperature", "d_k", "d", "eps")


# Figures, tables, checks and derivations of a page lay it out in turn.
@lru_cache(maxsize=4)
def lay_out_layers(trace: "LayersTrace") -> Sheet:
    """Collect the matrices of the layers.

    Parameters
    ----------
    trace : LayersTrace
        What was computed.

    Returns
    -------
    sheet : Sheet
        All matrices by the names on screen; what each layer has of its own begins with
        the axis of the layers.
    """
    inside = name_all(trace)
    layered = stacks(inside)
    rules: dict[str, Rule] = dict.fromkeys(layered, inside.derive)
    behind = trace.source.sheet()
    others = {name: behind.matrix(name) for name in _SHARED if name in behind}
    others |= {"stream_0": trace.x, **_settings(inside.nested), **ends_of(trace)}
    for name in ("positions", "q_turned", "k_turned"):
        rules[name] = behind.rules[name]
    if trace.source.example.is_tied:
        rules |= {"w_k": tied, f"{CROSS}w_k": tied}

    def bias(sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Take the slope or the buckets of a head, which are those of every layer."""
        own = Sheet({**others, stage: sheet.matrix(stage)[index[0]]})
        work: Derivation = behind.rules["bias"](own, stage, index[1:])
        return replace(work, index=index)

    found = Lazy(others, layered)
    return Sheet(found, rules={**rules, "stream_0": _input, "bias": bias, **END_RULES})


def _settings(nested: Sheet) -> dict[str, FloatArray]:
    """Take the single settings, which all layers share."""
    inner = nested.parts["layer_1"].parts.values()
    return {
        name: part.matrices[name]
        for part in inner
        for name in _SETTINGS
        if name in part.matrices
    }


def _input(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Start from the inputs, to which positions may have been added."""
    if "positions" not in sheet:
        return given(sheet, stage, index)
    work = carry(stage, index, sheet.operand("x", index))
    return then(work, "add", sheet.operand("positions", index))
