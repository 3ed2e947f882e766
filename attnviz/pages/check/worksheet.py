"""A sheet of paper with the inputs of the task, and its key."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from htmltools import HTML, Tag

from attnviz.core.attention.scaled_dot_product import AttentionTrace, attend
from attnviz.core.gradients import attend_backward
from attnviz.core.positions import rotate
from attnviz.example.check.gradients import GradientTrace
from attnviz.example.check.trace import CheckTrace
from attnviz.example.checks import asked_of
from attnviz.example.compute import ExampleTrace
from attnviz.example.matrices import GRADIENT
from attnviz.example.screen import Screen
from attnviz.export.exercise import (
    DECIMALS,
    MOST,
    norm_exercise,
    norm_section,
    rounded,
    too_large,
)
from attnviz.export.paper import Writer
from attnviz.text.numbers import brief

# An output is computed head by head: by hand, the context of one is enough.
_BY_HAND = ("weights", "context", "output")


def check_worksheet(trace: CheckTrace, head: int, writer: Writer) -> str:
    """Write the task on screen: what is given, and the result left open.

    Parameters
    ----------
    head : int
        The table on screen, counted from 0.

    Returns
    -------
    document : str
        A whole HTML document without scripts.
    """
    source = trace.wanted.source
    if max(trace.expected.shape[1:]) > MOST:
        return writer.document("check", [too_large(writer)])
    if isinstance(source, GradientTrace):
        parts = _gradients(trace, source, trace.first + head, writer)
        return writer.document("check", parts)
    if isinstance(source, ExampleTrace):
        write = _attention if trace.wanted.kind in _BY_HAND else _positions
        parts = write(trace, source, trace.first + head, writer)
        return writer.document("check", parts)
    exercise = norm_exercise(source.norm, source.tokens)
    if exercise is None:
        return writer.document("check", [too_large(writer)])
    x = exercise.norm.x
    shown = writer.matrix(source.screen(), "norm_input", x, decimals=DECIMALS)
    given = writer.section(writer.words("export.sheet.given"), "", [shown])
    return writer.document("check", [given, norm_section(exercise, writer)])


def _positions(
    trace: CheckTrace, source: ExampleTrace, head: int, writer: Writer
) -> list[Tag]:
    """Leave sinusoids open, or rows that are turned by their angles."""
    screen, kind = source.screen(), trace.wanted.kind
    first = source.example.first_position
    given: list[HTML] = []
    values = trace.wanted.values[0]
    if kind != "positions":
        before = rounded(getattr(source, kind[0])[head])
        given.append(writer.matrix(screen, kind[0], before, decimals=DECIMALS))
        values = rotate(before, first + np.arange(len(before)))
    blank = np.ones(values.shape, dtype=np.bool_)
    result = writer.matrix(screen, kind, values, blank=blank)
    return [
        writer.section(writer.words("export.sheet.given"), "", given),
        writer.section(writer.words("mine.sheet_positions", first=first), "", [result]),
    ]


def _one_head(asked: Mapping[str, Any], head: int) -> AttentionTrace:
    """Attend with what one head starts from, rounded as it is written."""
    q, k, v = (rounded(asked[name][head]) for name in "qkv")
    return attend(
        q,
        k,
        v,
        visible=asked["visible"][head],
        query_valid=asked["query_valid"][head],
        scale=asked["scale"],
        bias=None if asked["bias"] is None else asked["bias"][head],
    )


def _inputs(screen: Screen, attention: AttentionTrace, writer: Writer) -> list[HTML]:
    given = [
        writer.matrix(screen, name, getattr(attention, name), decimals=DECIMALS)
        for name in "qkv"
    ]
    if attention.bias is not None:
        given.append(writer.matrix(screen, "bias", attention.bias))
    return given


def _gradients(
    trace: CheckTrace, source: GradientTrace, head: int, writer: Writer
) -> list[Tag]:
    """Leave a gradient of one head open."""
    screen, kind, asked = source.screen(), trace.wanted.kind, source.asked
    attention, start = _one_head(asked, head), rounded(source.d_context[head])
    given = _inputs(screen, attention, writer)
    given.append(writer.matrix(screen, "grad_context", start, decimals=DECIMALS))
    back = attend_backward(start, trace=attention)
    values = getattr(back, kind.removeprefix(GRADIENT))
    by_key = kind in ("grad_scores", "grad_weights")
    hidden = ~attention.visible if by_key else None
    blank = np.ones(values.shape, dtype=np.bool_)
    result = writer.matrix(screen, kind, values, blank=blank, hidden=hidden)
    notes = [] if attention.visible.all() else ["hidden"]
    return [
        writer.section(writer.words("export.sheet.given"), "", given),
        writer.section(
            writer.words("mine.sheet", scale=brief(asked["scale"])),
            "",
            [result],
            notes,
        ),
    ]


def _attention(
    trace: CheckTrace, source: ExampleTrace, head: int, writer: Writer
) -> list[Tag]:
    """Round what one head starts from, and leave all it gives open."""
    asked = asked_of(source)
    attention, screen = _one_head(asked, head), source.screen()
    given = _inputs(screen, attention, writer)
    kind = "weights" if trace.wanted.kind == "weights" else "context"
    values = attention.weights if kind == "weights" else attention.context
    hidden = ~attention.visible if kind == "weights" else None
    blank = np.ones(values.shape, dtype=np.bool_)
    result = writer.matrix(screen, kind, values, blank=blank, hidden=hidden)
    notes = [] if attention.visible.all() else ["hidden"]
    return [
        writer.section(writer.words("export.sheet.given"), "", given),
        writer.section(
            writer.words("mine.sheet", scale=brief(asked["scale"])),
            writer.formula("attention_scores" if kind == "weights" else "attention"),
            [result],
            notes,
        ),
    ]
