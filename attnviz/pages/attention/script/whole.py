"""The script of the Attention page."""

from types import MappingProxyType

from attnviz.example.compute import ExampleTrace
from attnviz.export.dialect import (
    Dialect,
    Words,
    assemble,
    magnitude,
    section,
    shown,
)
from attnviz.pages.attention.script.inputs import input_sections
from attnviz.pages.attention.script.masks import mask_section
from attnviz.pages.attention.script.scores import score_sections

_SOFTMAX = """\
row_max = masked_scores.LARGEST(ALONG)
exp_scores = LIB.exp(masked_scores - row_max)
row_sum = exp_scores.sum(ALONG)
weights = exp_scores / row_sum
"""
_SOFTMAX_OF_EMPTY_ROWS = """\
row_max = masked_scores.LARGEST(ALONG)
# {empty}
is_empty = row_max == -LIB.inf
exp_scores = LIB.exp(masked_scores - LIB.where(is_empty, 0.0, row_max))
row_sum = exp_scores.sum(ALONG)
weights = exp_scores / LIB.where(is_empty, 1.0, row_sum)
"""
_OUTPUT = """\
joined = JOIN(list(context), LAST)
output = joined @ w_o
"""
_FUSED = """\
mask = {mask}
fused = F.scaled_dot_product_attention({q}, {k}, v, attn_mask=mask, scale={scale})
sees = visible.any(dim=-1)
same("fused", fused[:, sees], context[:, sees].tolist())
"""
# What each scoring rule puts into PyTorch's dot product, which has no additive one.
_FUSED_QUERIES = MappingProxyType({"dot": "{q}", "bilinear": "{q} @ score_w"})


def whole_script(trace: ExampleTrace, dialect: Dialect, words: Words) -> str:
    """Write the script that attends as the example on screen does."""
    a = trace.attention
    arrays = {
        "q": trace.q,
        "k": trace.k,
        "v": trace.v,
        "scores": a.scores,
        "row_max": a.row_max,
        "row_sum": a.row_sum,
        "weights": a.weights,
        "context": a.context,
    }
    if trace.heads is not None:
        arrays["output"] = trace.heads.output
    return assemble(
        dialect,
        words,
        words("export.script.attention"),
        magnitude(a.raw_scores, *arrays.values()),
        [
            *input_sections(trace, dialect, words),
            *score_sections(trace, dialect, words),
            mask_section(trace, dialect, words),
            _softmax(trace, dialect, words),
            section(words("export.script.context"), "context = weights @ v"),
            _output(trace, dialect, words),
            _fused(trace, dialect, words),
            shown(dialect, words("export.script.shown"), arrays),
        ],
    )


def _softmax(trace: ExampleTrace, dialect: Dialect, words: Words) -> str:
    temperature = trace.example.temperature
    title, scores = words("export.script.softmax"), "scores"
    if temperature != 1:
        title = words("export.script.tempered", temperature=temperature)
        scores = f"scores / {temperature!r}"
    source = _SOFTMAX
    if not trace.attention.visible.any(axis=-1).all():
        source = _SOFTMAX_OF_EMPTY_ROWS.format(empty=words("export.script.empty"))
    masked = f"masked_scores = LIB.where(visible, {scores}, -LIB.inf)"
    return section(title, dialect.speak(masked), dialect.speak(source))


def _output(trace: ExampleTrace, dialect: Dialect, words: Words) -> str:
    if trace.parameters is None or trace.heads is None:
        return ""
    return section(
        words("export.script.output"),
        dialect.assign("w_o", trace.parameters.w_o),
        dialect.speak(_OUTPUT),
    )


def _fused(trace: ExampleTrace, dialect: Dialect, words: Words) -> str:
    """Attend once more with PyTorch's own function, if it knows the score."""
    e = trace.example
    if not dialect.is_torch or e.scoring not in _FUSED_QUERIES:
        return ""
    q, k = ("q_turned", "k_turned") if e.positions == "rotary" else ("q", "k")
    divisors = ["k.shape[-1] ** 0.5"] if e.scale is None else []
    if e.temperature != 1:
        divisors.append(repr(e.temperature))
    bias = "bias" if e.temperature == 1 else f"bias / {e.temperature!r}"
    mask = f"torch.where(visible, {bias}, -torch.inf)"
    return section(
        words("export.script.fused"),
        _FUSED.format(
            mask="visible" if trace.attention.bias is None else mask,
            q=_FUSED_QUERIES[e.scoring].format(q=q),
            k=k,
            scale=f"1 / ({' * '.join(divisors)})" if divisors else "1.0",
        ),
    )
