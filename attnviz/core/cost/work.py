"""What a layer costs, as closed forms: parameters, multiply-adds, elements, bytes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import count
from attnviz.core.cost.score_table import (
    array_bytes,
    causal_visible,
)
from attnviz.core.cost.sizes import LayerSizes


@dataclass(frozen=True, slots=True)
class LayerWork:
    """Multiply-adds of one encoder layer; one is two floating-point operations.

    Attributes
    ----------
    projections : int
        Of queries, keys, values and output.
    scores : int
        Of all dot products q·k.
    mixing : int
        Of all weighted sums of values.
    feed_forward : int
        Of the position-wise network.
    """

    projections: int
    scores: int
    mixing: int
    feed_forward: int

    @property
    def total(self) -> int:
        """All of them together."""
        return self.projections + self.scores + self.mixing + self.feed_forward


def attention_parameters(sizes: LayerSizes, *, bias: bool = False) -> int:
    """Count the parameters of a multi-head layer.

    Parameters
    ----------
    sizes : LayerSizes
        Sizes of the layer.
    bias : bool, default=False
        Count one bias for each output of the four projections too.

    Returns
    -------
    parameters : int
        4d² (+ 4d) for every number of heads, if d_k = d_v = d/H.

    References
    ----------
    .. [1] Course chapter, parameters of the projections (R95).

    Examples
    --------
    >>> attention_parameters(LayerSizes.usual(8, 2), bias=True)
    288
    """
    projected = _projected(sizes)
    joined = sizes.n_heads * sizes.d_v
    matrices = (projected + joined) * sizes.d_model
    return matrices + (projected + sizes.d_model if bias else 0)


def encoder_layer_parameters(sizes: LayerSizes, *, bias: bool = True) -> int:
    """Count the parameters of an encoder layer.

    Parameters
    ----------
    sizes : LayerSizes
        Sizes of the layer.
    bias : bool, default=True
        Whether the projections of the attention have biases; the feed-forward network
        always has.

    Returns
    -------
    parameters : int
        Of the attention, the network, and the scales and shifts of two norms.

    References
    ----------
    .. [1] Course chapter, parameters of a layer (R124).

    Examples
    --------
    >>> encoder_layer_parameters(LayerSizes.usual(768, 12))
    7087872
    """
    network = 2 * sizes.d_model * sizes.d_ff + sizes.d_ff + sizes.d_model
    return attention_parameters(sizes, bias=bias) + network + 4 * sizes.d_model


def layer_work(sizes: LayerSizes, length: int, *, batch: int = 1) -> LayerWork:
    """Count the multiply-adds of an encoder layer.

    Parameters
    ----------
    sizes : LayerSizes
        Sizes of the layer.
    length : int
        Number of positions T.
    batch : int, default=1
        Number of samples m.

    Returns
    -------
    work : LayerWork
        For the usual sizes 4mTd² for projections, mT²d each for scores and mixing;
        these two overtake the projections at T = 2d.

    Raises
    ------
    ValueError
        If a number is not a whole number of at least 0.

    References
    ----------
    .. [1] Course chapter, work of a layer (R130).

    Examples
    --------
    >>> layer_work(LayerSizes.usual(256, 8), 128, batch=8).scores
    33554432
    """
    samples = count("layer_work", "batch", batch)
    positions = samples * count("layer_work", "length", length)
    pairs = positions * length * sizes.n_heads
    return LayerWork(
        projections=positions * attention_parameters(sizes),
        scores=pairs * sizes.d_k,
        mixing=pairs * sizes.d_v,
        feed_forward=positions * 2 * sizes.d_model * sizes.d_ff,
    )


def decoding_projections(sizes: LayerSizes, length: int, *, cached: bool = True) -> int:
    """Count the multiply-adds for the keys and values of one sequence, step by step.

    Parameters
    ----------
    sizes : LayerSizes
        Sizes of the layer.
    length : int
        Number of steps T.
    cached : bool, default=True
        Whether each step keeps the keys and values, or projects all anew.

    Returns
    -------
    work : int
        One projection a position with a cache, t at step t without.

    Raises
    ------
    ValueError
        If the length is not a whole number of at least 0.

    References
    ----------
    .. [1] Course chapter, work with and without a cache (R140).

    Examples
    --------
    >>> sizes = LayerSizes(8, n_heads=1, d_k=4, d_v=4, d_ff=32, n_kv_heads=1)
    >>> decoding_projections(sizes, 7), decoding_projections(sizes, 7, cached=False)
    (448, 1792)
    """
    steps = count("decoding_projections", "length", length)
    projected = steps if cached else causal_visible(steps)
    return projected * sizes.d_model * sizes.n_kv_heads * (sizes.d_k + sizes.d_v)


def cache_bytes(
    sizes: LayerSizes,
    length: int,
    *,
    n_layers: int = 1,
    batch: int = 1,
    dtype: npt.DTypeLike = np.float32,
) -> int:
    """Count the bytes of the keys and values that decoding keeps.

    Parameters
    ----------
    sizes : LayerSizes
        Sizes of each layer; fewer key–value heads make the cache smaller.
    length : int
        Number of positions T.
    n_layers : int, default=1
        Number of layers.
    batch : int, default=1
        Number of samples m.
    dtype : dtype, default=float32
        Type of the kept numbers.

    Returns
    -------
    size : int
        Bytes.

    Raises
    ------
    ValueError
        If a number is not a whole number of at least 0, or there is no such type.

    References
    ----------
    .. [1] Course chapter, memory of the cache (R141).

    Examples
    --------
    >>> cache_bytes(LayerSizes.usual(768, 12), 1024, n_layers=12, dtype="f2") / 2**20
    36.0
    """
    kept = sizes.n_kv_heads * (sizes.d_k + sizes.d_v)
    positions = count("cache_bytes", "length", length)
    samples = count("cache_bytes", "batch", batch)
    layers = count("cache_bytes", "n_layers", n_layers)
    try:
        return array_bytes(layers * samples * positions * kept, dtype)
    except TypeError as error:
        raise ValueError(
            f"cache_bytes: `dtype` needs a NumPy type; got {dtype!r}"
        ) from error


def _projected(sizes: LayerSizes) -> int:
    """Count the outputs of the query, key and value projections."""
    return sizes.n_heads * sizes.d_k + sizes.n_kv_heads * (sizes.d_k + sizes.d_v)
