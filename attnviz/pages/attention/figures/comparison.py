"""The figures of a comparison: the first, the second and what changed."""

from dataclasses import replace

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.comparison import Comparison, Pair
from attnviz.example.fractions import fraction_texts
from attnviz.example.screen import Screen
from attnviz.example.settings import Example
from attnviz.example.weights_alone import Shown
from attnviz.figures.matrix import FigureSpec, matrix_figure
from attnviz.figures.panels import panel


def comparison_figures(
    comparison: Comparison | None, trace: Shown, sides: tuple[str, str]
) -> dict[str, FigureSpec]:
    """Draw each compared matrix of both examples, and their difference.

    Parameters
    ----------
    comparison : Comparison or None
        The matrices; None while nothing is frozen.
    trace : ExampleTrace or WeightsTrace
        The example on screen, which names rows and columns.
    sides : tuple of str
        What stands beside the symbols of the first and of the second.

    Returns
    -------
    figures : dict of str to FigureSpec
        Figures "compare_scores" and so on; none without a comparison.
    """
    if comparison is None:
        return {}
    first = comparison.first
    labels = {
        "query": _named(trace.tokens, len(first.tokens)),
        "key": _named(trace.key_tokens, len(first.key_tokens)),
    }
    has_heads = max(first.n_heads, trace.n_heads) > 1
    heads = tuple(
        f"({side.example.first_head + comparison.head + 1})" if has_heads else ""
        for side in (first, trace)
    )
    screen = replace(trace.screen(), labels=labels, padding={})
    written = (first.screen().in_fractions, screen.in_fractions)
    return {
        f"compare_{name}": _figure(
            name, pair, screen, sides, heads, tuple(name in side for side in written)
        )
        for name, pair in comparison.pairs.items()
    }


def _named(tokens: tuple[str, ...], length: int) -> tuple[str, ...]:
    """Name the positions that only the first has by their number."""
    return (*tokens, *Example(length=length).tokens[len(tokens) :])


def _figure(
    name: str,
    pair: Pair,
    screen: Screen,
    sides: tuple[str, str],
    heads: tuple[str, ...],
    in_fractions: tuple[bool, ...],
) -> FigureSpec:
    """Draw one matrix; both sides share their scale of colours."""
    shared = max(_largest(pair.before), _largest(pair.after)) or 1.0
    drawn = panel(screen, name, bound=None if name == "weights" else shared)
    base = drawn.symbol[0]
    sups = heads if screen.matrix(name).is_per_head else ("", "")
    panels = [
        replace(
            drawn,
            name=f"{prefix}_{name}",
            values=values,
            symbol=(base, sides[track], sups[track]),
            hidden=hidden,
            glyph="0",
            texts=fraction_texts(values) if in_fractions[track] else None,
            track=track,
            shows_rows=track == 0,
        )
        for track, (prefix, values, hidden) in enumerate(
            (
                ("a", pair.before, pair.hidden_before),
                ("b", pair.after, pair.hidden_after),
            )
        )
    ]
    if pair.difference is not None:
        difference = replace(
            panels[0],
            name=f"delta_{name}",
            values=pair.difference,
            symbol=(f"Δ{base}", "", sups[0] if sups[0] == sups[1] else ""),
            kind="signed",
            hidden=None,
            glyph="",
            texts=fraction_texts(pair.difference) if all(in_fractions) else None,
            bound=None,
            track=2,
            shows_rows=False,
        )
        panels.append(difference)
    return matrix_figure(panels, is_folded=True)


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0))
