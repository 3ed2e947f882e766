"""Transformer layers as PyTorch's own tests have them.

Source: pytorch/pytorch (BSD-3-Clause), test/test_transformers.py,
``test_transformerencoderlayer``, and test/test_nn.py, ``test_transformerdecoderlayer``:
d=4, two heads, d_ff=16, post-norm, ReLU, every parameter cos(0), cos(1), …. The numbers
there are float32 with six decimals.
"""

import numpy as np
import pytest

from attnviz.core.attention.heads import split_heads
from attnviz.core.attention.masks import padding_mask
from attnviz.core.attention.multi_head import MultiHeadParameters
from attnviz.core.layers.decoder import DecoderLayerParameters, decoder_layer
from attnviz.core.layers.encoder import EncoderLayerParameters, encoder_layer
from attnviz.core.layers.network import FeedForwardParameters
from attnviz.core.layers.norms import NormParameters

SIX_DECIMALS = 1e-6


def _cosines(*shape):
    return np.cos(np.arange(np.prod(shape))).reshape(shape)


def _attention():
    # PyTorch stores (out, in), and queries, keys and values under each other.
    w_q, w_k, w_v = np.split(_cosines(12, 4).T, 3, axis=1)
    b_q, b_k, b_v = np.split(_cosines(12).reshape(6, 2), 3)
    return MultiHeadParameters(
        w_q=split_heads(w_q, 2),
        w_k=split_heads(w_k, 2),
        w_v=split_heads(w_v, 2),
        w_o=_cosines(4, 4).T,
        b_q=b_q,
        b_k=b_k,
        b_v=b_v,
        b_o=_cosines(4),
    )


NETWORK = FeedForwardParameters(
    w_1=_cosines(16, 4).T, b_1=_cosines(16), w_2=_cosines(4, 16).T, b_2=_cosines(4)
)
NORM = NormParameters(gamma=_cosines(4), beta=_cosines(4))
ENCODER = EncoderLayerParameters(_attention(), NETWORK, NORM, NORM)
DECODER = DecoderLayerParameters(_attention(), _attention(), NETWORK, NORM, NORM, NORM)
# Two samples of five positions.
SOURCES = np.array(
    [
        [
            [0.7462, 0.6653, 0.5679, 0.4891],
            [0.8335, 0.2799, 0.5031, 0.2947],
            [0.6333, 0.9344, 0.1376, 0.9938],
            [0.9897, 0.6915, 0.3154, 0.1733],
            [0.8117, 0.2366, 0.4838, 0.7881],
        ],
        [
            [0.5387, 0.1655, 0.3565, 0.0471],
            [0.1402, 0.0318, 0.7636, 0.1346],
            [0.8924, 0.2872, 0.6692, 0.2944],
            [0.8645, 0.3513, 0.3064, 0.0767],
            [0.3718, 0.4945, 0.9511, 0.0864],
        ],
    ]
)
TARGETS = np.array(
    [
        [
            [0.4517, 0.6793, 0.5313, 0.0034],
            [0.8100, 0.3716, 0.4096, 0.1976],
            [0.0494, 0.9343, 0.5955, 0.3830],
        ],
        [
            [0.2678, 0.3677, 0.4459, 0.7166],
            [0.6958, 0.8844, 0.6081, 0.8315],
            [0.5404, 0.3464, 0.9378, 0.6200],
        ],
    ]
)


def _close(output, wanted):
    np.testing.assert_allclose(output, wanted, rtol=0, atol=SIX_DECIMALS)


@pytest.mark.parametrize(
    ("x", "key_valid", "output"),
    [
        ([[20, 30, 40, 50]], [True], [[2.258703, 0.127985, -0.697881, 0.170862]]),
        (
            [[1, 2, 3, 4], [5, 6, 7, 8]],
            [True, True],
            [[2.272644, 0.119035, -0.691669, 0.153486]] * 2,
        ),
        (
            [[1, 2, 3, 4], [5, 6, 7, 8]],
            [False, True],
            [[2.301516, 0.092249, -0.679101, 0.103088]] * 2,
        ),
    ],
)
def test_encoder_layer_of_one_sample(x, key_valid, output):
    trace = encoder_layer(x, parameters=ENCODER, visible=padding_mask(key_valid)[None])
    _close(trace.output, output)


def test_encoder_layer_of_a_batch():
    _close(
        encoder_layer(SOURCES, parameters=ENCODER).output,
        [
            [
                [2.428589, 0.020835, -0.602055, -0.085249],
                [2.424689, 0.019155, -0.604793, -0.085672],
                [2.433774, 0.021598, -0.598343, -0.087548],
                [2.436185, 0.022682, -0.596625, -0.087261],
                [2.416246, 0.017512, -0.610712, -0.082961],
            ],
            [
                [2.427987, 0.021213, -0.602496, -0.084103],
                [2.413863, 0.022211, -0.612486, -0.072490],
                [2.425104, 0.019748, -0.604515, -0.084839],
                [2.433556, 0.021891, -0.598509, -0.086832],
                [2.422901, 0.024187, -0.606178, -0.074929],
            ],
        ],
    )


def test_encoder_layer_of_a_padded_batch():
    key_valid = np.array(
        [[True, False, True, True, True], [True, True, True, False, False]]
    )
    _close(
        encoder_layer(
            SOURCES, parameters=ENCODER, visible=padding_mask(key_valid[:, None, :])
        ).output,
        [
            [
                [2.429026, 0.020793, -0.601741, -0.085642],
                [2.425009, 0.019155, -0.604566, -0.085899],
                [2.434199, 0.021682, -0.598039, -0.087699],
                [2.436457, 0.022736, -0.596430, -0.087360],
                [2.416531, 0.017498, -0.610513, -0.083181],
            ],
            [
                [2.428811, 0.021445, -0.601912, -0.084252],
                [2.415408, 0.022490, -0.611415, -0.073000],
                [2.425980, 0.019941, -0.603896, -0.085091],
                [2.434021, 0.022093, -0.598179, -0.086790],
                [2.424200, 0.024653, -0.605266, -0.074959],
            ],
        ],
    )


@pytest.mark.parametrize(
    ("x", "memory", "output"),
    [
        (
            [[20, 30, 40, 50]],
            [[60, 70, 80, 90]],
            [[2.314351, 0.094805, -0.671322, 0.101977]],
        ),
        (
            [[9, 10, 11, 12], [11, 12, 13, 14]],
            [[1, 2, 3, 4]],
            [[2.422245, 0.051716, -0.606338, -0.024756]] * 2,
        ),
        (
            [[1, 2, 3, 4], [5, 6, 7, 8]],
            [[9, 10, 11, 12], [11, 12, 13, 14]],
            [[2.343536, 0.085561, -0.654954, 0.074991]] * 2,
        ),
        (
            TARGETS,
            SOURCES,
            [
                [
                    [2.430065, 0.027862, -0.601136, -0.073096],
                    [2.428457, 0.027053, -0.602275, -0.073462],
                    [2.431934, 0.028196, -0.599802, -0.073809],
                ],
                [
                    [2.431935, 0.028907, -0.599809, -0.072488],
                    [2.431970, 0.029387, -0.599789, -0.071621],
                    [2.432306, 0.028858, -0.599542, -0.072846],
                ],
            ],
        ),
    ],
)
def test_decoder_layer(x, memory, output):
    # PyTorch's layer is not causal unless it is told so.
    length = np.shape(x)[-2]
    everything = np.ones((length, length), dtype=bool)
    trace = decoder_layer(x, memory, parameters=DECODER, visible=everything)
    _close(trace.output, output)
