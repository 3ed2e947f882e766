"""Shapes of products, as the titles of the figures carry them."""

from attnviz.example.compute import ExampleTrace
from attnviz.example.weights_alone import Shown, WeightsTrace


def attention_shapes(trace: Shown) -> dict[str, str]:
    """Write the shapes of every stage of one head.

    Returns
    -------
    texts : dict of str to str
        By key "shape.<figure>", such as "5×8 · 8×4 → 5×4"; empty for figures that the
        example does not have.
    """
    if isinstance(trace, WeightsTrace):
        return {"shape.chain": "×".join(map(str, trace.weights.shape[1:]))}
    _, rows, d_k = trace.q.shape
    keys = trace.v.shape[1]
    kind = trace.example.scoring
    return {
        **_input_shapes(trace),
        "shape.bilinear": _product(rows, d_k, d_k) if kind == "bilinear" else "",
        "shape.additive": f"{d_k}×{d_k}, {d_k}" if kind == "additive" else "",
        "shape.chain": _product(rows, d_k, keys),
    }


def _input_shapes(trace: ExampleTrace) -> dict[str, str]:
    """Write the shapes of what Q, K and V come from, and of the output."""
    if trace.x is None or trace.x_k is None:
        return {f"shape.{name}": "" for name in ("positions", "output")}
    rows, d = trace.x.shape
    heads, _, d_v = trace.v.shape
    size = f"{rows}×{d}"
    added = "" if trace.positions is None else f"{size} + {size} → {size}"
    return {
        "shape.positions": added,
        "shape.output": "" if trace.heads is None else _product(rows, heads * d_v, d),
    }


def _product(rows: int, inner: int, columns: int) -> str:
    return f"{rows}×{inner} · {inner}×{columns} → {rows}×{columns}"
