"""What is said of a result: one sentence, and what belongs to it."""

import math

from attnviz.core.diagnosis import Candidate
from attnviz.example.check.apart import Apart
from attnviz.example.check.brought import Brought
from attnviz.example.check.judgement import Judgement
from attnviz.example.check.kinds import KIND_RULES
from attnviz.example.own.shapes import as_shape
from attnviz.example.reading.names import written_name
from attnviz.text.catalog import Translate
from attnviz.text.mistakes import mistake_sentence
from attnviz.text.numbers import brief, fixed

_LONGEST_LIST, _LONGEST_NAME = 12, 60


def distance_words(distance: float, tr: Translate) -> str:
    """Write how far two results are apart."""
    if not math.isfinite(distance):
        return tr("mine.endless")
    return fixed(distance, 6) if 1e-5 <= distance < 1e-3 else brief(distance)


def mistake_words(candidate: Candidate, tr: Translate, language: str) -> str:
    """Say what a mistake does, with the values that the result tells."""
    number, variant = candidate.fault.id, candidate.variant
    sentence = mistake_sentence(number, variant, language=language)
    values = ", ".join(
        tr(f"mine.found.{name}", value=_values(value))
        for name, value in candidate.found.items()
    )
    return f"{sentence.rstrip('.。')} ({values})" if values else sentence


def _values(value: float | tuple[float, ...]) -> str:
    return "; ".join(map(brief, value if isinstance(value, tuple) else (value,)))


def verdict_sentence(judgement: Judgement, tr: Translate, language: str) -> str:
    """Say in one sentence what the result is, with the distances measured."""
    diagnosis = judgement.diagnosis
    first = next((one for one in diagnosis.candidates if one.fits), None)
    is_shown = judgement.placed.values is not None
    values = {
        "distance": distance_words(judgement.distance, tr),
        "limit": distance_words(judgement.limit, tr),
        "count": int(judgement.differs.sum()),
    }
    if diagnosis.verdict == "right":
        return tr("mine.right", **values)
    if not is_shown:
        values |= {
            "got": as_shape(judgement.placed.given.shape),
            "wanted": as_shape(judgement.placed.expected.shape),
        }
    what = "cells" if is_shown else "shape"
    if first is None:
        return tr(f"mine.{diagnosis.verdict}.{what}", **values)
    named = {
        "mistake": mistake_words(first, tr, language).rstrip(".。"),
        "fitted": distance_words(first.distance * judgement.unit, tr),
    }
    return tr(f"mine.{diagnosis.verdict}.{what}_fits", **values, **named)


def apart_sentence(apart: Apart, tr: Translate) -> str:
    """Say what would tell two mistakes apart."""
    pair = {"first": apart.first.fault.id, "second": apart.second.fault.id}
    if apart.decimals is not None:
        return tr(
            "mine.apart.digits",
            **pair,
            distance=distance_words(apart.distance, tr),
            decimals=apart.decimals,
        )
    if apart.other:
        return tr("mine.apart.other", **pair, other=KIND_RULES[apart.other].symbol)
    return tr("mine.apart.never", **pair)


def read_words(
    brought: Brought, judgement: Judgement | None, tr: Translate
) -> list[str]:
    """Say what was understood, and name what was left out."""
    told = [] if judgement is None else [_taken(judgement, tr)]
    if brought.own is not None:
        names = ", ".join(
            f"{written_name(each.name)} {as_shape(_bare(each.shape))}"
            for each in brought.own.matrices
        )
        told.append(tr("mine.inputs", names=names))
    if brought.rows is not None:
        told.append(tr("mine.inputs", names=f"x {as_shape(brought.rows.shape)}"))
    start, unused = brought.d_context, []
    if judgement is None or judgement.placed.expected.rule.family != "gradients":
        unused = [] if start is None else ["dC"]
    elif start is None:
        told.append(tr("mine.loss_sum"))
    else:
        told.append(tr("mine.inputs", names=f"dC {as_shape(start.shape)}"))
    told += [tr(f"own.note.{note.reason}", **note.values) for note in brought.notes]
    lost = [
        *unused,
        *brought.left_out,
        *(() if judgement is None else judgement.left_out),
    ]
    if lost:
        shown = [_shortened(one) for one in lost[:_LONGEST_LIST]]
        more = ["…"] if len(lost) > _LONGEST_LIST else []
        told.append(tr("own.left_out", names=", ".join([*shown, *more])))
    return told


def _taken(judgement: Judgement, tr: Translate) -> str:
    placed = judgement.placed
    names = ", ".join(one.expected.rule.symbol for one in judgement.results)
    shape = as_shape(placed.given.shape)
    sentence = (
        tr("mine.read", name=names, shape=shape)
        if judgement.decimals is None
        else tr("mine.read_decimals", name=names, shape=shape, n=judgement.decimals)
    )
    is_one_head = placed.values is not None and len(placed.values) < len(
        placed.expected.values
    )
    if is_one_head:
        sentence += " " + tr("mine.read_head", head=placed.first + 1)
    return sentence


def _bare(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape[1:] if len(shape) == 3 and shape[0] == 1 else shape


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"
