"""Numbers that Keras and PyTorch give, written down."""

import numpy as np
import pytest

from attnviz.core.attention.heads import share_heads
from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.layers.norms import batch_norm, layer_norm
from attnviz.core.layers.rms import rms_norm

# Keras 3, keras/src/layers/attention/attention_test.py (Apache-2.0), to 3 digits.
KERAS = 1e-3


def test_keras_dot_attention():
    trace = attend(
        [[1.0, 0.0], [0.0, 1.0]],
        [[0.0, 1.0], [1.0, 0.0]],
        [[1.0, 2.0], [3.0, 4.0]],
        scale=1.0,
    )
    np.testing.assert_allclose(
        trace.weights, [[0.269, 0.731], [0.731, 0.269]], atol=KERAS
    )
    np.testing.assert_allclose(
        trace.context, [[2.462, 3.462], [1.538, 2.538]], atol=KERAS
    )


def test_keras_masked_attention():
    ones = np.ones((2, 2))
    trace = attend(
        np.eye(2),
        ones,
        ones,
        visible=np.array([[True, False]]),
        query_valid=np.array([True, False]),
    )
    np.testing.assert_array_equal(trace.context, [[1, 1], [0, 0]])


def test_keras_multi_head_with_identity_kernels():
    # multi_head_attention_test.py, test_correctness: atol 1e-2 in half precision.
    kernel = np.repeat(np.eye(8)[None], 8, axis=0)
    layer = MultiHeadParameters(
        w_q=kernel, w_k=kernel, w_v=kernel, w_o=np.repeat(np.eye(8), 8, axis=0)
    )
    values = np.arange(64).reshape(8, 8) / 100
    trace = multi_head_attend(np.eye(8), np.eye(8), values, parameters=layer)
    scores = np.where(np.eye(8), 0.1691, 0.1187)
    rows = [2.406, 2.440, 2.473, 2.504, 2.535, 2.568, 2.602, 2.633]
    np.testing.assert_allclose(
        trace.attention.weights, np.broadcast_to(scores, (8, 8, 8)), atol=1e-4
    )
    np.testing.assert_allclose(
        trace.output, np.repeat(rows, 8).reshape(8, 8), atol=1e-2
    )


# PyTorch 2.13.0 on a CPU in float64: F.scaled_dot_product_attention of the sines below,
# to 12 digits.
TORCH = {"rtol": 1e-10, "atol": 1e-11}


def sines(*shape: int, start: float) -> np.ndarray:
    return np.sin(np.arange(np.prod(shape)) + start).reshape(shape)


Q = 2 * sines(2, 3, start=0.5)
K = 2 * sines(5, 3, start=0.25)
V = sines(5, 2, start=0.75)
KEEP = np.array([[True, True, False, False, True], [False, False, False, True, False]])


@pytest.mark.parametrize(
    ("options", "context"),
    [
        pytest.param(
            {},
            [[0.114671903217, 0.263666474761], [0.408358659558, 0.051765131677]],
            id="plain",
        ),
        pytest.param(
            {"visible": KEEP},
            [[0.666690013091, 0.645568962512], [0.450044073781, 0.994598779111]],
            id="attn_mask=bool",
        ),
        pytest.param(
            {"visible": causal_mask(2, 5, offset=0)},
            [[0.681638760023, 0.983985946874], [0.381903854390, -0.570301945928]],
            id="is_causal",
        ),
        pytest.param(
            {"bias": np.arange(10).reshape(2, 5) / 4 - 1, "scale": 0.3},
            [[0.093287803573, -0.035492754956], [0.408246020567, 0.294463260251]],
            id="attn_mask=float",
        ),
        pytest.param(
            {
                "visible": KEEP & [[True], [False]],
                "query_valid": np.array([True, False]),
            },
            [[0.666690013091, 0.645568962512], [0, 0]],
            id="no-key-left",
        ),
    ],
)
def test_torch_scaled_dot_product_attention(options, context):
    np.testing.assert_allclose(attend(Q, K, V, **options).context, context, **TORCH)


def test_torch_attention_with_scores_of_thousands():
    context = attend(300 * Q, K, V, scale=1.0).context
    wanted = [[0.681638760023, 0.983985946874], [0.381660992052, -0.571561318742]]
    np.testing.assert_allclose(context, wanted, **TORCH)


def test_torch_grouped_query_attention():
    q = 2 * sines(4, 2, 3, start=0.5)
    k = share_heads(2 * sines(2, 3, 3, start=0.25), 4)
    v = share_heads(sines(2, 3, 2, start=0.75), 4)
    wanted = [
        [[0.007661987008, 0.384881291964], [0.380431733715, -0.570235840100]],
        [[-0.097551297090, 0.291730287272], [0.380772201572, -0.570250333349]],
        [[0.622261004795, -0.318708289352], [-0.202776482729, 0.201548473473]],
        [[0.622739931430, -0.318532634505], [-0.301651305284, 0.081404966461]],
    ]
    np.testing.assert_allclose(attend(q, k, v).context, wanted, **TORCH)


X = sines(2, 5, start=0.1)
GAMMA = np.arange(1.0, 6.0)
BETA = np.arange(5.0) / 10


def test_torch_layer_norm():
    wanted = [
        [
            -0.183430965357,
            2.242921033041,
            3.281191252855,
            -0.803212322181,
            -7.796451107852,
        ],
        [
            -1.633854070069,
            -0.974158012209,
            2.620108766890,
            4.948099229320,
            1.411026732735,
        ],
    ]
    output = layer_norm(X, gamma=GAMMA, beta=BETA, eps=1e-5).output
    np.testing.assert_allclose(output, wanted, **TORCH)


def test_torch_rms_norm():
    wanted = [
        [
            0.149801303736,
            2.674535820182,
            3.885769701106,
            0.249569238515,
            -6.139175747568,
        ],
        [
            -1.318756932960,
            -0.518954970189,
            3.115093097774,
            5.526155230301,
            2.272664204170,
        ],
    ]
    np.testing.assert_allclose(rms_norm(X, gamma=GAMMA).output, wanted, **TORCH)


def test_torch_batch_norm_in_training():
    wanted = [
        0.999980988304,
        0.999982641192,
        0.998891994979,
        -0.999976792433,
        -0.999984539903,
    ]
    output = batch_norm(X).output
    np.testing.assert_allclose(output, [wanted, np.negative(wanted)], **TORCH)


def test_torch_batch_norm_in_prediction():
    # Running statistics after that one training step, with momentum 0.1.
    mean = [
        -0.041299063284,
        0.035452242789,
        0.079608920339,
        0.050573523664,
        -0.024958937436,
    ]
    variance = [
        0.952597701147,
        0.957606143283,
        0.900901023263,
        0.943087893751,
        0.964681148376,
    ]
    wanted = [
        [
            0.144600544660,
            0.874487841220,
            0.825569660327,
            -0.009260181616,
            -0.807705902434,
        ],
        [
            -0.906250923506,
            -0.222378396032,
            0.684139494875,
            0.946643739192,
            0.350297170857,
        ],
    ]
    output = batch_norm(X, running_mean=mean, running_variance=variance).output
    np.testing.assert_allclose(output, wanted, **TORCH)
