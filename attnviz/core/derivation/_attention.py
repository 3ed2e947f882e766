"""How the cells between Q, K, V and the context come about."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.derivation.arithmetic import carry, collect, given, settle, then
from attnviz.core.derivation.pieces import Derivation, Rule


def _scale(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Work out 1/√d_k, unless the scale is a number somebody chose."""
    if sheet.value("d_k") == 0:
        return given(sheet, stage, index)
    root = then(carry(stage, index, sheet.operand("d_k")), "reciprocal_root")
    return root if root.value == sheet.value(stage) else given(sheet, stage, index)


def _raw_score(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply query and key, feature by feature, as they meet."""
    if sheet.is_given("raw_scores"):
        return carry(stage, index, sheet.operand("raw_scores", index))
    if "score_v" in sheet:
        return _additive_score(sheet, stage, index)
    *place, row, column = index
    axes = sheet.shape("raw_scores")[:-2]
    q = next(name for name in ("q_w", "q_turned", "q") if name in sheet)
    k = "k_turned" if "k_turned" in sheet else "k"
    products = [
        (
            sheet.operand(q, (*place, row, feature), axes),
            sheet.operand(k, (*place, column, feature), axes),
        )
        for feature in range(sheet.shape(q)[-1])
    ]
    return collect(stage, index, "sum_of_products", products)


def _additive_score(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Weigh the hidden layer of the additive score."""
    products = [
        (
            sheet.operand("score_v", (unit,)),
            sheet.operand("score_hidden", (*index, unit)),
        )
        for unit in range(sheet.shape("score_v")[0])
    ]
    return collect(stage, index, "sum_of_products", products)


def _score(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Scale, soft-cap and bias the dot product."""
    work = _raw_score(sheet, stage, index)
    work = settle(work, sheet.value("raw_scores", index))
    work = then(work, "multiply", sheet.operand("scale"))
    if "softcap" in sheet:
        work = then(work, "soft_cap", sheet.operand("softcap"))
    if "bias" in sheet:
        work = then(work, "add", sheet.operand("bias", index, sheet.shape(stage)))
    return work


def _masked_score(sheet: Sheet, stage: str, index: Index) -> Derivation:
    if "scores" not in sheet:
        return given(sheet, stage, index)
    work = carry(stage, index, sheet.operand("scores", index))
    if sheet.value("temperature") != 1:
        work = then(work, "divide", sheet.operand("temperature"))
    return then(work, "mask", sheet.operand("mask", index))


def _row_max(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _over_keys(sheet, stage, index, "maximum", "masked_scores")


def _exp(sheet: Sheet, stage: str, index: Index) -> Derivation:
    score = sheet.operand("masked_scores", index)
    if score.value == -math.inf:
        return collect(stage, index, "hidden", [(score,)])
    work = carry(stage, index, score)
    work = then(work, "subtract", sheet.operand("row_max", (*index[:-1], 0)))
    return then(work, "exp")


def _row_sum(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _over_keys(sheet, stage, index, "sum", "exp_scores")


def _weight(sheet: Sheet, stage: str, index: Index) -> Derivation:
    if "exp_scores" not in sheet:
        return given(sheet, stage, index)
    score = sheet.operand("masked_scores", index)
    if score.value == -math.inf:
        return collect(stage, index, "hidden", [(score,)])
    work = carry(stage, index, sheet.operand("exp_scores", index))
    return then(work, "divide", sheet.operand("row_sum", (*index[:-1], 0)))


def _weight_sum(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _over_keys(sheet, stage, index, "sum", "weights")


def _context(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Weigh the values, feature by feature; dropout takes part if there is any."""
    *place, row, column = index
    axes, table = sheet.shape(stage)[:-2], sheet.shape("weights")
    terms: list[tuple[Operand, ...]] = []
    hidden: list[bool] = []
    for key in range(table[-1]):
        weight = sheet.operand("weights", (*place, row, key), axes)
        cell = weight.index
        kept = [sheet.operand("dropout", cell, table)] if "dropout" in sheet else []
        value = sheet.operand("v", (*place, key, column), axes)
        terms.append((weight, *kept, value))
        hidden.append(_is_hidden(sheet, cell))
    return collect(stage, index, "sum_of_products", terms, hidden=hidden)


def _over_keys(
    sheet: Sheet,
    stage: str,
    index: Index,
    operation: Literal["sum", "maximum"],
    name: str,
) -> Derivation:
    """Go through what one query has for each key."""
    cells = [(*index[:-1], key) for key in range(sheet.shape(name)[-1])]
    return collect(
        stage,
        index,
        operation,
        [(sheet.operand(name, cell),) for cell in cells],
        hidden=[_is_hidden(sheet, cell) for cell in cells],
    )


def _is_hidden(sheet: Sheet, index: Index) -> bool:
    return "mask" in sheet and math.isinf(sheet.value("mask", index))


ATTENTION_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "scale": _scale,
        "raw_scores": _raw_score,
        "scores": _score,
        "masked_scores": _masked_score,
        "row_max": _row_max,
        "exp_scores": _exp,
        "row_sum": _row_sum,
        "weights": _weight,
        "weight_sum": _weight_sum,
        "context": _context,
    }
)
