"""How a result answers to small changes of everything it was computed from."""

from attnviz.core.gradients.attention import (
    AttentionGradients,
    attend_backward,
    softmax_backward,
)
from attnviz.core.gradients.decoder import DecoderLayerGradients, decoder_layer_backward
from attnviz.core.gradients.encoder import EncoderLayerGradients, encoder_layer_backward
from attnviz.core.gradients.feed_forward import (
    FeedForwardGradients,
    activation_slope,
    feed_forward_backward,
)
from attnviz.core.gradients.jacobian import (
    softmax_jacobian,
    softmax_jacobian_norm,
)
from attnviz.core.gradients.multi_head import MultiHeadGradients, multi_head_backward
from attnviz.core.gradients.norms import (
    NormGradients,
    RmsNormGradients,
    layer_norm_backward,
    rms_norm_backward,
)

__all__ = [
    "AttentionGradients",
    "DecoderLayerGradients",
    "EncoderLayerGradients",
    "FeedForwardGradients",
    "MultiHeadGradients",
    "NormGradients",
    "RmsNormGradients",
    "activation_slope",
    "attend_backward",
    "decoder_layer_backward",
    "encoder_layer_backward",
    "feed_forward_backward",
    "layer_norm_backward",
    "multi_head_backward",
    "rms_norm_backward",
    "softmax_backward",
    "softmax_jacobian",
    "softmax_jacobian_norm",
]
