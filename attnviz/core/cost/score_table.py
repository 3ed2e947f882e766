"""How large the table of scores is, and how much of it a mask leaves."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import count


def score_elements(*, len_q: int, len_k: int, n_heads: int = 1, batch: int = 1) -> int:
    """Count the entries of all tables of scores.

    Parameters
    ----------
    len_q, len_k : int
        Number of queries and keys.
    n_heads : int, default=1
        Number of query heads H.
    batch : int, default=1
        Number of samples m.

    Returns
    -------
    elements : int
        The product m·H·T_q·T_k.

    Raises
    ------
    ValueError
        If a number is not a whole number of at least 0.

    References
    ----------
    .. [1] Course chapter, size of the score table (R128).

    Examples
    --------
    >>> score_elements(batch=8, n_heads=8, len_q=128, len_k=128)
    1048576
    """
    sizes = {"len_q": len_q, "len_k": len_k, "n_heads": n_heads, "batch": batch}
    elements = 1
    for name, size in sizes.items():
        elements *= count("score_elements", name, size)
    return elements


def array_bytes(elements: int, dtype: npt.DTypeLike = np.float32) -> int:
    """Count the bytes of an array.

    Parameters
    ----------
    elements : int
        Number of its entries.
    dtype : dtype, default=float32
        Their type.

    Returns
    -------
    size : int
        Bytes.

    Raises
    ------
    ValueError
        If the number of entries is not a whole number of at least 0.

    References
    ----------
    .. [1] Course chapter, memory of the scores (R129).

    Examples
    --------
    >>> array_bytes(1_048_576) / 2**20
    4.0
    """
    return (
        count("array_bytes", "elements", elements, most=None) * np.dtype(dtype).itemsize
    )


def causal_visible(length: int) -> int:
    """Count what a causal mask leaves visible.

    Parameters
    ----------
    length : int
        Number of positions T.

    Returns
    -------
    visible : int
        T(T + 1)/2 pairs of query and key.

    Raises
    ------
    ValueError
        If the length is not a whole number of at least 0.

    References
    ----------
    .. [1] Course chapter, causal mask (R51).

    Examples
    --------
    >>> causal_visible(6)
    21
    """
    n_positions = count("causal_visible", "length", length)
    return n_positions * (n_positions + 1) // 2


def window_visible(length: int, window: int) -> int:
    """Count what a local window on both sides leaves visible.

    Parameters
    ----------
    length : int
        Number of positions T.
    window : int
        Reach w on both sides.

    Returns
    -------
    visible : int
        T(2w + 1) − w(w + 1) pairs of query and key; T² if the window reaches all.

    Raises
    ------
    ValueError
        If a number is not a whole number of at least 0.

    References
    ----------
    .. [1] Course chapter, local window (R133).

    Examples
    --------
    >>> window_visible(16, 2)
    74
    """
    n_positions = count("window_visible", "length", length)
    reach = min(count("window_visible", "window", window), max(n_positions - 1, 0))
    return n_positions * (2 * reach + 1) - reach * (reach + 1)


def layers_to_reach(distance: int, window: int | None = None) -> int:
    """Count the layers until one position can know of another.

    A recurrent network needs as many steps as the distance.

    Parameters
    ----------
    distance : int
        How many positions apart they are, at least 1.
    window : int, optional
        Reach of each layer, at least 1; all positions if left out.

    Returns
    -------
    layers : int
        1 without a window, else ⌈distance / window⌉.

    Raises
    ------
    ValueError
        If a number is not a whole number of at least 1.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, table 1.
    .. [2] Course chapter, path length (R131).

    Examples
    --------
    >>> layers_to_reach(63), layers_to_reach(63, 16)
    (1, 4)
    """
    apart = count("layers_to_reach", "distance", distance, least=1)
    if window is None:
        return 1
    return -(-apart // count("layers_to_reach", "window", window, least=1))
