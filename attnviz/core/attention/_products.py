"""Products in which what has no number spoils no more than it must."""

import numpy as np

from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
)


def multiply(a: FloatArray, b: FloatArray) -> FloatArray:
    """Multiply matrices; a row that holds NaN or ±∞ spoils its own row alone."""
    with np.errstate(invalid="ignore", over="ignore"):
        product: FloatArray = a @ b
    return product


def mix_visible(weights: FloatArray, v: FloatArray, visible: BoolArray) -> FloatArray:
    """Multiply weights and values so that a hidden NaN stays hidden.

    Weights of shape (..., T_q, T_k) are 0 where hidden; there, values of shape
    (..., T_k, d_v) may be NaN or ±∞.
    """
    finite = np.isfinite(v)
    if finite.all():
        return weights @ v
    context = weights @ np.where(finite, v, 0)
    # Only values that are not finite need the slow way: 0 · NaN is NaN, so each is
    # added just where its key is visible.
    odd = np.where(finite, 0, v)
    terms = weights[..., :, :, None] * odd[..., None, :, :]
    extra: FloatArray = np.where(visible[..., None], terms, 0).sum(axis=-2)
    return context + extra
