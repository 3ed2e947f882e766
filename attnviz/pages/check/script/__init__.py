"""The script of the page Check mine."""

import numpy as np

from attnviz.core.layers.norms import NormTrace
from attnviz.example.check.trace import CheckTrace
from attnviz.example.checks import asked_of
from attnviz.example.compute import ExampleTrace
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
        _written(trace, source, dialect)
        if isinstance(source, ExampleTrace)
        else _norm(source.norm, dialect)
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
    trace: CheckTrace, source: ExampleTrace, dialect: Dialect
) -> tuple[list[str], str, float]:
    """Write inputs and steps of what an example gives, with the largest number."""
    family = trace.wanted.rule.family
    if family in ("sinusoids", "rotation"):
        return _positions(trace, source, dialect)
    asked = asked_of(source)
    whole = family == "layer"
    last = None if whole else trace.first + len(trace.expected)
    rows = slice(trace.first, last)
    arrays = {name: asked[name][rows] for name in ("q", "k", "v", "visible")}
    bias = asked["bias"]
    given = [dialect.assign(name, values) for name, values in arrays.items()]
    given.append(f"scale = {asked['scale']!r}")
    given.append("bias = 0" if bias is None else dialect.assign("bias", bias[rows]))
    if family == "layer" and source.parameters is not None:
        given.append(dialect.assign("w_o", source.parameters.w_o))
    turned = "mT" if dialect.is_torch else "swapaxes(-1, -2)"
    steps = _ATTENTION.replace("TURNED", turned)
    largest = magnitude(source.attention.raw_scores, source.attention.v, trace.expected)
    return given, f"{steps}expected = {_RESULTS[trace.wanted.kind]}\n", largest


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
