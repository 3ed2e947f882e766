"""The Jacobian of the softmax, and how much gradient it lets through."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, float_views


def softmax_jacobian(weights: npt.ArrayLike) -> FloatArray:
    r"""Differentiate every weight of a softmax by every score.

    Parameters
    ----------
    weights : array_like of shape (..., n)
        What the softmax gave.

    Returns
    -------
    jacobian : FloatArray of shape (..., n, n)
        Symmetric, with rows that sum to 0.

    Raises
    ------
    ShapeError
        If the weights have no axis.

    Notes
    -----
    .. math:: \partial a_i / \partial s_j = a_i (\delta_{ij} - a_j), \quad
              J = \mathrm{diag}(a) - a a^\top

    References
    ----------
    .. [1] Course chapter, formula F3, differentiated.

    Examples
    --------
    >>> softmax_jacobian([0.5, 0.5])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    (shares,) = float_views("softmax_jacobian", weights=weights)
    diagonal = shares[..., None] * np.eye(shares.shape[-1], dtype=shares.dtype)
    jacobian: FloatArray = diagonal - shares[..., :, None] * shares[..., None, :]
    return jacobian


def softmax_jacobian_norm(weights: npt.ArrayLike) -> FloatArray:
    r"""Measure the Jacobian of a softmax by its Frobenius norm, without building it.

    Parameters
    ----------
    weights : array_like of shape (..., n)
        What the softmax gave.

    Returns
    -------
    norm : FloatArray of shape (...)
        From 0, where one weight is 1 and no gradient comes back, to 1/2, where two keys
        share the weight; √(n − 1) / n where all n do.

    Raises
    ------
    ShapeError
        If the weights have no axis.

    Notes
    -----
    .. math:: \lVert J \rVert^2 = \sum_i a_i^2 - 2 \sum_i a_i^3
              + \Bigl(\sum_i a_i^2\Bigr)^2

    References
    ----------
    .. [1] Course chapter, formula F3, differentiated.

    Examples
    --------
    >>> softmax_jacobian_norm([[0.5, 0.5], [1.0, 0.0]])
    array([0.5, 0. ])
    """
    (shares,) = float_views("softmax_jacobian_norm", weights=weights)
    squares = shares * shares
    total = squares.sum(axis=-1)
    # Rounding may take a vanishing norm below 0.
    norm: FloatArray = np.sqrt(
        np.maximum(total - 2 * (squares * shares).sum(axis=-1) + total * total, 0)
    )
    return norm
