"""Judge weights and contexts, of one head or of all."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from attnviz.core.checks import AttentionCase, Check, attention_case
from attnviz.core.checks._attention import check_case
from attnviz.core.checks._result import result_of, value_size
from attnviz.core.diagnosis import Diagnosis, diagnose_attention
from attnviz.core.diagnosis._reading import read_attention
from attnviz.core.errors import ShapeError
from attnviz.example.check.apart import tell_apart
from attnviz.example.check.expecting import Placed
from attnviz.example.check.judgement import Judgement
from attnviz.example.checks import asked_of
from attnviz.example.compute import ExampleTrace


def judge_attention(placed: Sequence[Placed], source: ExampleTrace) -> Judgement:
    """Judge the heads that were given; where nothing fits, all heads together."""
    asked = asked_of(source)
    diagnosis = _diagnose(placed, of_heads(asked, placed))
    if not _is_settled(diagnosis) and of_heads(asked, placed) is not asked:
        whole = [replace(one, values=None) for one in placed]
        with suppress(ShapeError):
            other = _diagnose(whole, asked)
            if _is_settled(other):
                diagnosis, placed = other, whole
    case = attention_case(**of_heads(asked, placed))
    kinds = tuple(one.expected.kind for one in placed)
    checks = _checks(case, placed) or diagnosis.checks
    unit = 1.0 if "weights" in kinds else value_size(case)
    apart = tell_apart(case, diagnosis, kinds)
    judged = [
        Judgement(one, diagnosis, checks, unit, apart, tuple(placed)) for one in placed
    ]
    # The first that is not right; of right ones, the first.
    return next((one for one in judged if one.differs.any()), judged[0])


def _is_settled(diagnosis: Diagnosis) -> bool:
    fits = any(candidate.fits for candidate in diagnosis.candidates)
    return diagnosis.verdict == "right" or fits


def of_heads(asked: dict[str, Any], placed: Sequence[Placed]) -> dict[str, Any]:
    """Ask about the heads that were given alone."""
    n_heads = len(asked["q"])
    fewer = [
        (one.first, len(one.values))
        for one in placed
        if one.values is not None and len(one.values) < n_heads
    ]
    if not fewer:
        return asked
    first, count = fewer[0]
    per_head = ("q", "k", "v", "visible", "query_valid", "bias", "d_context")
    return {
        name: value[first : first + count]
        if name in per_head and value is not None and len(value) == n_heads
        else value
        for name, value in asked.items()
    }


def _diagnose(placed: Sequence[Placed], asked: dict[str, Any]) -> Diagnosis:
    results = {
        one.expected.kind: one.given if one.values is None else one.values
        for one in placed
    }
    return diagnose_attention(
        **asked, weights=results.get("weights"), context=results.get("context")
    )


def _checks(case: AttentionCase, placed: Sequence[Placed]) -> tuple[Check, ...]:
    """Run the checks by the digits that were given; none where shapes differ."""
    found = {one.expected.kind: one.values for one in placed}
    if any(values is None for values in found.values()):
        return ()
    weights, context = found.get("weights"), found.get("context")
    plain = result_of(case, weights, context)
    with np.errstate(all="ignore"):
        return check_case(case, read_attention(case, plain, weights, context).result)
