"""How the cells of a normalization come about."""

from collections.abc import Mapping
from types import MappingProxyType

from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.derivation.arithmetic import carry, collect, then
from attnviz.core.derivation.pieces import Derivation, Rule


def mean_of(sheet: Sheet, stage: str, index: Index, name: str) -> Derivation:
    """Average the features of one position of a matrix.

    Parameters
    ----------
    sheet : Sheet
        All matrices.
    stage : str
        The matrix of means.
    index : tuple of int
        The position.
    name : str
        The matrix whose features are averaged.

    Returns
    -------
    derivation : Derivation
        A sum, divided by their number.
    """
    entries = [(entry,) for entry in _features(sheet, index, name)]
    work = collect(stage, index, "sum", entries)
    return then(work, "divide", sheet.operand("d"))


def variance_of(
    sheet: Sheet, stage: str, index: Index, name: str, mean_name: str
) -> Derivation:
    """Average the squared distances of a position's features from their mean.

    Parameters
    ----------
    sheet : Sheet
        All matrices.
    stage : str
        The matrix of variances.
    index : tuple of int
        The position.
    name, mean_name : str
        The matrix whose features are compared, and the one of their means.

    Returns
    -------
    derivation : Derivation
        A sum of squares, divided by their number.
    """
    mean = sheet.operand(mean_name, index)
    deviations = [(entry, mean) for entry in _features(sheet, index, name)]
    work = collect(stage, index, "sum_of_squares", deviations)
    return then(work, "divide", sheet.operand("d"))


def _mean(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return mean_of(sheet, stage, index, "norm_input")


def _variance(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return variance_of(sheet, stage, index, "norm_input", "norm_mean")


def _mean_square(sheet: Sheet, stage: str, index: Index) -> Derivation:
    squares = [(entry, entry) for entry in _features(sheet, index, "norm_input")]
    work = collect(stage, index, "sum_of_products", squares)
    return then(work, "divide", sheet.operand("d"))


def _normalized(sheet: Sheet, stage: str, index: Index) -> Derivation:
    place = index[:-1]
    work = carry(stage, index, sheet.operand("norm_input", index))
    eps = sheet.operand("eps")
    if "mean_square" in sheet:
        return then(work, "divide_by_root", sheet.operand("mean_square", place), eps)
    work = then(work, "subtract", sheet.operand("norm_mean", place))
    return then(work, "divide_by_root", sheet.operand("norm_variance", place), eps)


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


def _features(sheet: Sheet, index: Index, name: str) -> list[Operand]:
    """Read all features of one position."""
    width = sheet.shape(name)[-1]
    return [sheet.operand(name, (*index, feature)) for feature in range(width)]


NORM_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "norm_mean": _mean,
        "norm_variance": _variance,
        "mean_square": _mean_square,
        "norm_normalized": _normalized,
        "norm_output": _output,
    }
)
