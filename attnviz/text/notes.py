"""What is said of a number beside its derivation: who hides it, who changed it."""

from attnviz.core.derivation import Derivation
from attnviz.example.choices.masks import hiding_rules
from attnviz.example.compute import ExampleTrace
from attnviz.example.derivation_norms import is_left_out
from attnviz.example.norms import NormExampleTrace
from attnviz.example.settings import Example
from attnviz.example.weights_alone import Shown
from attnviz.text.catalog import Translate

_CHANGES = ("layer_change", "batch_change")


def attention_note(trace: Shown, derivation: Derivation, tr: Translate) -> str:
    """Say of a cell of the mask, or of a hidden weight, why; and what was typed.

    Returns
    -------
    note : str
        A sentence or two; empty where the derivation says all there is.
    """
    # What belongs to a frozen example has a mask and edits of its own.
    if not isinstance(trace, ExampleTrace) or derivation.stage.startswith("a."):
        return ""
    stage, index, example = derivation.stage, derivation.index, trace.example
    if stage == "mask" or derivation.operation == "hidden":
        return _mask_note(example, (index[-2], index[-1]), tr, is_cell=stage == "mask")
    edits = {edit.place for edit in example.edits}
    return tr("note.edited") if (stage, index) in edits else ""


def norm_note(trace: NormExampleTrace, derivation: Derivation, tr: Translate) -> str:
    """Say why a change is left out."""
    stage, index = derivation.stage, derivation.index
    if stage in _CHANGES and is_left_out(trace.sheet(), index):
        return tr("note.left_out", position=index[0] + 1)
    return ""


def _mask_note(
    example: Example, place: tuple[int, int], tr: Translate, *, is_cell: bool
) -> str:
    lengths = len(example.tokens), len(example.key_tokens)
    rules = hiding_rules(example.mask, *lengths, example.mask_parameters, place)
    query, key = (at + 1 for at in place)
    values = {
        "query": query,
        "key": key,
        "least": max(1, query - example.window_left),
        "most": min(lengths[1], query + example.window_right),
    }
    reasons = tr("note.and").join(tr(f"note.hides.{rule}", **values) for rule in rules)
    by_hand = {edit.index: edit.value for edit in example.edits if edit.name == "mask"}
    if place not in by_hand:
        way = "hidden" if rules else "visible"
    elif by_hand[place]:
        way = "shown_although" if rules else "shown_by_hand"
    else:
        way = "hidden_by_hand"
    sentence = tr(f"note.mask.{way}", **values, reasons=reasons)
    return f"{sentence} {tr('note.mask.toggle')}" if is_cell else sentence
