"""The figures of a comparison: A, B and what changed."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.comparison import Comparison, Pair
from attnviz.example.compute import Example
from attnviz.example.weights_alone import Shown
from attnviz.figures.matrix import Axis, FigureSpec, Kind, Panel, matrix_figure

_SYMBOLS = MappingProxyType(
    {"scores": "S", "weights": "A", "context": "C", "output": "O"}
)
_ROLES = MappingProxyType(
    {"scores": "s", "weights": "s", "context": "c", "output": "c"}
)
_COLUMNS = MappingProxyType({"context": "d_v", "output": "d_model"})


def comparison_figures(
    comparison: Comparison | None, trace: Shown
) -> dict[str, FigureSpec]:
    """Draw each compared matrix as A, B and their difference.

    Parameters
    ----------
    comparison : Comparison or None
        The matrices; None while nothing is frozen.
    trace : ExampleTrace or WeightsTrace
        The example on screen, B, which names rows and columns.

    Returns
    -------
    figures : dict of str to FigureSpec
        Figures "compare_scores" and so on; none without a comparison.
    """
    if comparison is None:
        return {}
    weights = comparison.pairs["weights"].before
    queries = Axis("query", _named(trace.tokens, weights.shape[0]))
    keys = Axis("key", _named(trace.key_tokens, weights.shape[1]))
    return {
        f"compare_{name}": _figure(
            name, pair, queries, Axis(_COLUMNS[name]) if name in _COLUMNS else keys
        )
        for name, pair in comparison.pairs.items()
    }


def _named(tokens: tuple[str, ...], length: int) -> tuple[str, ...]:
    """Name the positions that only A has by their number."""
    return (*tokens, *Example(length=length).tokens[len(tokens) :])


def _figure(name: str, pair: Pair, rows: Axis, columns: Axis) -> FigureSpec:
    """Draw one matrix; A and B share their scale of colours."""
    kind: Kind = "weights" if name == "weights" else "signed"
    shared = max(_largest(pair.before), _largest(pair.after)) or 1.0

    def panel(prefix: str, values: FloatArray, sub: str, track: int) -> Panel:
        is_difference = prefix == "delta"
        return Panel(
            f"{prefix}_{name}",
            values,
            (f"Δ{_SYMBOLS[name]}" if is_difference else _SYMBOLS[name], sub, ""),
            _ROLES[name],
            rows,
            columns,
            track=track,
            kind="signed" if is_difference else kind,
            shows_rows=track == 0,
            bound=None if is_difference or kind == "weights" else shared,
        )

    panels = [
        replace(panel("a", pair.before, "A", 0), hidden=pair.hidden_before, glyph="0"),
        replace(panel("b", pair.after, "B", 1), hidden=pair.hidden_after, glyph="0"),
    ]
    if pair.difference is not None:
        panels.append(panel("delta", pair.difference, "", 2))
    return matrix_figure(panels)


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0))
