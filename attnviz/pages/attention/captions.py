"""Shapes of products, as the titles of the figures carry them."""

from attnviz.example.compute import ExampleTrace
from attnviz.example.settings import Example
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
        return {"shape.softmax": "×".join(map(str, trace.weights.shape[1:]))}
    _, rows, d_k = trace.q.shape
    keys, d_v = trace.v.shape[1:]
    table = f"{rows}×{keys}"
    kind = trace.example.scoring
    return {
        **_input_shapes(trace),
        "shape.bilinear": _product(rows, d_k, d_k) if kind == "bilinear" else "",
        "shape.additive": f"{d_k}×{d_k}, {d_k}" if kind == "additive" else "",
        "shape.scores": _product(rows, d_k, keys),
        "shape.softmax": f"{table} → {table}",
        "shape.context": _product(rows, keys, d_v),
    }


def _input_shapes(trace: ExampleTrace) -> dict[str, str]:
    """Write the shapes of what Q, K and V come from, and of the output."""
    if trace.x is None or trace.x_k is None:
        names = ("positions", "query", "key", "value", "output")
        return {f"shape.{name}": "" for name in names}
    rows, d = trace.x.shape
    keys = len(trace.x_k)
    heads, _, d_k = trace.q.shape
    d_v = trace.v.shape[-1]
    size = f"{rows}×{d}"
    added = "" if trace.positions is None else f"{size} + {size} → {size}"
    if trace.example.positions == "sinusoidal":
        added = f"{added} · {counted_positions(trace.example, rows)}"
    return {
        "shape.positions": added,
        "shape.query": _product(rows, d, d_k),
        "shape.key": _product(keys, d, d_k),
        "shape.value": _product(keys, d, d_v),
        "shape.output": "" if trace.heads is None else _product(rows, heads * d_v, d),
    }


def counted_positions(example: Example, length: int) -> str:
    """Write from where to where positions count."""
    first = example.first_position
    numbers = range(first, first + length)
    between = ", …, " if length > 2 else ", "
    ends = dict.fromkeys((numbers[0], numbers[-1]))
    return f"p = {between.join(map(str, ends))}"


def _product(rows: int, inner: int, columns: int) -> str:
    return f"{rows}×{inner} · {inner}×{columns} → {rows}×{columns}"
