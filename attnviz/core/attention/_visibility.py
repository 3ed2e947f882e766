"""Masks spread over the table of scores, and queries that they leave nothing."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, FloatArray, as_mask, count
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


def reach_of(
    operation: str, *, causal: bool, left: int | None, right: int | None
) -> tuple[int | None, int | None]:
    """Tell how many keys before and after its own position a query may see.

    Parameters
    ----------
    operation : str
        Name that opens the message of an error.
    causal : bool
        Whether a query sees none after.
    left, right : int or None
        The window; None sets no limit on that side.

    Returns
    -------
    left, right : int or None
        What is left of both rules.

    Raises
    ------
    ValueError
        If `causal` is no truth value, or a reach not a whole number of at least 0.
    """
    if not isinstance(causal, bool | np.bool_):
        raise ValueError(
            f"{operation}: `causal` needs True or False, and a mask belongs in "
            f"`visible`; got {causal!r}"
        )
    before = None if left is None else count(operation, "left", left)
    after = None if right is None else count(operation, "right", right)
    return before, 0 if causal else after


def first_position(operation: str, len_q: int, len_k: int, offset: int | None) -> int:
    """Count the position of the first query from the first key."""
    if offset is None:
        return len_k - len_q
    return count(operation, "offset", offset, least=None)


def band(
    operation: str,
    len_q: int,
    len_k: int | None,
    *,
    left: int | None,
    right: int | None,
    offset: int | None,
) -> BoolArray:
    """Let each query see a band of keys around its own position."""
    n_queries = count(operation, "len_q", len_q)
    n_keys = n_queries if len_k is None else count(operation, "len_k", len_k)
    first = first_position(operation, n_queries, n_keys, offset)
    visible = np.ones((n_queries, n_keys), dtype=np.bool_)
    if left is None and right is None:
        return visible
    distance = np.arange(n_keys) - (np.arange(n_queries)[:, None] + first)
    if left is not None:
        visible &= distance >= -count(operation, "left", left)
    if right is not None:
        visible &= distance <= count(operation, "right", right)
    return visible


def hidden_by_bias(
    operation: str, bias: FloatArray | None, shape: tuple[int, ...]
) -> BoolArray | None:
    """Tell which keys a bias of −∞ hides, if any; then it has the axes of a mask."""
    if bias is None:
        return None
    hides = np.isneginf(bias)
    return cover_scores(operation, "bias", hides, shape) if hides.any() else None
