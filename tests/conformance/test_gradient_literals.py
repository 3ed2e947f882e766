"""Gradients as PyTorch computes them.

Source: PyTorch 2.13.0 in float64, ``torch.nn.functional.rms_norm`` and
``torch.nn.TransformerDecoderLayer`` (d=4, two heads, d_ff=16, post-norm, ReLU, no
dropout, a causal mask, every parameter cos(0), cos(1), …), each with the loss
``(y * d).sum()`` and ``backward()``. The numbers are rounded to twelve decimals.
"""

import numpy as np

from attnviz.core import (
    decoder_layer,
    decoder_layer_backward,
    rms_norm,
    rms_norm_backward,
)
from tests.conformance.test_layer_literals import DECODER, SOURCES, TARGETS

TWELVE_DECIMALS = {"rtol": 0, "atol": 1e-12}
X = [[0.5, -1.0, 2.0], [3.0, 0.25, -0.75]]
GAMMA = [1.0, -0.5, 2.0]
D_ROWS = [[1.0, 2.0, -1.0], [0.5, -0.25, 3.0]]
D_TARGETS = [[1.0, -2.0, 0.5, 3.0], [-1.0, 0.25, 2.0, 0.0], [0.0, 1.5, -0.75, 1.0]]


def test_gradients_of_rms_norm():
    trace = rms_norm(X, gamma=GAMMA, eps=0.1)
    np.testing.assert_allclose(
        trace.output,
        [
            [0.367607311047, 0.367607311047, 2.940858488375],
            [1.649364429915, -0.068723517913, -0.824682214958],
        ],
        **TWELVE_DECIMALS,
    )
    found = rms_norm_backward(D_ROWS, trace=trace)
    np.testing.assert_allclose(
        found.x,
        [
            [0.900803500944, -1.066392379794, -0.808073728788],
            [0.768249301004, 0.109836453692, 3.175390052493],
        ],
        **TWELVE_DECIMALS,
    )
    np.testing.assert_allclose(
        found.gamma,
        [1.192289526005, -1.504791003144, -2.707452566624],
        **TWELVE_DECIMALS,
    )


def test_gradients_of_a_decoder_layer():
    trace = decoder_layer(TARGETS[0], SOURCES[0, :2], parameters=DECODER)
    np.testing.assert_allclose(
        trace.output[0],
        [2.426367932156, 0.027069410732, -0.603763464853, -0.071961764157],
        **TWELVE_DECIMALS,
    )
    found = decoder_layer_backward(D_TARGETS, trace=trace)
    np.testing.assert_allclose(
        found.x,
        [
            [-0.002620439304, 0.001256064306, -0.000375890479, 0.000110346029],
            [-0.00106218105, 0.000499355747, 0.00092279169, 0.000234452164],
            [0.002370804615, 0.000652064814, -0.002485818302, -0.000726115956],
        ],
        **TWELVE_DECIMALS,
    )
    np.testing.assert_allclose(
        found.memory,
        [
            [-0.040173581205, 0.011831789287, 0.052959067273, 0.045396023042],
            [-0.01868794811, -0.019345757166, -0.002217166301, 0.016949877036],
        ],
        **TWELVE_DECIMALS,
    )
    np.testing.assert_allclose(
        found.parameters.norm_2.gamma,
        [-0.151295854562, -0.125108390056, -0.00380740238, 0.296406556354],
        **TWELVE_DECIMALS,
    )
    np.testing.assert_allclose(
        found.parameters.cross_attention.b_q.ravel(),
        [0.001150013408, -0.002245941299, -0.00097218023, 0.000048429674],
        **TWELVE_DECIMALS,
    )
