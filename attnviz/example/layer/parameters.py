"""The learned arrays of every layer: drawn, written down, or of the example itself."""

import math
from dataclasses import replace

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.multi_head import MultiHeadParameters
from attnviz.core.layers import (
    DecoderLayerParameters,
    EncoderLayerParameters,
    FeedForwardParameters,
)
from attnviz.example.layer.settings import MAX_LAYERS, LayerExample, Sublayer
from attnviz.example.sources.drawn import MAX_WIDTH
from attnviz.example.sources.fixed import sines

LayerParameters = EncoderLayerParameters | DecoderLayerParameters
# Examples whose layers are written down: the golden numbers are theirs.
WRITTEN = "transformer_layer"
_LARGEST = (MAX_WIDTH, MAX_WIDTH)
# Biases are small against what they are added to, and large enough to be seen.
_BIAS = 0.1


def layer_parameters(
    matrices: str,
    seed: int,
    heads: MultiHeadParameters,
    settings: LayerExample,
    *,
    is_tied: bool = False,
) -> tuple[LayerParameters, ...]:
    """Give the learned arrays of as many layers as there can be.

    Parameters
    ----------
    matrices : str
        Where the example's matrices come from.
    seed : int
        The seed on screen.
    heads : MultiHeadParameters
        The attention of the example, which is that of the first layer.
    settings : LayerExample
        Which layers.
    is_tied : bool, default=False
        Whether W_K = W_Q in every attention, as in that of the example.

    Returns
    -------
    parameters : tuple of EncoderLayerParameters or DecoderLayerParameters
        One a layer. Every array has a stream of its own: another layer, or a wider
        network, changes none of the others. Layers that are written down are copies of
        the first.
    """
    is_written = matrices == WRITTEN

    def drawn(name: str) -> MultiHeadParameters:
        found = _heads(seed, name, heads)
        return replace(found, w_k=found.w_q) if is_tied else found

    layers = []
    for layer in range(1, MAX_LAYERS + 1):
        own = 1 if is_written else layer
        attention = heads if own == 1 else drawn(f"layer{own}")
        network = (
            _written_network()
            if is_written
            else _network(seed, own, heads.w_o.shape[1], settings.d_ff)
        )
        if settings.architecture == "encoder":
            made: LayerParameters = EncoderLayerParameters(attention, network)
        else:
            cross = drawn(f"cross{own}")
            made = DecoderLayerParameters(attention, cross, network)
        layers.append(silence(made, settings))
    return tuple(layers)


def silence(parameters: LayerParameters, settings: LayerExample) -> LayerParameters:
    """Let the sublayers that are set to 0 give 0."""
    silent: dict[str, MultiHeadParameters | FeedForwardParameters] = {}
    for sublayer in settings.sublayers:
        if not settings.is_zeroed(sublayer):
            continue
        if sublayer == "network":
            network = parameters.feed_forward
            zeros = {"w_2": 0 * network.w_2, "b_2": 0 * network.b_2}
            silent["feed_forward"] = replace(network, **zeros)
        else:
            name = _field(parameters, sublayer)
            heads = getattr(parameters, name)
            silent[name] = replace(heads, w_o=0 * heads.w_o)
    return replace(parameters, **silent) if silent else parameters  # type: ignore[arg-type]


def _field(parameters: LayerParameters, sublayer: Sublayer) -> str:
    """Name the attention of a layer as its parameters do."""
    if isinstance(parameters, EncoderLayerParameters):
        return "attention"
    return "self_attention" if sublayer == "attention" else "cross_attention"


@remember(8_000_000)
def _drawn_heads(
    seed: int, name: str, n_heads: int, d_model: int, d_k: int, d_v: int
) -> MultiHeadParameters:
    """Draw the projections of one attention, spread as those of the example."""
    into, out = 1 / math.sqrt(d_model), 1 / math.sqrt(n_heads * d_v)

    def drawn(letter: str) -> list[FloatArray]:
        return [
            draw(seed, f"{name}.w_{letter}.{head}", _LARGEST) for head in range(n_heads)
        ]

    return MultiHeadParameters(
        w_q=into * np.stack([w[:d_model, :d_k] for w in drawn("q")]),
        w_k=into * np.stack([w[:d_model, :d_k] for w in drawn("k")]),
        w_v=into * np.stack([w[:d_model, :d_v] for w in drawn("v")]),
        w_o=out * np.concatenate([w[:d_v, :d_model] for w in drawn("o")]),
    )


def _heads(seed: int, name: str, like: MultiHeadParameters) -> MultiHeadParameters:
    n_heads, d_model, d_k = like.w_q.shape
    return _drawn_heads(seed, name, n_heads, d_model, d_k, like.w_v.shape[-1])


@remember(4_000_000)
def _network(seed: int, layer: int, d_model: int, d_ff: int) -> FeedForwardParameters:
    """Draw a network whose parts keep the spread of what they take."""

    def drawn(name: str) -> FloatArray:
        return draw(seed, f"layer{layer}.{name}", _LARGEST)

    return FeedForwardParameters(
        w_1=drawn("w_1")[:d_model, :d_ff] / math.sqrt(d_model),
        b_1=_BIAS * drawn("b_1")[0, :d_ff],
        w_2=drawn("w_2")[:d_ff, :d_model] / math.sqrt(d_ff),
        b_2=_BIAS * drawn("b_2")[0, :d_model],
    )


def _written_network() -> FeedForwardParameters:
    """Write down the network of the golden layer."""
    return FeedForwardParameters(
        w_1=sines(5, 4, 8),
        b_1=0.5 * sines(6, 8),
        w_2=sines(7, 8, 4),
        b_2=0.5 * sines(8, 4),
    )


def written_vocabulary() -> tuple[FloatArray, FloatArray]:
    """Write down the projection of the golden layer onto five words."""
    return sines(9, 5, 4), 0.1 * sines(10, 5)


@remember(1_000_000)
def drawn_vocabulary(
    seed: int, n_words: int, d_model: int
) -> tuple[FloatArray, FloatArray]:
    """Draw W_vocab, one row a word, and its bias."""
    table = draw(seed, "w_vocab", _LARGEST)[:n_words, :d_model]
    bias = draw(seed, "b_vocab", (MAX_WIDTH,))[:n_words]
    return table / math.sqrt(d_model), _BIAS * bias
