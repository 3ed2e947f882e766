"""Check the attention of an example by what it must satisfy."""

from dataclasses import replace
from typing import Any

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.scaled_dot_product import AttentionTrace
from attnviz.core.checks.attention import check_attention
from attnviz.core.checks.check import Check, CheckVerdict
from attnviz.core.checks.weights import check_weights
from attnviz.example.compute import ExampleTrace
from attnviz.example.settings import Example
from attnviz.example.weights_alone import Shown, WeightsTrace


def check_example(trace: Shown) -> tuple[Check, ...]:
    """Run the checks of `check_attention` on an example.

    All follow the settings but the divisor, which should be √d_k wherever dot products
    are scored: it alone objects to a scaling that is off. Scores that are no dot
    products are written as such: a bilinear one as q W times k, an additive one as its
    table of scores times the identity.

    Parameters
    ----------
    trace : ExampleTrace or WeightsTrace
        The example on screen. Of weights alone, only the sums can be checked; weights
        that came with what they should follow from are checked in place of the
        example's own.

    Returns
    -------
    checks : tuple of Check
        In the order of `check_attention`.
    """
    if isinstance(trace, WeightsTrace):
        return check_weights(trace.weights)
    attention, example = trace.attention, trace.example
    brought = example.brought_weights
    checks = check_attention(
        **asked_of(trace),
        weights=attention.weights if brought is None else brought,
        context=attention.context,
    )
    return tuple(
        _judge_divisor(check, example) if check.id == "divisor" else check
        for check in checks
    )


def asked_of(trace: ExampleTrace) -> dict[str, Any]:
    """Say what an example asks of attention, as checks and diagnoses take it.

    Returns
    -------
    asked : dict of str to Any
        Arguments of `check_attention`, `diagnose_attention` and `attention_case`.
    """
    attention = trace.attention
    q, k = _factors(trace)
    return {
        "q": q,
        "k": k,
        "v": attention.v,
        "visible": attention.visible,
        "query_valid": np.asarray(attention.visible.any(axis=-1)),
        "scale": 1 / trace.example.divisor,
        "bias": _over_temperature(attention),
    }


def _judge_divisor(check: Check, example: Example) -> Check:
    """Compare the divisor with the chapter's, whether the scaling is on or off."""
    if check.measured is None or check.tolerance is None:
        return check
    expected = example.usual_divisor
    verdict: CheckVerdict = "fail"
    if abs(check.measured - expected) <= check.tolerance:
        is_usual = example.scoring == "dot" and example.temperature == 1
        verdict = "pass" if is_usual else "convention"
    return replace(check, verdict=verdict, expected=expected)


def _factors(trace: ExampleTrace) -> tuple[FloatArray, FloatArray]:
    """Find two matrices whose product is the raw scores."""
    attention, learned = trace.attention, trace.scoring
    if learned is None:
        return attention.q, attention.k
    if trace.example.scoring == "bilinear":
        return attention.q @ learned.w, attention.k
    return attention.raw_scores, np.eye(attention.k.shape[-2])


def _over_temperature(attention: AttentionTrace) -> FloatArray | None:
    """Divide the bias as the scores it is added to are divided."""
    if attention.bias is None:
        return None
    return attention.bias / attention.temperature
