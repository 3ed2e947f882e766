"""The script of the page Check mine."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnviz.core.layers.norms import NormTrace
from attnviz.example.check.gradients import GradientTrace
from attnviz.example.check.trace import CheckTrace
from attnviz.example.checks import asked_of
from attnviz.example.compute import ExampleTrace
from attnviz.example.norms import NormExampleTrace
from attnviz.export.dialect import Dialect, Words, assemble, magnitude, section, shown

# What is hidden takes the least score there is, so that no maximum is one of a hidden
# key; a query that sees no key gets zeros.
_ATTENTION = """\
scores = q @ k.TURNED * scale + bias
scores = LIB.where(visible, scores, scores.min())
exps = LIB.where(visible, LIB.exp(scores - scores.LARGEST(ALONG)), 0.0)
sums = exps.sum(ALONG)
weights = exps / LIB.where(sums > 0, sums, 1.0)
"""
_RESULTS = {
    "weights": "weights",
    "context": "weights @ v",
    "output": "(JOIN(list(weights @ v), -1) @ w_o)[None]",
}
_BACK = """\
d_weights = LIB.where(visible, d_context @ v.TURNED, 0.0)
d_scores = weights * (d_weights - (weights * d_weights).sum(ALONG))
"""
_GRADIENTS = {
    "grad_q": "d_scores @ k * scale",
    "grad_k": "d_scores.TURNED @ q * scale",
    "grad_v": "weights.TURNED @ d_context",
    "grad_scores": "d_scores",
    "grad_weights": "d_weights",
}
_ANGLES = """\
angles = positions[:, None] * rates
"""
_SINUSOIDS = """\
expected = LIB.zeros(shape)
expected[..., 0::2] = LIB.sin(angles)
expected[..., 1::2] = LIB.cos(angles)
"""
_TURNED = """\
expected = LIB.zeros(x.shape)
expected[..., 0::2] = x[..., 0::2] * LIB.cos(angles) - x[..., 1::2] * LIB.sin(angles)
expected[..., 1::2] = x[..., 1::2] * LIB.cos(angles) + x[..., 0::2] * LIB.sin(angles)
"""
_NORM = """\
mean = x.mean(ALONG)
variance = ((x - mean) ** 2).mean(ALONG)
output = gamma * (x - mean) / LIB.sqrt(variance + eps) + beta
"""


def check_script(trace: CheckTrace, dialect: Dialect, words: Words) -> str:
    """Write the script that computes what should come out, and subtracts."""
    source = trace.wanted.source
    given, computed, largest = (
        _norm(source.norm, dialect)
        if isinstance(source, NormExampleTrace)
        else _written(trace, source, dialect)
    )
    difference = ""
    if trace.given is not None and trace.difference is not None:
        difference = section(
            words("mine.script.difference"),
            dialect.assign("given", trace.given),
            "difference = given - expected",
            "print(abs(difference).max())",
        )
    return assemble(
        dialect,
        words,
        words("mine.script.title"),
        largest,
        [
            section(words("mine.given"), *given),
            section(words("mine.script.expected"), dialect.speak(computed)),
            shown(dialect, words("export.script.shown"), {"expected": trace.expected}),
            difference,
        ],
    )


def _written(
    trace: CheckTrace, source: ExampleTrace | GradientTrace, dialect: Dialect
) -> tuple[list[str], str, float]:
    """Write inputs and steps of what an example gives, with the largest number."""
    if isinstance(source, GradientTrace):
        return _gradients(trace, source, dialect)
    family = trace.wanted.rule.family
    if family in ("sinusoids", "rotation"):
        return _positions(trace, source, dialect)
    whole = family == "layer"
    last = None if whole else trace.first + len(trace.expected)
    given = _asked(asked_of(source), slice(trace.first, last), dialect)
    if family == "layer" and source.parameters is not None:
        given.append(dialect.assign("w_o", source.parameters.w_o))
    steps = f"{_ATTENTION}expected = {_RESULTS[trace.wanted.kind]}\n"
    largest = magnitude(source.attention.raw_scores, source.attention.v, trace.expected)
    return given, _turned(steps, dialect), largest


def _asked(asked: Mapping[str, Any], rows: slice, dialect: Dialect) -> list[str]:
    """Write what some heads of an attention start from."""
    arrays = {name: asked[name][rows] for name in ("q", "k", "v", "visible")}
    bias = asked["bias"]
    return [
        *[dialect.assign(name, values) for name, values in arrays.items()],
        f"scale = {asked['scale']!r}",
        "bias = 0" if bias is None else dialect.assign("bias", bias[rows]),
    ]


def _turned(steps: str, dialect: Dialect) -> str:
    turned = "mT" if dialect.is_torch else "swapaxes(-1, -2)"
    return steps.replace("TURNED", turned)


def _gradients(
    trace: CheckTrace, source: GradientTrace, dialect: Dialect
) -> tuple[list[str], str, float]:
    """Write the way forward, and the way back to what is asked for."""
    rows = slice(trace.first, trace.first + len(trace.expected))
    given = _asked(source.asked, rows, dialect)
    given.append(dialect.assign("d_context", source.d_context[rows]))
    steps = f"{_ATTENTION}{_BACK}expected = {_GRADIENTS[trace.wanted.kind]}\n"
    attention = source.forth.attention
    largest = magnitude(
        attention.raw_scores, attention.v, source.back.weights, trace.expected
    )
    return given, _turned(steps, dialect), largest


def _positions(
    trace: CheckTrace, source: ExampleTrace, dialect: Dialect
) -> tuple[list[str], str, float]:
    """Write sinusoids, or what is turned by their angles."""
    kind, expected = trace.wanted.kind, trace.expected
    length, width = expected.shape[1:]
    places = source.example.first_position + np.arange(float(length))
    rates = 1e4 ** (-np.arange(0, width, 2) / width)
    given = [dialect.assign("positions", places), dialect.assign("rates", rates)]
    if kind == "positions":
        given.append(f"shape = {expected.shape}")
        return given, _ANGLES + _SINUSOIDS, 1.0
    before = getattr(source, kind[0])[trace.first : trace.first + len(expected)]
    given.append(dialect.assign("x", before))
    return given, _ANGLES + _TURNED, magnitude(before)


def _norm(norm: NormTrace, dialect: Dialect) -> tuple[list[str], str, float]:
    given = [
        dialect.assign("x", norm.x),
        dialect.assign("gamma", norm.gamma),
        dialect.assign("beta", norm.beta),
        f"eps = {norm.eps!r}",
    ]
    spread = float(np.sqrt(norm.variance + norm.eps).min())
    largest = max(1.0, magnitude(norm.gamma)) * magnitude(norm.x) / spread
    return given, f"{_NORM}expected = output[None]\n", largest
