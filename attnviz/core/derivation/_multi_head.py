"""How projections, joined heads and the output come about."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation._products import product
from attnviz.core.derivation.arithmetic import carry, collect, given
from attnviz.core.derivation.pieces import Derivation, Rule


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
        return given(sheet, stage, index)
    *place, head, row, column = index
    return product(
        sheet,
        stage,
        index,
        row=(source, (*place, row)),
        column=(f"w_{stage}", (head,), (column,)),
        bias=(f"b_{stage}", (head, column)),
    )


def _turned(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply the features of a position and a column of what turns it."""
    letter = stage.removesuffix("_turned")
    if f"{letter}_turn" not in sheet:
        return given(sheet, stage, index)
    *place, column = index
    width = sheet.shape(letter)[-1]
    products = [
        (
            sheet.operand(letter, (*place, feature)),
            sheet.operand(f"{letter}_turn", (*place, feature, column)),
        )
        for feature in range(width)
    ]
    # A rotation mixes two features: those that take no part are left out.
    met = [pair for pair in products if pair[1].value != 0]
    return collect(stage, index, "sum_of_products", met or products[:1])


def _joined(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Find the head that a joined feature comes from."""
    *place, row, feature = index
    head, column = divmod(feature, sheet.shape("context")[-1])
    return carry(stage, index, sheet.operand("context", (*place, head, row, column)))


def _output(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply the joined heads of a position and a column of W_O."""
    if "w_o" not in sheet:
        return given(sheet, stage, index)
    *place, column = index
    return product(
        sheet,
        stage,
        index,
        row=("joined", tuple(place)),
        column=("w_o", (), (column,)),
        bias=("b_o", (column,)),
    )


MULTI_HEAD_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "q": _query,
        "k": _key,
        "v": _value,
        "q_turned": _turned,
        "k_turned": _turned,
        "joined": _joined,
        "output": _output,
    }
)
