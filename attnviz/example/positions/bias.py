"""A bias on the scores: ALiBi, or learned numbers for buckets of distances."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.attention.scaled_dot_product import AttentionTrace, attend
from attnviz.example.choices.positions import bias_of, bucket_values
from attnviz.example.compute import ExampleTrace
from attnviz.example.positions.settings import PositionsSettings


@dataclass(frozen=True, slots=True)
class BiasTrace:
    """Scores of the last queries, and what a bias makes of them; read-only.

    Attributes
    ----------
    bias : FloatArray of shape (H, T_q, T_k)
        B, of every head.
    values : FloatArray of shape (H, 1, 32), or None
        The learned number of each bucket, if there are any.
    scores : FloatArray of shape (H, T_q, T_k)
        S of the example without any bias.
    attention : AttentionTrace
        Everything from S + B to the weights.
    """

    bias: FloatArray
    values: FloatArray | None
    scores: FloatArray
    attention: AttentionTrace


def compute_bias(trace: ExampleTrace, settings: PositionsSettings) -> BiasTrace:
    """Put a bias on the scores of the last queries.

    Parameters
    ----------
    trace : ExampleTrace
        Self-attention; its own bias, if it has one, is left out.
    """
    example, whole = trace.example, trace.attention
    n_heads, length = trace.q.shape[:2]
    last = min(settings.last_queries, length)
    # The last query stands at the last key, as with keys that were cached.
    bias = bias_of(
        settings.bias_kind,
        n_heads,
        last,
        length,
        seed=example.seed,
        offset=length - last,
    )
    assert bias is not None
    raw = whole.raw_scores[:, length - last :]
    attention = attend(
        whole.q[:, length - last :],
        whole.k,
        whole.v,
        visible=trace.visible[length - last :],
        query_valid=np.asarray(trace.visible[length - last :].any(axis=-1)),
        bias=bias,
        scale=example.scale,
        temperature=example.temperature,
        # They have met before.
        score=lambda q, k: raw,
    )
    scores = raw * attention.scale
    values = None
    if settings.bias_kind == "relative":
        values = bucket_values(example.seed, n_heads)
    return BiasTrace(read_only(bias), values, read_only(scores), attention)
