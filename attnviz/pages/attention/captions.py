"""The title of the Attention page, and the shapes that its figures carry."""

import numpy as np

from attnviz.example.compute import ExampleTrace
from attnviz.example.settings import Example
from attnviz.example.weights_alone import Shown, WeightsTrace
from attnviz.text.catalog import Translate
from attnviz.text.numbers import brief

# Scores that differ by less are equal, but for rounding.
_SAME = 1e-9


def attention_heading(trace: Shown, tr: Translate) -> str:
    """Say what kind of attention is on screen."""
    if isinstance(trace, WeightsTrace):
        return tr("attention.heading.weights")
    is_cross = trace.example.is_cross
    return tr("attention.heading.cross" if is_cross else "attention.heading")


def tied_scores(trace: Shown, head: int, tr: Translate) -> str:
    """Say how far scores are from symmetric where queries and keys are projected alike.

    Returns
    -------
    sentence : str
        Empty where each has a projection of its own, or keys come from elsewhere.
    """
    if not trace.example.is_tied or isinstance(trace, WeightsTrace):
        return ""
    if trace.example.is_cross:
        return tr("tied.cross")
    scores = trace.attention.scores[head]
    apart = float(np.abs(scores - scores.T).max())
    way = "same" if apart < _SAME else "apart"
    return tr(f"tied.{way}", apart=brief(apart))


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
    kind = trace.example.scoring
    return {
        **_input_shapes(trace),
        "shape.bilinear": _product(rows, d_k, d_k) if kind == "bilinear" else "",
        "shape.additive": _additive(trace),
        "shape.chain": _scores(trace),
    }


def _input_shapes(trace: ExampleTrace) -> dict[str, str]:
    """Write the shapes of what Q, K and V come from, and of the output."""
    if trace.x is None or trace.x_k is None:
        return {f"shape.{name}": "" for name in ("positions", "output")}
    rows, d = trace.x.shape
    heads, _, d_v = trace.v.shape
    size = f"{rows}×{d}"
    added = "" if trace.positions is None else f"{size} + {size} → {size}"
    if trace.example.positions == "sinusoidal":
        added = f"{added} · {counted_positions(trace.example, rows)}"
    return {
        "shape.positions": added,
        "shape.output": "" if trace.heads is None else _product(rows, heads * d_v, d),
    }


def _additive(trace: ExampleTrace) -> str:
    """Write the shapes of the learned parts, whose hidden units may be any number."""
    if trace.scoring is None or trace.example.scoring != "additive":
        return ""
    units, d_k = trace.scoring.w_q.shape
    return f"{units}×{d_k}, {units}"


def _scores(trace: ExampleTrace) -> str:
    """Write what gives the scores, which is a product unless they are additive."""
    _, rows, d_k = trace.q.shape
    keys = trace.k.shape[1]
    bias = "" if trace.attention.bias is None else f" + {rows}×{keys}"
    if trace.example.scoring == "additive":
        return f"{rows}×{d_k}, {keys}×{d_k}{bias} → {rows}×{keys}"
    return f"{rows}×{d_k} · {d_k}×{keys}{bias} → {rows}×{keys}"


def counted_positions(example: Example, length: int) -> str:
    """Write from where to where positions count."""
    first = example.first_position
    numbers = range(first, first + length)
    between = ", …, " if length > 2 else ", "
    ends = dict.fromkeys((numbers[0], numbers[-1]))
    return f"p = {between.join(map(str, ends))}"


def _product(rows: int, inner: int, columns: int) -> str:
    return f"{rows}×{inner} · {inner}×{columns} → {rows}×{columns}"
