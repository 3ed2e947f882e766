"""Judge norms, outputs, positions, rotations and gradients."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.core.checks._norms import check_norm_case, norm_case
from attnviz.core.diagnosis import (
    Diagnosis,
    diagnose_gradients,
    diagnose_layer_norm,
    diagnose_multi_head,
    diagnose_positions,
    diagnose_rotation,
)
from attnviz.core.diagnosis._reading import norm_readings
from attnviz.example.check.expecting import Placed
from attnviz.example.check.gradients import GradientTrace
from attnviz.example.check.judgement import Judgement
from attnviz.example.check.judging_attention import of_heads
from attnviz.example.checks import asked_of
from attnviz.example.choices.positions import Encoding, turn_of
from attnviz.example.compute import ExampleTrace
from attnviz.example.matrices import GRADIENT
from attnviz.example.norms import NormExampleTrace


def judge_norm(placed: Sequence[Placed], source: NormExampleTrace) -> Judgement:
    """Judge normalized rows, as strictly as their digits allow."""
    (one,) = placed
    norm = source.norm
    output = one.given if one.values is None else one.values[0]
    meant: dict[str, Any] = {"gamma": norm.gamma, "beta": norm.beta, "eps": norm.eps}
    diagnosis = diagnose_layer_norm(norm.x, output, **meant)
    checks = check_norm_case(next(norm_readings(norm_case(norm.x, output, **meant))))
    return Judgement(one, diagnosis, checks, 1.0, (), tuple(placed))


def judge_layer(placed: Sequence[Placed], source: ExampleTrace) -> Judgement:
    """Judge what comes out behind W_O."""
    (one,) = placed
    asked = asked_of(source)
    positions, first = source.example.positions, source.example.first_position
    layer = source.heads
    assert layer is not None  # who has no output is not asked for one
    diagnosis = diagnose_multi_head(
        layer.x_q,
        layer.x_k,
        layer.x_v,
        output=one.given,
        parameters=layer.parameters,
        visible=source.visible,
        query_valid=np.asarray(source.visible.any(axis=-1)),
        scale=asked["scale"],
        bias=asked["bias"],
        turn=turn_of(positions, Encoding(first)) if positions == "rotary" else None,
    )
    return _judged(placed, diagnosis)


def judge_sinusoids(placed: Sequence[Placed], source: ExampleTrace) -> Judgement:
    """Judge a table of positions."""
    (one,) = placed
    length, width = one.expected.values.shape[1:]
    diagnosis = diagnose_positions(
        one.given,
        positions=length,
        d_model=width,
        start=source.example.first_position,
    )
    return _judged(placed, diagnosis)


def judge_rotation(placed: Sequence[Placed], source: ExampleTrace) -> Judgement:
    """Judge queries and keys that were turned, of the heads that were given."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for one in placed:
        letter = one.expected.kind[0]
        heads = slice(None)
        if one.values is not None:
            heads = slice(one.first, one.first + len(one.values))
        before[letter] = getattr(source, letter)[heads]
        after[f"turned_{letter}"] = one.given if one.values is None else one.values
    first = source.example.first_position
    positions = first + np.arange(before[min(before)].shape[-2])
    diagnosis = diagnose_rotation(**before, **after, positions=positions)
    return _judged(placed, diagnosis)


def judge_gradients(placed: Sequence[Placed], source: GradientTrace) -> Judgement:
    """Judge what came back through attention, of the heads that were given."""
    results: dict[str, Any] = {
        one.expected.kind.replace(GRADIENT, "gradient_"): (
            one.given if one.values is None else one.values
        )
        for one in placed
    }
    return _judged(
        placed, diagnose_gradients(**of_heads(source.asked, placed), **results)
    )


def _judged(placed: Sequence[Placed], diagnosis: Diagnosis) -> Judgement:
    """Show the first result that is not right; of right ones, the first."""
    each = [
        Judgement(one, diagnosis, diagnosis.checks, 1.0, (), tuple(placed))
        for one in placed
    ]
    return next((one for one in each if one.differs.any()), each[0])
