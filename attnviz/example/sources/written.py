"""The matrices that presets write down, by name."""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.heads import split_heads
from attnviz.example.sources.fixed import (
    FixedMatrices,
    GivenMatrices,
    looking_heads,
    proportional_weights,
    sines,
)


def _identity() -> FixedMatrices:
    """Exercise 1: Q = K = I₂, V = diag(2, 4) (P1)."""
    eye = np.eye(2)
    return FixedMatrices(eye, eye[None], eye[None], np.diag([2.0, 4.0])[None], eye)


def _constant_values() -> FixedMatrices:
    """Five rows whose last feature is 1; W_V reads that feature alone (P3)."""
    x = np.sin(np.arange(20.0) + 1).reshape(5, 4)
    x[:, -1] = 1
    table = np.sin(np.arange(24.0) + 0.5).reshape(2, 1, 4, 3)
    w_v = np.zeros((1, 4, 2))
    w_v[0, -1] = 1.5, -2.0
    return FixedMatrices(x, table[0], table[1], w_v, np.eye(2, 4))


def _zero_scores() -> FixedMatrices:
    """W_Q = 0, so every score is 0; the values are 1 to 6 and a column of ones (P4)."""
    w_k = np.sin(np.arange(12.0) + 0.5).reshape(1, 6, 2)
    w_v = np.stack([np.arange(1.0, 7.0), np.ones(6)], axis=1)[None]
    return FixedMatrices(np.eye(6), np.zeros((1, 6, 2)), w_k, w_v, np.eye(2, 6))


def _tired_animal() -> FixedMatrices:
    """Make 'it' look at 'animal', and a little at 'street' (P5)."""
    return looking_heads(11, {(7, 1): 4, (7, 5): 1})


def _its_law() -> FixedMatrices:
    """Make 'its' look at 'Law' in one head and at 'application' in another (P6)."""
    return looking_heads(13, {(8, 1): 8}, {(8, 9): 4})


def _apple() -> FixedMatrices:
    """Eat the apple in one head, and make it a company in the other (P11)."""
    return looking_heads(
        3, {(0, 1): 3, (1, 0): 3}, {(0, 2): 3, (2, 0): 3}, labels=("苹果", "吃", "公司")
    )


def _cross() -> GivenMatrices:
    """Two queries, four keys from elsewhere, all of them sines (P9)."""
    return GivenMatrices(
        q=np.sin(np.arange(6) + 0.2).reshape(2, 3),
        k=np.sin(np.arange(12) + 0.4).reshape(4, 3),
        v=np.sin(np.arange(8) + 0.6).reshape(4, 2),
        is_cross=True,
    )


def _exercise_7() -> FixedMatrices:
    """Exercise 7: six tokens and one head, from the stream that the chapter names."""
    rng = np.random.default_rng(42)
    x = rng.standard_normal((6, 8))
    w_q, w_k, w_v = rng.standard_normal((3, 1, 8, 4)) / np.sqrt(8)
    return FixedMatrices(x, w_q, w_k, w_v)


def _recurrent() -> GivenMatrices:
    """Let decoder states ask encoder states, under three scores (P12)."""
    return GivenMatrices(
        q=np.eye(2),
        k=np.array([[1, 1], [0, 2], [-1, 0]]),
        v=np.array([[1, 0], [0, 1], [1, 1]]),
        is_cross=True,
        labels=("s₁", "s₂"),
        key_labels=("h₁", "h₂", "h₃"),
        scoring={
            "w": np.array([[1, 2], [0, 1]]),
            "w_q": np.eye(2),
            "w_k": np.diag([1, -1]),
            "v": np.array([1, 0.5]),
        },
    )


def _side_by_side() -> FixedMatrices:
    """Multiply an 8×6 matrix and two 6×2 ones, side by side or one by one (P14)."""
    left = np.arange(48.0).reshape(8, 6) % 7 - 3
    first = np.arange(12.0).reshape(6, 2) % 5 - 2
    second = np.arange(12.0).reshape(6, 2) % 3 - 1
    w_v = np.eye(6, 2)
    return FixedMatrices(left, first[None], second[None], w_v[None], np.eye(2, 6))


def _einsum() -> GivenMatrices:
    """Multiply a 3×4 and a transposed 5×4 matrix of small whole numbers (P15)."""
    return GivenMatrices(
        q=np.arange(12.0).reshape(3, 4) % 5 - 2,
        k=np.arange(20.0).reshape(5, 4) % 7 - 3,
        v=np.arange(10.0).reshape(5, 2) % 3 - 1,
        is_cross=True,
    )


def _list_and_vector() -> FixedMatrices:
    """Evenly spaced numbers for three heads; the first of three samples (P16)."""

    def spaced(first: float) -> FloatArray:
        heads = [np.linspace(i + first, i + first + 0.7, 12) for i in range(3)]
        return np.stack([head.reshape(2, 6).T for head in heads])

    return FixedMatrices(
        x=np.linspace(0.1, 8.4, 72).reshape(3, 4, 6)[0],
        w_q=spaced(3.1),
        w_k=spaced(0.1),
        w_v=spaced(6.1),
        w_o=np.linspace(9.1, 9.8, 36).reshape(6, 6).T,
    )


def _same_output() -> GivenMatrices:
    """Three rows of weights, and two equal values: one and the same context (P18)."""
    return proportional_weights(
        [[10, 8, 2], [10, 2, 8], [10, 5, 5]], [[1, 0], [2, 3], [2, 3]]
    )


def _left_padding() -> GivenMatrices:
    """Q = K = I₄ behind two positions of padding (P19)."""
    eye = np.eye(4)
    return GivenMatrices(eye, eye, np.array([[1, 1], [1, -1], [2, 0], [0, 4]]))


def _norm_rows() -> FixedMatrices:
    """Three rows made for Layer Normalization; every projection is I₄ (P20)."""
    x = np.array([[1, 2, 3, 4], [2, 2, 2, 2], [-1, 0, 0, 5]])
    eye = np.eye(4)
    return FixedMatrices(x, eye[None], eye[None], eye[None], eye)


def _fractions() -> GivenMatrices:
    """Weights and outputs that are fractions to check by hand (LOG4)."""
    return proportional_weights(
        [[1, 2, 3, 4], [2, 1, 1, 4], [5, 1, 3, 1], [1, 1, 2, 6]],
        [[1, 0], [0, 1], [1, 1], [2, -1]],
    )


def _transformer_layer() -> FixedMatrices:
    """Write down the layer whose results are known from outside: all of it sines."""
    w_q, w_k, w_v = (split_heads(sines(start, 4, 4), 2) for start in (1, 2, 3))
    return FixedMatrices(sines(0.1, 3, 4), w_q, w_k, w_v, sines(4, 4, 4))


_FIXED: Mapping[str, Callable[[], FixedMatrices | GivenMatrices]] = MappingProxyType(
    {
        "identity": _identity,
        "constant_values": _constant_values,
        "zero_scores": _zero_scores,
        "tired_animal": _tired_animal,
        "its_law": _its_law,
        "apple": _apple,
        "cross": _cross,
        "exercise_7": _exercise_7,
        "recurrent": _recurrent,
        "side_by_side": _side_by_side,
        "einsum": _einsum,
        "list_and_vector": _list_and_vector,
        "same_output": _same_output,
        "left_padding": _left_padding,
        "norm_rows": _norm_rows,
        "fractions": _fractions,
        "transformer_layer": _transformer_layer,
    }
)
FIXED_NAMES = tuple(_FIXED)


@cache
def fixed_matrices(name: str) -> FixedMatrices | GivenMatrices:
    """Look up the matrices of a preset that writes them down.

    Parameters
    ----------
    name : str
        One of FIXED_NAMES.

    Returns
    -------
    matrices : FixedMatrices or GivenMatrices
        Read-only arrays.
    """
    return _FIXED[name]()
