"""How the cells of a normalization come about."""

from collections.abc import Mapping
from types import MappingProxyType

from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.derivation.arithmetic import carry, collect, then
from attnviz.core.derivation.pieces import Derivation, Rule


def _mean(sheet: Sheet, stage: str, index: Index) -> Derivation:
    entries = [(entry,) for entry in _features(sheet, index)]
    work = collect(stage, index, "sum", entries)
    return then(work, "divide", sheet.operand("d"))


def _variance(sheet: Sheet, stage: str, index: Index) -> Derivation:
    mean = sheet.operand("mean", index)
    deviations = [(entry, mean) for entry in _features(sheet, index)]
    work = collect(stage, index, "sum_of_squares", deviations)
    return then(work, "divide", sheet.operand("d"))


def _mean_square(sheet: Sheet, stage: str, index: Index) -> Derivation:
    squares = [(entry, entry) for entry in _features(sheet, index)]
    work = collect(stage, index, "sum_of_products", squares)
    return then(work, "divide", sheet.operand("d"))


def _normalized(sheet: Sheet, stage: str, index: Index) -> Derivation:
    place = index[:-1]
    work = carry(stage, index, sheet.operand("norm_input", index))
    eps = sheet.operand("eps")
    if "mean_square" in sheet:
        return then(work, "divide_by_root", sheet.operand("mean_square", place), eps)
    work = then(work, "subtract", sheet.operand("mean", place))
    return then(work, "divide_by_root", sheet.operand("variance", place), eps)


def _output(sheet: Sheet, stage: str, index: Index) -> Derivation:
    feature = index[-1:]
    scaled = (
        sheet.operand("gamma", feature),
        sheet.operand("norm_normalized", index),
    )
    work = collect(stage, index, "sum_of_products", [scaled])
    return (
        then(work, "add", sheet.operand("beta", feature)) if "beta" in sheet else work
    )


def _features(sheet: Sheet, index: Index) -> list[Operand]:
    """Read all features of one position."""
    width = sheet.shape("norm_input")[-1]
    return [sheet.operand("norm_input", (*index, feature)) for feature in range(width)]


NORM_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "mean": _mean,
        "variance": _variance,
        "mean_square": _mean_square,
        "norm_normalized": _normalized,
        "norm_output": _output,
    }
)
