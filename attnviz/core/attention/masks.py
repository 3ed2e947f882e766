"""Who may see whom: boolean masks, True where the query may see the key."""

from functools import reduce

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, as_mask, count
from attnviz.core.attention._visibility import band
from attnviz.core.errors import MaskError


def causal_mask(
    len_q: int, len_k: int | None = None, *, offset: int | None = None
) -> BoolArray:
    """Let each query see the keys up to its own position, itself included.

    Parameters
    ----------
    len_q : int
        Number of queries.
    len_k : int, optional
        Number of keys; as many as queries if left out.
    offset : int, optional
        Position of the first query, counted from the first key. Left out, the last
        query stands at the last key, which is what a key–value cache needs.

    Returns
    -------
    visible : BoolArray of shape (T_q, T_k)
        True where j ≤ i + offset.

    Raises
    ------
    ValueError
        If a length is not a whole number of at least 0, or `offset` not a whole number.

    Notes
    -----
    With T_q < T_k, ``offset=0`` gives the top-left alignment of `np.tril` and of
    PyTorch's ``is_causal``; the default gives the bottom-right one.

    References
    ----------
    .. [1] Course chapter, "position t reads keys not later than t" (R51, R142).

    Examples
    --------
    >>> causal_mask(2, 4).astype(int)
    array([[1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    return band("causal_mask", len_q, len_k, left=None, right=0, offset=offset)


def window_mask(
    len_q: int,
    len_k: int | None = None,
    *,
    left: int | None,
    right: int | None,
    offset: int | None = None,
) -> BoolArray:
    """Let each query see the keys near its own position.

    Parameters
    ----------
    len_q : int
        Number of queries.
    len_k : int, optional
        Number of keys; as many as queries if left out.
    left, right : int or None
        How many keys before and after its own position a query may see; None sets no
        limit on that side.
    offset : int, optional
        Position of the first query, as in `causal_mask`.

    Returns
    -------
    visible : BoolArray of shape (T_q, T_k)
        True where i + offset − left ≤ j ≤ i + offset + right.

    Raises
    ------
    ValueError
        If a length or a reach is not a whole number of at least 0, or `offset` not a
        whole number.

    References
    ----------
    .. [1] Course chapter, local window |i − j| ≤ w (R54, R133).

    Examples
    --------
    >>> window_mask(3, left=1, right=0).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    return band("window_mask", len_q, len_k, left=left, right=right, offset=offset)


def padding_mask(key_valid: npt.ArrayLike) -> BoolArray:
    """Hide padding keys from every query.

    Parameters
    ----------
    key_valid : BoolArray of shape (..., T_k)
        True where a key is a token, False where it is padding.

    Returns
    -------
    visible : BoolArray of shape (..., 1, T_k)
        One row for all queries. With heads, give `key_valid` a head axis first:
        ``padding_mask(key_valid[:, None, :])``.

    Raises
    ------
    MaskError
        If `key_valid` is not boolean or has no axis.

    References
    ----------
    .. [1] Course chapter, key padding mask (R48).

    Examples
    --------
    >>> padding_mask([True, True, False]).shape
    (1, 3)
    """
    valid = as_mask("padding_mask", "key_valid", key_valid)
    if valid.ndim == 0:
        raise MaskError("padding_mask: `key_valid` needs shape (..., T_k); got ()")
    return valid[..., None, :]


def sparse_mask(
    length: int,
    *,
    window: int,
    n_global: int,
    n_random: int,
    rng: np.random.Generator,
) -> BoolArray:
    """Combine a local window, global tokens and a few random keys.

    Parameters
    ----------
    length : int
        Number of positions.
    window : int
        Reach of the local window on both sides.
    n_global : int
        The first so many positions see all and are seen by all.
    n_random : int
        Further keys, drawn without repetition, for each position that is not global.
    rng : np.random.Generator
        Source of the random keys.

    Returns
    -------
    visible : BoolArray of shape (T, T)
        True where one of the three rules lets the query see the key.

    Raises
    ------
    ValueError
        If a count is not a whole number of at least 0, or `rng` no generator.

    References
    ----------
    .. [1] Zaheer et al., "Big Bird: Transformers for Longer Sequences", 2020,
       section 2.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> int(sparse_mask(16, window=1, n_global=2, n_random=2, rng=rng).sum())
    128
    """
    n_positions = count("sparse_mask", "length", length)
    reach = count("sparse_mask", "window", window)
    visible = window_mask(n_positions, left=reach, right=reach)
    first = count("sparse_mask", "n_global", n_global)
    extra = count("sparse_mask", "n_random", n_random)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"sparse_mask: `rng` needs a numpy.random.Generator; got {rng!r}"
        )
    visible[:first] = True
    visible[:, :first] = True
    for row in visible[first:]:
        hidden = np.flatnonzero(~row)
        row[rng.choice(hidden, size=min(extra, hidden.size), replace=False)] = True
    return visible


def combine_masks(*masks: npt.ArrayLike) -> BoolArray:
    """Keep what every mask lets through (logical AND).

    Parameters
    ----------
    *masks : array_like of bool
        At least one mask; their shapes must broadcast.

    Returns
    -------
    visible : BoolArray
        True where all masks are True; an array of its own.

    Raises
    ------
    MaskError
        If no mask is given, one is not boolean, or shapes do not broadcast.

    References
    ----------
    .. [1] Course chapter, masks combine by AND of visibility (R56).

    Examples
    --------
    >>> combine_masks(causal_mask(2), padding_mask([True, False])).astype(int)
    array([[1, 0],
           [1, 0]])
    """
    if not masks:
        raise MaskError("combine_masks: needs at least one mask; got none")
    arrays = [as_mask("combine_masks", "masks", mask) for mask in masks]
    try:
        return reduce(np.logical_and, arrays, np.array(True))
    except ValueError as error:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise MaskError(
            f"combine_masks: `masks` need shapes that broadcast; got {shapes}"
        ) from error
