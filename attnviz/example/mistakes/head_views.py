"""Heads looked at: patterns, what they carry, their mean, and dropout."""

import itertools

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.attention.weights import softmax
from attnviz.core.derivation.arithmetic import carry, collect, then
from attnviz.core.derivation.pieces import Derivation
from attnviz.core.diagnosis import HeadPattern, head_patterns
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.mistakes.laid import Laid
from attnviz.example.settings import Example
from attnviz.example.weights_alone import Shown, WeightsTrace

N_POSITIONS = 6
# The row that is dropped from, in every way.
ROW = np.array([1.0, 2, 3, 4]) / 10


def constructed_heads() -> FloatArray:
    """Make heads that spread evenly, fix on a key, look one back, or are drawn.

    Returns
    -------
    weights : FloatArray of shape (4, 6, 6)
        Constructed by hand, not learned.
    """
    before = np.eye(N_POSITIONS, k=-1)
    before[0, 0] = 1
    on_one = np.zeros((N_POSITIONS, N_POSITIONS))
    on_one[:, 0] = 1
    drawn = softmax(np.random.default_rng(0).normal(size=(N_POSITIONS, N_POSITIONS)))
    even = np.full((N_POSITIONS, N_POSITIONS), 1 / N_POSITIONS)
    return np.stack([even, on_one, before, drawn])


def look_at_heads(shown: Shown | None) -> tuple[Laid, tuple[HeadPattern, ...]]:
    """Describe every head of an example, or of those that were made by hand.

    Parameters
    ----------
    shown : ExampleTrace, WeightsTrace or None
        The example; None for heads made by hand.

    Returns
    -------
    laid, patterns : Laid, tuple of HeadPattern
        The weights and their mean over the heads, and what each head looks like.
    """
    visible: BoolArray | None = None
    if shown is None:
        weights = constructed_heads()
        tokens = Example(length=N_POSITIONS).tokens
        found, rules = {"weights": weights}, {}
        labels = {"query": tokens, "key": tokens}
    else:
        sheet = shown.sheet()
        weights = shown.screen().matrices["weights"]
        found, rules = dict(sheet.matrices), dict(sheet.rules)
        labels = dict(shown.screen().labels)
        if not isinstance(shown, WeightsTrace):
            visible = np.broadcast_to(shown.attention.visible, weights.shape)
    found["head_mean"] = weights.mean(axis=0)
    rules["head_mean"] = _head_mean
    is_shared_out = bool((weights >= 0).all())
    patterns = head_patterns(weights, visible) if is_shared_out else ()
    return Laid(found, rules, labels), patterns


def weigh_values(shown: Shown) -> Laid | None:
    """Multiply each weight by the length of the value it carries.

    Returns
    -------
    laid : Laid or None
        None where there are weights alone.
    """
    if isinstance(shown, WeightsTrace):
        return None
    sheet, attention = shown.sheet(), shown.attention
    norms = np.sqrt(np.square(attention.v).sum(axis=-1))[:, None, :]
    found = {
        **sheet.matrices,
        "value_norm": norms,
        "contribution": np.abs(attention.weights) * norms,
    }
    rules = {**sheet.rules, "value_norm": _length, "contribution": _carried}
    return Laid(found, rules, shown.screen().labels)


def same_output() -> Laid:
    """Give three rows of weights that differ, and their one context."""
    trace = compute(EXAMPLES["same_output"])
    sheet = trace.sheet()
    return Laid(sheet.matrices, sheet.rules, trace.screen().labels)


def drop(rate: float) -> Laid:
    """Drop the weights of one row in all sixteen ways.

    Parameters
    ----------
    rate : float
        Probability p of dropping a weight; those that stay are divided by 1 − p.

    Returns
    -------
    laid : Laid
        What stays in each way, the sums, the chance of each way, and the mean.
    """
    keep = np.array(list(itertools.product((1.0, 0.0), repeat=ROW.size)))
    dropped = ROW * keep / (1 - rate)
    kept = keep.sum(axis=-1)
    chance = (1 - rate) ** kept * rate ** (ROW.size - kept)
    found = {
        "weights": ROW[None, None],
        "keep": keep,
        "dropped": dropped,
        "dropped_sum": dropped.sum(axis=-1),
        "chance": chance,
        "dropped_mean": (chance @ dropped)[None],
        "rate": np.array(rate),
    }
    rules = {
        "dropped": _dropped,
        "dropped_sum": _dropped_sum,
        "chance": _chance,
        "dropped_mean": _dropped_mean,
    }
    return Laid(found, rules, {"key": Example(length=ROW.size).tokens})


def _head_mean(sheet: Sheet, stage: str, index: Index) -> Derivation:
    n_heads = sheet.shape("weights")[0]
    terms = [(sheet.operand("weights", (head, *index)),) for head in range(n_heads)]
    work = collect(stage, index, "sum", terms)
    return then(work, "divide", Operand("number", (), float(n_heads)))


def _length(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply the vector by itself; its length is the sum over its root."""
    head, _, key = index
    places = [(head, key, feature) for feature in range(sheet.shape("v")[-1])]
    pairs = [(sheet.operand("v", at), sheet.operand("v", at)) for at in places]
    work = collect(stage, index, "sum_of_products", pairs)
    root = Operand("number", (), max(work.value, 1e-300))
    return then(work, "divide_by_root", root, Operand("number", (), 0.0))


def _carried(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("weights", index))
    norm = sheet.operand("value_norm", (index[0], 0, index[2]))
    return then(work, "multiply", norm)


def _dropped(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("weights", (0, 0, index[1])))
    work = then(work, "multiply", sheet.operand("keep", index))
    return then(work, "divide", Operand("number", (), 1 - sheet.value("rate")))


def _dropped_sum(sheet: Sheet, stage: str, index: Index) -> Derivation:
    places = [(*index, key) for key in range(ROW.size)]
    terms = [(sheet.operand("dropped", place),) for place in places]
    return collect(stage, index, "sum", terms)


def _chance(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply p for each weight that is dropped and 1 − p for each that stays."""
    rate = sheet.value("rate")
    kept = [sheet.value("keep", (*index, key)) for key in range(ROW.size)]
    factors = tuple(
        Operand("number", (), 1 - rate if stays else rate) for stays in kept
    )
    return collect(stage, index, "sum_of_products", [factors])


def _dropped_mean(sheet: Sheet, stage: str, index: Index) -> Derivation:
    pairs = [
        (sheet.operand("chance", (way,)), sheet.operand("dropped", (way, index[1])))
        for way in range(sheet.shape("keep")[0])
    ]
    return collect(stage, index, "sum_of_products", pairs)
