"""What follows the layers, up to the next word, and how it comes about."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation import Derivation, carry, collect, given, then
from attnviz.core.derivation.pieces import Rule

if TYPE_CHECKING:
    from attnviz.example.layer.compute import LayersTrace


def ends_of(trace: "LayersTrace") -> dict[str, FloatArray]:
    """Name the matrices between the last state and the probabilities."""
    found = trace.vocabulary
    if found is None:
        return {}
    return {
        "w_vocab": found.w_vocab,
        "b_vocab": found.b_vocab[None],
        "logits": found.logits,
        "logit_max": found.largest,
        "logit_exp": found.exps,
        "logit_sum": found.total,
        "probabilities": found.probabilities,
    }


def last_state(sheet: Sheet) -> str:
    """Name what leaves the layers, or the norm behind them."""
    if "final_output" in sheet:
        return "final_output"
    places = [name for name in sheet.matrices if name.startswith("stream_")]
    return max(places, key=lambda name: int(name.removeprefix("stream_")))


def _logit(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply a state and the row of a word."""
    position, word = index
    states = last_state(sheet)
    products = [
        (
            sheet.operand(states, (position, feature)),
            sheet.operand("w_vocab", (word, feature)),
        )
        for feature in range(sheet.shape("w_vocab")[1])
    ]
    work = collect(stage, index, "sum_of_products", products)
    return then(work, "add", sheet.operand("b_vocab", (0, word)))


def _largest(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _over_words(sheet, stage, index, "logits")


def _exp(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("logits", index))
    work = then(work, "subtract", sheet.operand("logit_max", (index[0], 0)))
    return then(work, "exp")


def _total(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _over_words(sheet, stage, index, "logit_exp")


def _over_words(sheet: Sheet, stage: str, index: Index, name: str) -> Derivation:
    """Go through all words after one position."""
    words = range(sheet.shape(name)[1])
    terms = [(sheet.operand(name, (index[0], word)),) for word in words]
    return collect(stage, index, "maximum" if name == "logits" else "sum", terms)


def _probability(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("logit_exp", index))
    return then(work, "divide", sheet.operand("logit_sum", (index[0], 0)))


END_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "w_vocab": given,
        "b_vocab": given,
        "logits": _logit,
        "logit_max": _largest,
        "logit_exp": _exp,
        "logit_sum": _total,
        "probabilities": _probability,
    }
)
