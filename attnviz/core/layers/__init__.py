"""What stands around attention: norms, networks, residual sums, decoding."""

from attnviz.core.layers.decoder import (
    DecoderLayerParameters,
    DecoderLayerTrace,
    decoder_layer,
)
from attnviz.core.layers.decoding import KeyValueCache, decode_step
from attnviz.core.layers.encoder import (
    EncoderLayerParameters,
    EncoderLayerTrace,
    encoder_layer,
)
from attnviz.core.layers.network import (
    Activation,
    FeedForwardParameters,
    FeedForwardTrace,
    activate,
    feed_forward,
)
from attnviz.core.layers.norms import (
    NormParameters,
    NormPlace,
    NormTrace,
    batch_norm,
    layer_norm,
    standardize,
)
from attnviz.core.layers.rms import RmsNormTrace, rms_norm
from attnviz.core.layers.vocabulary import vocabulary_logits

__all__ = [
    "Activation",
    "DecoderLayerParameters",
    "DecoderLayerTrace",
    "EncoderLayerParameters",
    "EncoderLayerTrace",
    "FeedForwardParameters",
    "FeedForwardTrace",
    "KeyValueCache",
    "NormParameters",
    "NormPlace",
    "NormTrace",
    "RmsNormTrace",
    "activate",
    "batch_norm",
    "decode_step",
    "decoder_layer",
    "encoder_layer",
    "feed_forward",
    "layer_norm",
    "rms_norm",
    "standardize",
    "vocabulary_logits",
]
