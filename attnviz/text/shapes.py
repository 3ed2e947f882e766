"""Shapes of products, as the titles of the figures carry them."""

from attnviz.core.example import ExampleTrace


def attention_shapes(trace: ExampleTrace) -> dict[str, str]:
    """Write the shapes of every stage of one head.

    Parameters
    ----------
    trace : ExampleTrace
        The example on screen.

    Returns
    -------
    texts : dict of str to str
        By key "shape.<figure>", such as "5×8 · 8×4 → 5×4".
    """
    length, d = trace.x.shape
    heads, _, d_k = trace.parameters.w_q.shape
    d_v = trace.parameters.w_v.shape[-1]
    table = f"{length}×{length}"
    joined = heads * d_v
    return {
        "shape.query": _product(length, d, d_k),
        "shape.key": _product(length, d, d_k),
        "shape.value": _product(length, d, d_v),
        "shape.scores": _product(length, d_k, length),
        "shape.softmax": f"{table} → {table}",
        "shape.context": _product(length, length, d_v),
        "shape.output": _product(length, joined, d),
    }


def _product(rows: int, inner: int, columns: int) -> str:
    return f"{rows}×{inner} · {inner}×{columns} → {rows}×{columns}"
