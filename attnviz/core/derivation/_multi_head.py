"""How projections, joined heads and the output come about."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from attnviz.core.derivation.arithmetic import carry, collect, then
from attnviz.core.derivation.pieces import Derivation, Index, Operand
from attnviz.core.derivation.sheet import Rule, Sheet
from attnviz.core.errors import ShapeError


def _query(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _projection(sheet, stage, index, ("inputs", "x_q", "x"))


def _key(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _projection(sheet, stage, index, ("key_inputs", "x_k", "inputs", "x"))


def _value(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _projection(sheet, stage, index, ("key_inputs", "x_v", "x_k", "inputs", "x"))


def _projection(
    sheet: Sheet, stage: str, index: Index, inputs: Sequence[str]
) -> Derivation:
    """Multiply a row of the inputs and a column of one head's matrix."""
    source = next((name for name in inputs if name in sheet), None)
    if source is None or f"w_{stage}" not in sheet:
        return sheet.given(stage, index)
    factor = f"w_{stage}"
    *batch, length, _ = sheet.shape(source)
    heads, _, width = sheet.shape(factor)
    _check_sizes(sheet, stage, (source, factor), (*batch, heads, length, width))
    *place, head, row, column = index
    products = [
        (
            sheet.operand(source, (*place, row, feature)),
            sheet.operand(factor, (head, feature, column)),
        )
        for feature in range(sheet.shape(source)[-1])
    ]
    return _product(sheet, stage, index, products, f"b_{stage}", (head, column))


def _joined(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Find the head that a joined feature comes from."""
    *place, row, feature = index
    head, column = divmod(feature, sheet.shape("context")[-1])
    return carry(stage, index, sheet.operand("context", (*place, head, row, column)))


def _output(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply the joined heads of a position and a column of W_O."""
    if "w_o" not in sheet:
        return sheet.given(stage, index)
    *positions, _ = sheet.shape("joined")
    wanted = (*positions, sheet.shape("w_o")[-1])
    _check_sizes(sheet, stage, ("joined", "w_o"), wanted)
    *place, row, column = index
    products = [
        (
            sheet.operand("joined", (*place, row, feature)),
            sheet.operand("w_o", (feature, column)),
        )
        for feature in range(sheet.shape("joined")[-1])
    ]
    return _product(sheet, stage, index, products, "b_o", (column,))


def _check_sizes(
    sheet: Sheet, stage: str, factors: tuple[str, str], product: tuple[int, ...]
) -> None:
    """Refuse factors that cannot have given the stage.

    Raises
    ------
    ShapeError
        If their product has another shape, or there is none.
    """
    left, right = (sheet.shape(name) for name in factors)
    if product != sheet.shape(stage) or left[-1] != right[-2]:
        raise ShapeError(
            f"derive: `{factors[0]}` and `{factors[1]}` need a product of the shape "
            f"{sheet.shape(stage)} of {stage}; got {left} and {right}"
        )


def _product(
    sheet: Sheet,
    stage: str,
    index: Index,
    products: Sequence[tuple[Operand, ...]],
    bias: str,
    place: Index,
) -> Derivation:
    """Add products and bias, and refuse parameters of another trace.

    Raises
    ------
    ValueError
        If the terms miss the cell by more than rounding.
    """
    work = collect(stage, index, "sum_of_products", products)
    size = sum(abs(term.value) for term in work.terms)
    if bias in sheet:
        work = then(work, "add", sheet.operand(bias, place))
        size += abs(sheet.value(bias, place))
    cell = sheet.value(stage, index)
    precision = float(np.finfo(sheet.matrices[stage].dtype).eps)
    if abs(work.value - cell) > 4 * len(products) * precision * size:
        raise ValueError(
            f"derive: `trace` needs the inputs and parameters it was computed from; "
            f"{stage}{list(index)} is {cell:.6g}, but its terms give {work.value:.6g}"
        )
    return work


MULTI_HEAD_RULES: Mapping[str, Rule] = MappingProxyType(
    {"q": _query, "k": _key, "v": _value, "joined": _joined, "output": _output}
)
