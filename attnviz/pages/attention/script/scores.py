"""The part of a script that lets queries meet keys."""

from types import MappingProxyType

from attnviz.core.positions import alibi_slopes, relative_buckets
from attnviz.example.choices.positions import bucket_values
from attnviz.example.choices.scores import SCORING_RULES, ScoringMatrices
from attnviz.example.compute import ExampleTrace
from attnviz.export.dialect import Dialect, Words, section

_ROTARY = """\
def turn(heads):
    length, width = heads.shape[-2:]
    position = LIB.arange({first}, length + {first})[:, None]
    angle = position * 10000.0 ** (-LIB.arange(0, width, 2) / width)
    first, second = heads[..., 0::2], heads[..., 1::2]
    turned = LIB.empty_like(heads)
    turned[..., 0::2] = first * LIB.cos(angle) - second * LIB.sin(angle)
    turned[..., 1::2] = first * LIB.sin(angle) + second * LIB.cos(angle)
    return turned


q_turned = turn(q)
k_turned = turn(k)
"""
_RULES = MappingProxyType(
    {
        "dot": "raw_scores = {q} @ {k}.swapaxes(-1, -2)",
        "bilinear": "raw_scores = {q} @ score_w @ {k}.swapaxes(-1, -2)",
        "additive": """\
asking = ({q} @ score_w_q.T)[:, :, None, :]
asked = ({k} @ score_w_k.T)[:, None, :, :]
raw_scores = LIB.tanh(asking + asked) @ score_v""",
    }
)
_ALIBI = """\
distance = LIB.arange(q.shape[-2])[:, None] - LIB.arange(k.shape[-2])
bias = -slopes[:, None, None] * LIB.abs(distance)
scores = scores + bias
"""


def score_sections(trace: ExampleTrace, dialect: Dialect, words: Words) -> list[str]:
    """Write how `q` and `k` give `scores`.

    Returns
    -------
    sections : list of str
        Source that leaves `scores`, of shape (H, T_q, T_k).
    """
    e = trace.example
    q, k, sections = "q", "k", []
    if e.positions == "rotary":
        q, k = "q_turned", "k_turned"
        written = dialect.speak(_ROTARY.format(first=e.first_position))
        title = words("export.script.rotary", first=e.first_position)
        sections.append(section(title, written))
    learned = [] if trace.scoring is None else _learned(trace, trace.scoring, dialect)
    is_scaled = e.scale is None
    title = "scores" if e.scoring == "dot" else e.scoring
    divided = "raw_scores / k.shape[-1] ** 0.5" if is_scaled else "raw_scores"
    sections.append(
        section(
            words(f"export.script.{'scaled' if is_scaled else title}"),
            *learned,
            dialect.speak(_RULES[e.scoring].format(q=q, k=k)),
            f"scores = {divided}",
        )
    )
    if e.positions == "alibi":
        slopes = dialect.assign("slopes", alibi_slopes(trace.n_heads))
        sections.append(
            section(words("export.script.alibi"), slopes, dialect.speak(_ALIBI))
        )
    elif e.positions == "relative":
        sections.append(_relative(trace, dialect, words))
    return sections


def _relative(trace: ExampleTrace, dialect: Dialect, words: Words) -> str:
    """Write the bucket of each distance, and the number that each head has for it."""
    values = bucket_values(trace.example.seed, trace.n_heads)[:, 0]
    buckets = relative_buckets(len(trace.tokens), len(trace.key_tokens), offset=0)
    return section(
        words("export.script.relative"),
        dialect.assign("bucket_values", values),
        dialect.assign("buckets", buckets),
        "bias = bucket_values[:, buckets]",
        "scores = scores + bias",
    )


def _learned(
    trace: ExampleTrace, learned: ScoringMatrices, dialect: Dialect
) -> list[str]:
    """Write the learned parts of the score."""
    names = SCORING_RULES[trace.example.scoring].parts
    return [dialect.assign(f"score_{name}", getattr(learned, name)) for name in names]
