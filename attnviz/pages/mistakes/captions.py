"""Sentences of the page that follow the numbers."""

import math

import numpy as np

from attnviz.example.mistakes.settings import MistakeSettings, ShownOn
from attnviz.example.mistakes.trace import MistakeTrace
from attnviz.text.catalog import Translate
from attnviz.text.mistakes import mistake_sentence
from attnviz.text.numbers import brief


def mistake_sentences(
    trace: MistakeTrace,
    settings: MistakeSettings,
    shown_on: ShownOn,
    tr: Translate,
    language: str,
) -> dict[str, str]:
    """Say what the mistake is, and what it changes here."""
    fault, variant = trace.fault, trace.variant
    what = mistake_sentence(fault.id, variant.name, language=language)
    found = [what, _found(trace, tr)]
    if variant.convention:
        found.append(tr("mistakes.found.convention"))
    if settings.shown_on != shown_on:
        found.append(tr("mistakes.cannot"))
    elif shown_on == "example":
        found.append(tr("mistakes.plain"))
    count = _count(trace)
    if count > 1:
        found.append(tr("mistakes.found.head", head=trace.head + 1, count=count))
    name = tr(f"mistakes.name.{trace.id}")
    gap = trace.largest_gap
    is_told = math.isfinite(gap) and gap > 0
    return {
        "mistakes.id": fault.id,
        "mistakes.name": name,
        "mistakes.found": " ".join(found),
        "mistakes.gap": tr("mistakes.found.largest", gap=brief(gap)) if is_told else "",
        "export.of": f"{fault.id} · {name}",
    }


def _found(trace: MistakeTrace, tr: Translate) -> str:
    if trace.gap.keys() != trace.faulty.keys():
        odd = next(name for name in trace.faulty if name not in trace.gap)
        shapes = [
            "×".join(map(str, side[odd].shape[-2:]))
            for side in (trace.right, trace.faulty)
        ]
        return tr("mistakes.found.shape", right=shapes[0], faulty=shapes[1])
    if any(np.isnan(values).any() for values in trace.faulty.values()):
        return tr("mistakes.found.nan")
    if trace.largest_gap < 1e-12:
        return tr("mistakes.found.same")
    return tr("mistakes.found.gap", gap=brief(trace.largest_gap))


def _count(trace: MistakeTrace) -> int:
    first = next(iter(trace.right))
    return len(trace.right[first]) if first == "weights" else 1
