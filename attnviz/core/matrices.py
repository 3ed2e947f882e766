"""The matrices an example starts from: drawn at random, or fixed by a preset."""

import math
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType

import numpy as np

from attnviz.core.multi_head import MultiHeadParameters
from attnviz.core.randomness import draw
from attnviz.core.shapes import FloatArray, read_only

MAX_LENGTH = 32
MAX_WIDTH = 64
MAX_HEADS = 8


@dataclass(frozen=True, slots=True)
class FixedMatrices:
    """Inputs and projections that a preset writes down number by number.

    Attributes
    ----------
    x : FloatArray of shape (T, d)
        Inputs.
    w_q, w_k : FloatArray of shape (H, d, d_k)
        Query and key projections.
    w_v : FloatArray of shape (H, d, d_v)
        Value projections.
    w_o : FloatArray of shape (H·d_v, d)
        Output projection.
    """

    x: FloatArray
    w_q: FloatArray
    w_k: FloatArray
    w_v: FloatArray
    w_o: FloatArray

    def __post_init__(self) -> None:
        """Lock every array: presets are shared by all who look at them."""
        for field in fields(self):
            locked = read_only(np.asarray(getattr(self, field.name), dtype=float))
            object.__setattr__(self, field.name, locked)

    @property
    def parameters(self) -> MultiHeadParameters:
        """The projections as the multi-head layer takes them."""
        return MultiHeadParameters(self.w_q, self.w_k, self.w_v, self.w_o)


def random_inputs(seed: int, tokens: tuple[str, ...], d_model: int) -> FloatArray:
    """Draw one row of N(0, 1) numbers for each token.

    Parameters
    ----------
    seed : int
        The seed on screen.
    tokens : tuple of str
        Tokens; the same text gets the same row.
    d_model : int
        Width of a row, at most 64.

    Returns
    -------
    x : FloatArray of shape (T, d)
        Read-only rows.
    """
    rows = [draw(seed, f"token:{token}", (MAX_WIDTH,))[:d_model] for token in tokens]
    return read_only(np.stack(rows))


def random_parameters(
    seed: int, *, n_heads: int, d_model: int, d_k: int, d_v: int
) -> MultiHeadParameters:
    """Draw projections so that scaled scores spread by about 1.

    Parameters
    ----------
    seed : int
        The seed on screen.
    n_heads, d_model, d_k, d_v : int
        Sizes, up to 8, 64, 64 and 64.

    Returns
    -------
    parameters : MultiHeadParameters
        W_Q, W_K, W_V ~ N(0, 1/d) and W_O ~ N(0, 1/(H·d_v)); each head has a stream of
        its own, so another head changes none of the earlier ones.

    References
    ----------
    .. [1] Course chapter, exercise 3: unit-variance components (R35, R39).
    """
    heads = range(n_heads)
    into = 1 / math.sqrt(d_model)
    out = 1 / math.sqrt(n_heads * d_v)
    largest = (MAX_WIDTH, MAX_WIDTH)
    drawn = {
        name: [draw(seed, f"{name}.{head}", largest) for head in heads]
        for name in ("w_q", "w_k", "w_v", "w_o")
    }
    return MultiHeadParameters(
        w_q=read_only(into * np.stack([w[:d_model, :d_k] for w in drawn["w_q"]])),
        w_k=read_only(into * np.stack([w[:d_model, :d_k] for w in drawn["w_k"]])),
        w_v=read_only(into * np.stack([w[:d_model, :d_v] for w in drawn["w_v"]])),
        w_o=read_only(out * np.concatenate([w[:d_v, :d_model] for w in drawn["w_o"]])),
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


def _norm_rows() -> FixedMatrices:
    """Three rows made for Layer Normalization; every projection is I₄ (P20)."""
    x = np.array([[1, 2, 3, 4], [2, 2, 2, 2], [-1, 0, 0, 5]])
    eye = np.eye(4)
    return FixedMatrices(x, eye[None], eye[None], eye[None], eye)


_FIXED = MappingProxyType(
    {
        "identity": _identity,
        "constant_values": _constant_values,
        "zero_scores": _zero_scores,
        "norm_rows": _norm_rows,
    }
)
FIXED_NAMES = tuple(_FIXED)


@cache
def fixed_matrices(name: str) -> FixedMatrices:
    """Look up the matrices of a preset that writes them down.

    Parameters
    ----------
    name : str
        One of FIXED_NAMES.

    Returns
    -------
    matrices : FixedMatrices
        Read-only arrays.
    """
    return _FIXED[name]()
