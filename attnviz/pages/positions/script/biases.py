"""How a script writes a bias on the scores."""

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.positions import alibi_slopes, relative_buckets
from attnviz.example.choices.positions import bucket_values
from attnviz.example.positions.compute import PositionsTrace
from attnviz.export.dialect import Dialect


def bias_lines(
    kind: str,
    bias: FloatArray,
    trace: PositionsTrace,
    dialect: Dialect,
    name: str,
) -> list[str]:
    """Write a bias: slopes times distances, or a number for each bucket."""
    n_heads, len_q, len_k = bias.shape
    if kind == "alibi":
        distance = (
            f"LIB.arange({len_k - len_q}, {len_k})[:, None] - LIB.arange({len_k})"
        )
        return [
            dialect.assign("slopes", alibi_slopes(n_heads)),
            dialect.speak(f"distance = {distance}"),
            dialect.speak(f"{name} = -slopes[:, None, None] * LIB.abs(distance)"),
        ]
    values = bucket_values(trace.example.seed, n_heads)[:, 0]
    return [
        dialect.assign("bucket_values", values),
        dialect.assign("buckets", relative_buckets(len_q, len_k)),
        f"{name} = bucket_values[:, buckets]",
    ]
