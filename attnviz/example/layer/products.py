"""Sums of products of cells, of which gradients are made."""

from collections.abc import Iterable

from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation import Derivation, collect

Pair = tuple[str, Index, str, Index]
"""Two matrices, each with the place of a cell."""


def products(
    sheet: Sheet,
    stage: str,
    index: Index,
    pairs: Iterable[Pair],
) -> Derivation:
    """Add the products of cells of two matrices."""
    terms = [
        (sheet.operand(one, at), sheet.operand(other, there))
        for one, at, other, there in pairs
    ]
    return collect(stage, index, "sum_of_products", terms)
