"""Layers and inputs that the tests of Transformer layers share."""

import numpy as np

from attnviz.core.attention.heads import split_heads
from attnviz.core.attention.multi_head import MultiHeadParameters
from attnviz.core.layers.decoder import DecoderLayerParameters
from attnviz.core.layers.encoder import EncoderLayerParameters
from attnviz.core.layers.network import FeedForwardParameters
from tests.core import golden

GOLDEN = golden.GOLDEN["transformer_layer"]


def sines(start, *shape):
    return np.sin(np.arange(np.prod(shape)) + start).reshape(shape)


def wave(start, *shape):
    """Numbers of full rank, which plain sines of a count are not."""
    return np.sin(np.square(np.arange(np.prod(shape))) + start).reshape(shape)


def attention(start, d_model=6, heads=2, d_k=3, d_v=5):
    return MultiHeadParameters(
        w_q=wave(start, heads, d_model, d_k),
        w_k=wave(start + 1, heads, d_model, d_k),
        w_v=wave(start + 2, heads, d_model, d_v),
        w_o=wave(start + 3, heads * d_v, d_model),
    )


def network(start, d_model=6, d_ff=11):
    return FeedForwardParameters(
        w_1=wave(start, d_model, d_ff),
        b_1=wave(start + 1, d_ff),
        w_2=wave(start + 2, d_ff, d_model),
        b_2=wave(start + 3, d_model),
    )


CHAPTER = EncoderLayerParameters(
    attention=MultiHeadParameters(
        w_q=split_heads(sines(1, 4, 4), 2),
        w_k=split_heads(sines(2, 4, 4), 2),
        w_v=split_heads(sines(3, 4, 4), 2),
        w_o=sines(4, 4, 4),
    ),
    feed_forward=FeedForwardParameters(
        w_1=sines(5, 4, 8),
        b_1=0.5 * sines(6, 8),
        w_2=sines(7, 8, 4),
        b_2=0.5 * sines(8, 4),
    ),
)
ENCODER = EncoderLayerParameters(attention(1), network(5))
DECODER = DecoderLayerParameters(attention(1), attention(7), network(5))
X = wave(0.1, 2, 5, 6)
MEMORY = wave(0.7, 2, 7, 6)
