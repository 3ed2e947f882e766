"""Relative positions: biases on the scores that see only how far a key is."""

import math

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    FloatArray,
    IntArray,
    as_floats,
    bind_shapes,
    count,
)
from attnviz.core.errors import ShapeError


def alibi_slopes(n_heads: int) -> FloatArray:
    """Give each head the slope at which it loses interest with distance.

    Parameters
    ----------
    n_heads : int
        Number of heads H.

    Returns
    -------
    slopes : FloatArray of shape (H,)
        2^(−8h/H) for h = 1 … H if H is a power of two. Otherwise the slopes of the
        next lower power of two, then every second slope of the next higher one, so
        they need not fall from head to head.

    Raises
    ------
    ValueError
        If the number of heads is not a whole number of at least 1.

    References
    ----------
    .. [1] Press, Smith and Lewis, "Train Short, Test Long: Attention with Linear
       Biases Enables Input Length Extrapolation", 2022, section 3 and its code.

    Examples
    --------
    >>> alibi_slopes(6)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625, 0.5       ,
           0.125     ])
    """
    heads = count("alibi_slopes", "n_heads", n_heads, least=1)
    lower = 2 ** (heads.bit_length() - 1)
    between = _geometric_slopes(2 * lower)[::2]
    return np.concatenate([_geometric_slopes(lower), between[: heads - lower]])


def alibi_bias(
    n_heads: int, len_q: int, len_k: int | None = None, *, offset: int | None = None
) -> FloatArray:
    r"""Lower each score in proportion to the distance between query and key.

    Parameters
    ----------
    n_heads : int
        Number of heads H, each with its own slope.
    len_q : int
        Number of queries.
    len_k : int, optional
        Number of keys; as many as queries if left out.
    offset : int, optional
        Position of the first query, counted from the first key; the last query stands
        at the last key if left out, as in `causal_mask`.

    Returns
    -------
    bias : FloatArray of shape (H, T_q, T_k)
        To be given to `attend` as `bias`. It falls on both sides; future keys are
        hidden by a mask, not by the bias.

    Raises
    ------
    ValueError
        If a number of heads or positions is out of range.

    Notes
    -----
    .. math:: b_{h,i,j} = -m_h\, |i - j|

    References
    ----------
    .. [1] Press, Smith and Lewis, "Train Short, Test Long: Attention with Linear
       Biases Enables Input Length Extrapolation", 2022, section 3.

    Examples
    --------
    >>> alibi_bias(2, 1, 3)[0]
    array([[-0.125 , -0.0625, -0.    ]])
    """
    distance = np.abs(_distance("alibi_bias", len_q, len_k, offset))
    bias: FloatArray = -alibi_slopes(n_heads)[:, None, None] * distance
    return bias


def relative_bias(
    values: npt.ArrayLike,
    len_q: int,
    len_k: int | None = None,
    *,
    offset: int | None = None,
) -> FloatArray:
    r"""Spread one learned value a distance over the whole table of scores.

    Parameters
    ----------
    values : array_like of shape (..., 2R + 1)
        Value of each distance i − j from −R to R; leading axes may be heads. Keys
        farther than R take the outermost value.
    len_q : int
        Number of queries.
    len_k : int, optional
        Number of keys; as many as queries if left out.
    offset : int, optional
        Position of the first query, as in `alibi_bias`.

    Returns
    -------
    bias : FloatArray of shape (..., T_q, T_k)
        Constant along each diagonal.

    Raises
    ------
    ShapeError
        If `values` has no entry in the middle for distance 0.
    ValueError
        If a length is not a whole number of at least 0.

    Notes
    -----
    .. math:: b_{ij} = \mathrm{values}_{R + \min(R, \max(-R,\, i - j))}

    References
    ----------
    .. [1] Shaw, Uszkoreit and Vaswani, "Self-Attention with Relative Position
       Representations", 2018, section 3.2 (clipping).
    .. [2] Course chapter, relative positions in the scores (R80).

    Examples
    --------
    >>> relative_bias([-1, 0, 1], 3)
    array([[ 0., -1., -1.],
           [ 1.,  0., -1.],
           [ 1.,  1.,  0.]])
    """
    (table,) = as_floats("relative_bias", values=values)
    entries = bind_shapes("relative_bias", values=(table, "2R+1"))["2R+1"]
    if entries % 2 == 0:
        raise ShapeError(
            "relative_bias: `values` needs an odd number of distances, from −R to R; "
            f"got {table.shape}"
        )
    reach = entries // 2
    distance = _distance("relative_bias", len_q, len_k, offset)
    return table[..., reach + np.clip(distance, -reach, reach)]


def relative_buckets(
    len_q: int,
    len_k: int | None = None,
    *,
    n_buckets: int = 32,
    max_distance: int = 128,
    both_sides: bool = True,
    offset: int | None = None,
) -> IntArray:
    """Put distances into buckets: small ones each in its own, large ones by logarithm.

    Parameters
    ----------
    len_q : int
        Number of queries.
    len_k : int, optional
        Number of keys; as many as queries if left out.
    n_buckets : int, default=32
        Number of buckets, at least 4 with `both_sides`, else at least 2.
    max_distance : int, default=128
        From here on all distances share the last bucket; above half the buckets of
        one side.
    both_sides : bool, default=True
        Keep the second half of the buckets for keys after the query. False puts such
        keys into bucket 0, for use under a causal mask.
    offset : int, optional
        Position of the first query, as in `alibi_bias`.

    Returns
    -------
    buckets : IntArray of shape (T_q, T_k)
        Bucket of each pair; ``values[..., buckets]`` makes a bias of them.

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    .. [1] Raffel et al., "Exploring the Limits of Transfer Learning with a Unified
       Text-to-Text Transformer", 2020, section 2.1 and its code.

    Examples
    --------
    >>> relative_buckets(1, 5, offset=2)
    array([[ 2,  1,  0, 17, 18]])
    """
    distance = _distance("relative_buckets", len_q, len_k, offset)
    sides = 2 if both_sides else 1
    side = count("relative_buckets", "n_buckets", n_buckets, least=2 * sides) // sides
    exact = side // 2
    farthest = count("relative_buckets", "max_distance", max_distance, least=exact + 1)
    after = side * (distance < 0) if both_sides else 0
    near = np.abs(distance) if both_sides else np.maximum(distance, 0)
    # Distances below `exact` are replaced by it here only to keep the logarithm finite.
    octaves = np.log(np.maximum(near, exact) / exact) / math.log(farthest / exact)
    far = exact + (octaves * (side - exact)).astype(np.int64)
    buckets: IntArray = after + np.where(near < exact, near, np.minimum(far, side - 1))
    return buckets


def _geometric_slopes(power: int) -> FloatArray:
    return 2.0 ** (-8 * np.arange(1, power + 1) / power)


def _distance(
    operation: str, len_q: int, len_k: int | None, offset: int | None
) -> IntArray:
    """Count how far each key lies before each query."""
    n_queries = count(operation, "len_q", len_q)
    n_keys = n_queries if len_k is None else count(operation, "len_k", len_k)
    first = n_keys - n_queries
    if offset is not None:
        first = count(operation, "offset", offset, least=None)
    distance: IntArray = np.arange(n_queries)[:, None] + first - np.arange(n_keys)
    return distance
