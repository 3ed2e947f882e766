"""Masks spread over the table of scores, and queries that they leave nothing."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, as_mask
from attnviz.core.errors import EmptyRowError, MaskError


def cover_scores(
    operation: str, name: str, value: npt.ArrayLike, shape: tuple[int, ...]
) -> BoolArray:
    """Broadcast a mask over a table of scores without guessing which axis is which.

    Parameters
    ----------
    operation : str
        Name that opens the message of an error.
    name : {"visible", "bias", "query_valid", "key_valid"}
        What the mask is: one value a query and key, or one a query or key. A bias is
        one where it hides keys.
    value : array_like of bool
        The mask.
    shape : tuple of int
        Shape to cover, (..., T_q, T_k), (..., T_q) or (..., T_k).

    Returns
    -------
    covered : BoolArray of shape `shape`
        A view of the mask.

    Raises
    ------
    MaskError
        If the mask is not boolean, has neither all leading axes nor none, or has
        another size.
    """
    mask = as_mask(operation, name, value)
    symbols = {"query_valid": "T_q", "key_valid": "T_k"}.get(name, "T_q, T_k")
    least = symbols.count("T")
    fits = (
        mask.ndim in (least, len(shape))
        and mask.shape[-1] == shape[-1]
        and all(
            size in (1, full)
            for size, full in zip(mask.shape, shape[-mask.ndim :], strict=True)
        )
    )
    if not fits:
        hiding = ", where it hides keys," if name == "bias" else ""
        raise MaskError(
            f"{operation}: `{name}`{hiding} needs shape (..., {symbols}) that covers "
            f"{shape}, with every leading axis (head axis too) or none; "
            f"got {mask.shape}"
        )
    return np.broadcast_to(mask, shape)


def refuse_empty_rows(
    operation: str, empty: BoolArray, *, name: str = "visible"
) -> None:
    """Name batch, head and row of each valid query that sees no key.

    Parameters
    ----------
    operation : str
        Name that opens the message of an error.
    empty : BoolArray of shape (..., T_q)
        True where a query counts and sees nothing.
    name : str, default="visible"
        The argument that hides the keys.

    Raises
    ------
    EmptyRowError
        If there is such a query.
    """
    if not empty.any():
        return
    places = []
    for index in np.argwhere(empty)[:5]:
        *batch, row = map(int, index)
        # A single leading axis may be either.
        kind = "batch or head" if len(batch) == 1 else "head"
        head = f"{kind} {batch.pop()}, " if batch else ""
        sample = f"batch {', '.join(map(str, batch))}, " if batch else ""
        places.append(f"{sample}{head}row {row}")
    raise EmptyRowError(
        f"{operation}: `{name}` needs at least one key for each valid query; nothing "
        f"is visible at {'; '.join(places)}. Mark padding queries in `query_valid`"
    )
