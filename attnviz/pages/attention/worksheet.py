"""A sheet of paper with the state on screen: places to fill in, and their key."""

from collections.abc import Mapping

import numpy as np
from htmltools import Tag, TagChild, tags

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.compute import ExampleTrace
from attnviz.example.matrices import MATRICES
from attnviz.example.screen import Screen
from attnviz.example.weights_alone import Shown, WeightsTrace
from attnviz.export.exercise import DECIMALS, norm_section, too_large
from attnviz.export.paper import Writer, numbered
from attnviz.pages.attention.exercise import AttentionExercise, attention_exercise
from attnviz.pages.attention.formulas import (
    projection_formula,
    score_formula,
    weights_formula,
)


def attention_worksheet(trace: Shown, head: int, writer: Writer) -> str:
    """Write the sheet of the Attention page.

    Parameters
    ----------
    head : int
        The head on screen, counted from 0.

    Returns
    -------
    document : str
        A whole HTML document without scripts; where the example is too large for
        paper or holds weights alone, it says so.
    """
    if isinstance(trace, WeightsTrace):
        alone = tags.p(writer.words("export.sheet.weights_alone"))
        return writer.document("attention", [alone])
    exercise = attention_exercise(trace, head)
    if exercise is None:
        return writer.document("attention", [too_large(writer)])
    which = writer.words("export.sheet.head", head=head + 1, heads=trace.n_heads)
    steps = [
        _given(trace, exercise, writer),
        _score(trace, exercise, writer),
        _weights(trace, exercise, writer),
        _context(trace, exercise, writer),
    ]
    if exercise.norm is not None:
        steps.append(norm_section(exercise.norm, writer))
    return writer.document("attention", [tags.p(which, class_="notes"), *steps])


def _given(trace: ExampleTrace, exercise: AttentionExercise, writer: Writer) -> Tag:
    """Write what is given, and the queries with one row left open."""
    screen = trace.screen()
    shown = _printed(exercise.given, screen, writer)
    if trace.parameters is None:
        return writer.section(writer.words("export.sheet.given"), "", shown)
    open_row = np.zeros(exercise.q.shape, dtype=np.bool_)
    open_row[exercise.row] = True
    q = writer.matrix(screen, "q", exercise.q, blank=open_row)
    title = writer.words("export.sheet.query", row=exercise.row + 1)
    rule = writer.formula(projection_formula("query", trace.example))
    return writer.section(title, rule, [*shown, q])


def _printed(
    given: Mapping[str, FloatArray], screen: Screen, writer: Writer
) -> list[TagChild]:
    return [
        writer.matrix(screen, name, matrix, decimals=DECIMALS)
        for name, matrix in given.items()
    ]


def _score(trace: ExampleTrace, exercise: AttentionExercise, writer: Writer) -> Tag:
    """Write the scores with one of them left open."""
    a, e = exercise.attention, trace.example
    screen = trace.screen()
    shown = _printed(exercise.learned, screen, writer)
    if e.positions == "rotary":
        shown.append(writer.matrix(screen, "q_turned", a.q))
        shown.append(writer.matrix(screen, "k_turned", a.k))
    elif trace.parameters is not None:
        shown.append(writer.matrix(screen, "k", exercise.k))
    if a.bias is not None:
        shown.append(writer.matrix(screen, "bias", a.bias))
    blank = np.zeros(a.scores.shape, dtype=np.bool_)
    blank[exercise.row, exercise.key] = True
    shown.append(
        writer.matrix(screen, "scores", a.scores, blank=blank, hidden=~a.visible)
    )
    title = writer.words(
        "export.sheet.score", row=exercise.row + 1, column=exercise.key + 1
    )
    return writer.section(title, writer.formula(score_formula(e)), shown, _notes(trace))


def _notes(trace: ExampleTrace) -> list[str]:
    """Say what the formula does not."""
    e = trace.example
    notes = [] if e.scale is None else ["undivided"]
    notes += [kind for kind in ("rotary", "alibi", "relative") if e.positions == kind]
    return notes if trace.visible.all() else [*notes, "hidden"]


def _weights(trace: ExampleTrace, exercise: AttentionExercise, writer: Writer) -> Tag:
    """Write the stages of one row, all of them open."""
    a, row = exercise.attention, exercise.row
    stages = np.stack([a.masked_scores[row], a.exp_scores[row], a.weights[row]])
    sums = np.array([a.row_max[row], a.row_sum[row], [a.weights[row].sum()]])
    temperature = trace.example.temperature
    names = {name: matrix.plain for name, matrix in MATRICES.items()}
    start = (
        "{scores} + {mask}" if temperature == 1 else "{scores}/{temperature} + {mask}"
    )
    table = writer.table(
        np.concatenate([stages, sums], axis=-1),
        rows=[start.format(**names), names["exp_scores"], names["weights"]],
        columns=[
            *numbered(trace.key_tokens),
            ", ".join(names[sum_] for sum_ in ("row_max", "row_sum", "weight_sum")),
        ],
        blank=np.ones((3, stages.shape[1] + 1), dtype=np.bool_),
    )
    title = writer.words("export.sheet.weights", row=row + 1)
    return writer.section(
        title,
        writer.formula(weights_formula(trace.example)),
        [table],
        [] if temperature == 1 else ["temperature"],
        temperature=f"{temperature:g}",
    )


def _context(trace: ExampleTrace, exercise: AttentionExercise, writer: Writer) -> Tag:
    """Write values and contexts, with one context left open."""
    a, row, feature = exercise.attention, exercise.row, exercise.feature
    blank = np.zeros(a.context.shape, dtype=np.bool_)
    blank[row, feature] = True
    screen = trace.screen()
    shown = [writer.matrix(screen, "context", a.context, blank=blank)]
    if trace.parameters is not None:
        shown.insert(0, writer.matrix(screen, "v", exercise.v))
    title = writer.words("export.sheet.context", row=row + 1, column=feature + 1)
    return writer.section(title, writer.formula("context"), shown)
