"""How the cells of a position-wise network come about."""

from collections.abc import Mapping
from types import MappingProxyType

from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation._products import product
from attnviz.core.derivation.pieces import Derivation, Rule


def _hidden(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _layer(sheet, stage, index, "ffn_input", "1")


def _output(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _layer(sheet, stage, index, "activated", "2")


def _layer(
    sheet: Sheet, stage: str, index: Index, source: str, number: str
) -> Derivation:
    """Multiply a position and a column of one of the two matrices."""
    *place, column = index
    return product(
        sheet,
        stage,
        index,
        row=(source, tuple(place)),
        column=(f"w_{number}", (), (column,)),
        bias=(f"b_{number}", (column,)),
    )


NETWORK_RULES: Mapping[str, Rule] = MappingProxyType(
    {"hidden": _hidden, "ffn_output": _output}
)
