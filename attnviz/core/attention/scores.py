"""Ways to say how well a key matches a query."""

import math

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    FloatArray,
    as_floats,
    bind_parameter,
    bind_shapes,
    quiet,
)
from attnviz.core.errors import ShapeError


@quiet
def dot_scores(q: npt.ArrayLike, k: npt.ArrayLike) -> FloatArray:
    r"""Score each pair by the dot product of query and key.

    Parameters
    ----------
    q : array_like of shape (..., T_q, d_k)
        Queries.
    k : array_like of shape (..., T_k, d_k)
        Keys.

    Returns
    -------
    scores : FloatArray of shape (..., T_q, T_k)
        Scores, neither scaled nor masked.

    Raises
    ------
    ShapeError
        If queries and keys differ in width.

    Notes
    -----
    .. math:: e_{ij} = q_i^\top k_j

    References
    ----------
    .. [1] Luong, Pham and Manning, "Effective Approaches to Attention-based Neural
       Machine Translation", 2015, section 3.1 (dot).
    .. [2] Course chapter, formula F4.

    Examples
    --------
    >>> dot_scores([[1, 0], [0, 1]], [[1, 1], [0, 2], [-1, 0]])
    array([[ 1.,  0., -1.],
           [ 1.,  2.,  0.]])
    """
    queries, keys = as_floats("dot_scores", q=q, k=k)
    bind_shapes("dot_scores", q=(queries, "T_q d_k"), k=(keys, "T_k d_k"))
    scores: FloatArray = queries @ np.swapaxes(keys, -1, -2)
    return scores


@quiet
def bilinear_scores(q: npt.ArrayLike, k: npt.ArrayLike, w: npt.ArrayLike) -> FloatArray:
    r"""Score each pair through a learned matrix between query and key.

    Parameters
    ----------
    q : array_like of shape (..., T_q, d_q)
        Queries.
    k : array_like of shape (..., T_k, d_k)
        Keys; their width may differ from that of the queries.
    w : array_like of shape (d_q, d_k)
        Matrix of the bilinear form; the identity gives `dot_scores`.

    Returns
    -------
    scores : FloatArray of shape (..., T_q, T_k)
        Scores, neither scaled nor masked.

    Raises
    ------
    ShapeError
        If `w` does not fit between the widths of queries and keys.

    Notes
    -----
    .. math:: e_{ij} = q_i^\top W k_j

    References
    ----------
    .. [1] Luong, Pham and Manning, "Effective Approaches to Attention-based Neural
       Machine Translation", 2015, section 3.1 (general).
    .. [2] Course chapter, formula F4.

    Examples
    --------
    >>> bilinear_scores([[1, 0]], [[1, 1], [0, 2]], [[1, 2], [0, 1]])
    array([[3., 4.]])
    """
    queries, keys, matrix = as_floats("bilinear_scores", q=q, k=k, w=w)
    bind_shapes(
        "bilinear_scores",
        q=(queries, "T_q d_q"),
        k=(keys, "T_k d_k"),
        w=(matrix, "(d_q d_k)"),
    )
    scores: FloatArray = queries @ matrix @ np.swapaxes(keys, -1, -2)
    return scores


@quiet
def additive_scores(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    w_q: npt.ArrayLike,
    w_k: npt.ArrayLike,
    v: npt.ArrayLike,
) -> FloatArray:
    r"""Score each pair by a small network with one hidden layer.

    Parameters
    ----------
    q : array_like of shape (..., T_q, d_q)
        Queries.
    k : array_like of shape (..., T_k, d_k)
        Keys.
    w_q : array_like of shape (d_a, d_q)
        Matrix of the queries; it stands left of the query, as the formula writes it.
    w_k : array_like of shape (d_a, d_k)
        Matrix of the keys.
    v : array_like of shape (d_a,)
        Read-out of the hidden layer; no score exceeds the sum of its absolute values.

    Returns
    -------
    scores : FloatArray of shape (..., T_q, T_k)
        Scores, neither scaled nor masked.

    Raises
    ------
    ShapeError
        If a parameter does not fit the queries, the keys or the other parameters.

    Notes
    -----
    .. math:: e_{ij} = v^\top \tanh(W_q q_i + W_k k_j)

    References
    ----------
    .. [1] Bahdanau, Cho and Bengio, "Neural Machine Translation by Jointly Learning to
       Align and Translate", 2015, appendix A.1.2.
    .. [2] Course chapter, formula F4.

    Examples
    --------
    >>> additive_scores([[1.0]], [[1.0], [-1.0]], [[1.0]], [[1.0]], [2.0]).round(4)
    array([[1.9281, 0.    ]])
    """
    queries, keys, left, right = as_floats(
        "additive_scores", q=q, k=k, w_q=w_q, w_k=w_k
    )
    sizes = bind_shapes(
        "additive_scores",
        q=(queries, "T_q d_q"),
        k=(keys, "T_k d_k"),
        w_q=(left, "(d_a d_q)"),
        w_k=(right, "(d_a d_k)"),
    )
    readout = bind_parameter("additive_scores", "v", v, (sizes["d_a"],))
    asking = queries @ np.swapaxes(left, -1, -2)
    asked = keys @ np.swapaxes(right, -1, -2)
    hidden = np.tanh(asking[..., :, None, :] + asked[..., None, :, :])
    scores: FloatArray = hidden @ readout
    return scores


def default_scale(q: FloatArray) -> float:
    """Give the factor 1/√d_k of queries.

    Parameters
    ----------
    q : FloatArray of shape (..., d_k)
        Queries of one head.

    Returns
    -------
    scale : float
        One over the square root of the contracted size.

    Raises
    ------
    ShapeError
        If d_k is 0.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.

    Examples
    --------
    >>> default_scale(np.zeros((5, 4)))
    0.5
    """
    if q.shape[-1] == 0:
        raise ShapeError(f"attend: `q` needs d_k of at least 1; got {q.shape}")
    return 1 / math.sqrt(q.shape[-1])
