"""What a mask does: padding that nobody feels, and weights set to 0 too late."""

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.attention.masks import padding_mask
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.derivation.arithmetic import carry, then
from attnviz.core.derivation.pieces import Derivation
from attnviz.example.matrices import FAULTY
from attnviz.example.mistakes.laid import Laid, difference_of, sum_along
from attnviz.example.mistakes.numbers import own_numbers
from attnviz.example.mistakes.trace import compute_mistake
from attnviz.example.settings import Example
from attnviz.example.weights_alone import Shown

# The words, and the most padding behind them.
N_WORDS, MAX_PADS, WIDTH = 4, 4, 3


def pad(n_pads: int) -> tuple[Laid, float, float]:
    """Put padding behind a sentence, once hidden and once not.

    Parameters
    ----------
    n_pads : int
        How many positions are added.

    Returns
    -------
    laid : Laid
        Weights and context with the padding hidden.
    moved, unhidden : float
        How far the context of a word moves against no padding: with the mask, and
        without.
    """
    length = N_WORDS + n_pads
    q, k, v = (
        draw(0, f"padding.{name}", (N_WORDS + MAX_PADS, WIDTH))[None, :length]
        for name in "qkv"
    )
    seen = padding_mask(np.arange(length) < N_WORDS)
    trace = attend(q, k, v, visible=np.broadcast_to(seen, (length, length)))
    alone = attend(*(part[:, :N_WORDS] for part in (q, k, v)))
    open_to_all = attend(q, k, v)
    found = dict(trace.sheet().matrices)
    found["weight_sum"] = trace.weights.sum(axis=-1, keepdims=True)
    tokens = Example(length=N_WORDS).tokens + ("[PAD]",) * n_pads
    labels = {"query": tokens, "key": tokens}
    return (
        Laid(found, {"weight_sum": sum_along("weights", 2)}, labels),
        _largest(trace.context[:, :N_WORDS] - alone.context),
        _largest(open_to_all.context[:, :N_WORDS] - alone.context),
    )


def renormalize() -> tuple[Laid, float]:
    """Hide before the softmax, after it, and after it with rows divided again.

    Returns
    -------
    laid : Laid
        The three tables of weights, and the difference of the first and the last.
    gap : float
        The largest difference of those two.
    """
    trace = compute_mistake("P03", own_numbers("P03"))
    assert trace is not None
    sheet = trace.sheet()
    again = trace.faulty["weights"] / trace.faulty["weight_sum"]
    gap = again - trace.right["weights"]
    found = {**sheet.matrices, "renormalized": again, "renormalized_gap": gap}
    rules = {
        **sheet.rules,
        "renormalized": _divided,
        "renormalized_gap": difference_of("renormalized", "weights"),
    }
    return Laid(found, rules, trace.screen().labels), _largest(gap)


def add_up(shown: Shown) -> Laid:
    """Add up the weights of an example by rows and by columns."""
    sheet, weights = shown.sheet(), shown.screen().matrices["weights"]
    found = {
        **sheet.matrices,
        "weight_sum": weights.sum(axis=-1, keepdims=True),
        "column_total": weights.sum(axis=-2, keepdims=True),
    }
    rules = {
        **sheet.rules,
        "weight_sum": sum_along("weights", 2),
        "column_total": sum_along("weights", 1),
    }
    return Laid(found, rules, shown.screen().labels)


def _largest(gaps: FloatArray) -> float:
    return float(np.abs(gaps).max(initial=0))


def _divided(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand(f"{FAULTY}weights", index))
    return then(work, "divide", sheet.operand(f"{FAULTY}weight_sum", (*index[:-1], 0)))
