"""How the cells of a matrix product come about."""

from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation.arithmetic import collect, then
from attnviz.core.derivation.pieces import Derivation


def product(
    sheet: Sheet,
    stage: str,
    index: Index,
    *,
    row: tuple[str, Index],
    column: tuple[str, Index, Index],
    bias: tuple[str, Index],
) -> Derivation:
    """Multiply a row and a column, and add a bias if there is one.

    Parameters
    ----------
    sheet : Sheet
        The matrices.
    stage : str
        Matrix of the cell.
    index : tuple of int
        Place of the cell.
    row : tuple of (str, tuple of int)
        Left matrix, and the place of its row.
    column : tuple of (str, tuple of int, tuple of int)
        Right matrix, and the place of its column before and after the features.
    bias : tuple of (str, tuple of int)
        What is added, and its place.

    Returns
    -------
    derivation : Derivation
        A sum of products.
    """
    left, at_row = row
    right, before, after = column
    products = [
        (
            sheet.operand(left, (*at_row, feature)),
            sheet.operand(right, (*before, feature, *after)),
        )
        for feature in range(sheet.shape(left)[-1])
    ]
    work = collect(stage, index, "sum_of_products", products)
    return then(work, "add", sheet.operand(*bias)) if bias[0] in sheet else work
