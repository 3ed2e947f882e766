"""The matrices an example starts from when they are drawn at random."""

import math

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.attention.multi_head import MultiHeadParameters

MAX_LENGTH = 32
MAX_WIDTH = 64
MAX_HEADS = 8


@remember(2_000_000)
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


@remember(8_000_000)
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
