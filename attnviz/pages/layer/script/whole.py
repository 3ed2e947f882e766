"""The script of the Layer page: all layers again, asserting what is on screen."""

import numpy as np

from attnviz.core.attention import MultiHeadTrace
from attnviz.core.layers import DecoderLayerTrace
from attnviz.example.layer.compute import LayersTrace, LayerTrace
from attnviz.export.dialect import (
    Dialect,
    Words,
    assemble,
    magnitude,
    section,
    shown,
)

_FUNCTIONS = """\
def layer_norm(x):
    mean = x.mean(ALONG)
    variance = ((x - mean) ** 2).mean(ALONG)
    return (x - mean) / LIB.sqrt(variance + 1e-5)


def heads(x, y, w_q, w_k, w_v, w_o, visible, bias, turns):
    q, k, v = x @ w_q, y @ w_k, y @ w_v
    if turns:
        q, k = turn(q), turn(k)
    scores = (q @ k.swapaxes(-1, -2) * scale + bias) / temperature
    scores = LIB.where(visible, scores, -LIB.inf)
    largest = scores.LARGEST(ALONG)
    exps = LIB.exp(scores - LIB.where(largest == -LIB.inf, 0.0, largest))
    total = exps.sum(ALONG)
    weights = exps / LIB.where(total == 0, 1.0, total)
    return JOIN(list(weights @ v), LAST) @ w_o


def network(x, w_1, b_1, w_2, b_2):
    return phi(x @ w_1 + b_1) @ w_2 + b_2
"""
_TURN = """\
def turn(rows):
    pairs = rows.reshape(*rows.shape[:-1], -1, 2)
    other = LIB.stack([pairs[..., 1], pairs[..., 0]], LAST).reshape(rows.shape)
    return rows * cos[: rows.shape[-2]] + other * sin[: rows.shape[-2]]
"""
_PHI = {
    "relu": "def phi(x):\n    return x * (x > 0)\n",
    "gelu": "def phi(x):\n    return x * (1 + ERF(x / math.sqrt(2))) / 2\n",
    "gelu_tanh": (
        "def phi(x):\n    bent = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)\n"
        "    return x * (1 + LIB.tanh(bent)) / 2\n"
    ),
}
_POST = """\
stream = layer_norm(stream + {sublayer})
"""
_PRE = """\
stream = stream + {sublayer}
"""
_VOCABULARY = """\
logits = stream @ w_vocab.T + b_vocab
exps = LIB.exp(logits - logits.LARGEST(ALONG))
probabilities = exps / exps.sum(ALONG)
"""


def layer_script(trace: LayersTrace, dialect: Dialect, words: Words) -> str:
    """Write the script that sends what is on screen through its layers."""
    layers = [
        section(
            words("export.script.layer", number=number),
            *_learned(layer, dialect),
            *_steps(layer, turns=_turns(trace)),
        )
        for number, layer in enumerate(trace.layers, start=1)
    ]
    asserted = {"stream": trace.output}
    ends = []
    if trace.final is not None:
        final = section(words("export.script.final"), "stream = layer_norm(stream)")
        ends.append(final)
    if trace.vocabulary is not None:
        found = trace.vocabulary
        asserted |= {"logits": found.logits, "probabilities": found.probabilities}
        ends.append(
            section(
                words("export.script.vocabulary"),
                f"words = {list(found.words)!r}",
                dialect.assign("w_vocab", found.w_vocab),
                dialect.assign("b_vocab", found.b_vocab),
                dialect.speak(_VOCABULARY),
            )
        )
    return assemble(
        dialect,
        words,
        words("export.script.layers"),
        _rounding(trace),
        [
            section(
                words("export.script.layer_functions"), *_functions(trace, dialect)
            ),
            section(words("export.script.rows"), *_inputs(trace, dialect)),
            *layers,
            *ends,
            shown(dialect, words("export.script.shown"), asserted),
        ],
    )


def _functions(trace: LayersTrace, dialect: Dialect) -> list[str]:
    erf = "torch.erf" if dialect.is_torch else "np.vectorize(math.erf)"
    phi = _PHI[trace.settings.activation].replace("ERF", erf)
    parts = ["import math\n", dialect.speak(f"{phi}\n\n{_FUNCTIONS}")]
    if _turns(trace):
        parts.append(dialect.speak(f"\n\n{_TURN}"))
    return [*parts, "\n"]


def _inputs(trace: LayersTrace, dialect: Dialect) -> list[str]:
    attention = _attentions(trace.layers[0])[0].attention
    lines = [
        f"tokens = {list(trace.tokens)!r}",
        dialect.assign("stream", trace.x),
        f"scale, temperature = {attention.scale!r}, {attention.temperature!r}",
    ]
    bias = attention.bias
    lines.append("bias = 0.0" if bias is None else dialect.assign("bias", bias))
    if trace.memory is not None:
        lines.append(dialect.assign("memory", trace.memory))
    for name, one in zip(
        ("visible", "memory_visible"), _attentions(trace.layers[0]), strict=False
    ):
        lines.append(dialect.assign(name, one.attention.visible))
    if _turns(trace):
        behind = trace.source.sheet()
        lines += [
            dialect.assign("cos", behind.matrix("cos")),
            dialect.assign("sin", behind.matrix("sin")),
        ]
    return lines


def _learned(layer: LayerTrace, dialect: Dialect) -> list[str]:
    lines = []
    for prefix, heads in zip(("", "cross_"), _attentions(layer), strict=False):
        for name in ("w_q", "w_k", "w_v", "w_o"):
            matrix = getattr(heads.parameters, name)
            lines.append(dialect.assign(f"{prefix}{name}", matrix))
    network = layer.parameters.feed_forward
    for name in ("w_1", "b_1", "w_2", "b_2"):
        lines.append(dialect.assign(name, getattr(network, name)))
    return lines


def _steps(layer: LayerTrace, *, turns: bool) -> list[str]:
    """Write one line a sublayer, with its norm where it stands."""
    is_pre = layer.norm == "pre"
    form, taken = (_PRE, "layer_norm(stream)") if is_pre else (_POST, "stream")
    own = f"heads({taken}, {taken}, w_q, w_k, w_v, w_o, visible, bias, {turns})"
    cross = (
        f"heads({taken}, memory, cross_w_q, cross_w_k, cross_w_v, cross_w_o,"
        " memory_visible, 0.0, False)"
    )
    inner = f"network({taken}, w_1, b_1, w_2, b_2)"
    sublayers = [own, cross] if isinstance(layer, DecoderLayerTrace) else [own]
    return [form.format(sublayer=each) for each in (*sublayers, inner)]


def _attentions(layer: LayerTrace) -> list[MultiHeadTrace]:
    if isinstance(layer, DecoderLayerTrace):
        return [layer.self_attention, layer.cross_attention]
    return [layer.attention]


def _turns(trace: LayersTrace) -> bool:
    return trace.source.example.positions == "rotary"


def _rounding(trace: LayersTrace) -> float:
    """Bound what rounding grows to on the way through norms of a small spread."""
    spread = min(
        float(np.sqrt(norm.variance + norm.eps).min())
        for layer in trace.layers
        for norm in (layer.norm_1, layer.norm_2)
    )
    return float(magnitude(*trace.streams) / spread * 10 ** len(trace.layers))
