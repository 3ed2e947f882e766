"""One trace of every kind, each with as many stages as it can have."""

from functools import partial

import numpy as np

from attnviz.core import (
    DecoderLayerParameters,
    EncoderLayerParameters,
    FeedForwardParameters,
    MultiHeadParameters,
    NormParameters,
    attend,
    causal_mask,
    decode_step,
    decoder_layer,
    encoder_layer,
    layer_norm,
    multi_head_attend,
    multi_head_attend_by_list,
    rms_norm,
    rotate,
)
from attnviz.core.attention import additive_scores, softmax_stages

RNG = np.random.default_rng(7)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def heads(n_heads: int = 4, n_kv_heads: int = 2) -> MultiHeadParameters:
    """Project a width of 5 to keys of width 6 and values of width 3."""
    return MultiHeadParameters(
        w_q=normal(n_heads, 5, 6),
        w_k=normal(n_kv_heads, 5, 6),
        w_v=normal(n_kv_heads, 5, 3),
        w_o=normal(n_heads * 3, 5),
        b_q=normal(n_heads, 6),
        b_k=normal(n_kv_heads, 6),
        b_v=normal(n_kv_heads, 3),
        b_o=normal(5),
    )


def norm() -> NormParameters:
    return NormParameters(normal(5), normal(5))


HEADS = heads()
NETWORK = FeedForwardParameters(normal(5, 7), normal(7), normal(7, 5), normal(5))
ENCODER = EncoderLayerParameters(HEADS, NETWORK, norm(), norm())
DECODER = DecoderLayerParameters(heads(), heads(), NETWORK, norm(), norm(), norm())
X, MEMORY = normal(3, 5), normal(4, 5)
turn = partial(rotate, positions=np.arange(3))
additive = partial(additive_scores, w_q=normal(7, 5), w_k=normal(7, 5), v=normal(7))
_, CACHE = decode_step(normal(2, 5), parameters=HEADS, turn=rotate)

TRACES = {
    "softmax": softmax_stages(np.where(causal_mask(3), normal(3, 3), -np.inf)),
    "attention": attend(
        normal(2, 3, 5),
        normal(2, 4, 5),
        normal(2, 4, 7),
        visible=causal_mask(3, 4),
        bias=normal(3, 4),
        softcap=3.0,
        temperature=0.7,
        dropout=np.abs(normal(2, 3, 4)),
    ),
    "another score": attend(normal(3, 5), normal(4, 5), normal(4, 2), score=additive),
    "multi-head": multi_head_attend(X, parameters=HEADS),
    "multi-head across": multi_head_attend(X, MEMORY, normal(4, 5), parameters=HEADS),
    "multi-head, rotary": multi_head_attend(X, parameters=HEADS, turn=turn),
    "multi-head, values apart": multi_head_attend(X, None, X + 1, parameters=HEADS),
    "multi-head by list": multi_head_attend_by_list(X, parameters=HEADS),
    "multi-head in batches": multi_head_attend(normal(2, 3, 5), parameters=HEADS),
    "decoding": decode_step(X[0], CACHE, parameters=HEADS, turn=rotate)[0],
    "layer norm": layer_norm(normal(2, 3, 5), gamma=normal(5), beta=normal(5)),
    "rms norm": rms_norm(normal(2, 3, 5), gamma=normal(5)),
    **{
        f"network, {name}": NETWORK.apply(normal(2, 3, 5), name)
        for name in ("relu", "gelu", "gelu_tanh")
    },
    **{
        f"encoder, {place}": encoder_layer(
            X, parameters=ENCODER, norm=place, turn=turn, activation="gelu_tanh"
        )
        for place in ("post", "pre")
    },
    **{
        f"decoder, {place}": decoder_layer(
            X, MEMORY, parameters=DECODER, norm=place, turn=turn
        )
        for place in ("post", "pre")
    },
}
