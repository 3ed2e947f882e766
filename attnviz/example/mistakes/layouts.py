"""Axes looked at: heads split and merged, heads added up, samples of a batch."""

from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.derivation.arithmetic import collect, then
from attnviz.core.derivation.pieces import Derivation, Rule
from attnviz.example.matrices import FAULTY
from attnviz.example.mistakes.laid import Laid
from attnviz.example.mistakes.numbers import own_numbers
from attnviz.example.mistakes.running import run
from attnviz.example.mistakes.trace import compute_mistake
from attnviz.example.settings import Example
from attnviz.example.weights_alone import Shown, WeightsTrace

# Lines that lead from (N, D) to (H, N, d_k), one step each.
SPLIT = """\
tokens = whole.reshape(length, n_heads, d_k)
heads = tokens.swapaxes(0, 1)
"""
SPLIT_WRONG = "heads = whole.reshape(n_heads, length, d_k)\n"


def split_digits() -> Laid:
    """Split numbers that say their token and their feature, right and wrong."""
    given = own_numbers("P14.reshape").given
    right = run(SPLIT, given, prefix="")
    wrong = run(SPLIT_WRONG, given)
    found = {"whole": given["whole"], **right.values, **wrong.values}
    labels = {"position": Example(length=given["length"]).tokens}
    return Laid(found, {**right.rules, **wrong.rules}, labels)


def merge_digits() -> Laid:
    """Merge numbers that say their head, their token and their feature."""
    trace = compute_mistake("P15.reshape", own_numbers("P15.reshape"))
    assert trace is not None
    sheet = trace.sheet()
    return Laid(sheet.matrices, sheet.rules, trace.screen().labels)


def add_heads(shown: Shown) -> Laid | None:
    """Multiply each head by its own rows of W_O, and add the products up.

    Returns
    -------
    laid : Laid or None
        None where no matrix joins the heads.
    """
    if isinstance(shown, WeightsTrace) or shown.heads is None:
        return None
    sheet, context = shown.sheet(), shown.attention.context
    w_o = sheet.matrix("w_o").reshape(*context.shape[::2], -1)
    found = {**sheet.matrices, "head_product": context @ w_o}
    rules = {**sheet.rules, "head_product": _head_product}
    if "b_o" not in sheet:
        rules["output"] = _added
    return Laid(found, rules, shown.screen().labels)


def stack_batch() -> Laid:
    """Attend to two samples as they are meant, and with samples taken for positions.

    The first sample is run alone as well: right code gives it the same context.
    """
    trace = compute_mistake("P18", own_numbers("P18"))
    case = own_numbers("P18").case
    assert trace is not None
    assert case is not None
    sheet = trace.sheet()
    alone = attend(case.q[0], case.k[0], case.v[0]).context
    found = {
        **sheet.matrices,
        "samples": case.v,
        "steps": case.v.swapaxes(0, 1),
        "alone": alone,
        "alone_gap": trace.right["context"][0] - alone,
        "faulty_alone_gap": trace.faulty["context"][0] - alone,
    }
    rules = {
        **sheet.rules,
        "steps": _turned_over,
        "alone": _alone,
        "alone_gap": _gap_of(""),
        "faulty_alone_gap": _gap_of(FAULTY),
    }
    samples = tuple(f"b{number + 1}" for number in range(len(case.v)))
    return Laid(found, rules, {**trace.screen().labels, "sample": samples})


def _head_product(sheet: Sheet, stage: str, index: Index) -> Derivation:
    head, row, column = index
    width = sheet.shape("context")[-1]
    pairs = [
        (
            sheet.operand("context", (head, row, feature)),
            sheet.operand("w_o", (head * width + feature, column)),
        )
        for feature in range(width)
    ]
    return collect(stage, index, "sum_of_products", pairs)


def _added(sheet: Sheet, stage: str, index: Index) -> Derivation:
    heads = range(sheet.shape("head_product")[0])
    terms = [(sheet.operand("head_product", (head, *index)),) for head in heads]
    return collect(stage, index, "sum", terms)


def _turned_over(sheet: Sheet, stage: str, index: Index) -> Derivation:
    step, sample, feature = index
    place = (sample, step, feature)
    return collect(stage, index, "value", [(sheet.operand("samples", place),)])


def _alone(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Weigh the values of the first sample, by its own weights."""
    row, column = index
    keys = range(sheet.shape("weights")[-1])
    pairs = [
        (sheet.operand("weights", (0, row, key)), sheet.operand("v", (0, key, column)))
        for key in keys
    ]
    return collect(stage, index, "sum_of_products", pairs)


def _gap_of(prefix: str) -> Rule:
    def rule(sheet: Sheet, stage: str, index: Index) -> Derivation:
        work = collect(
            stage, index, "value", [(sheet.operand(f"{prefix}context", (0, *index)),)]
        )
        return then(work, "subtract", sheet.operand("alone", index))

    return rule
