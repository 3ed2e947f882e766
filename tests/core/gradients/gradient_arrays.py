"""Layers that the tests of gradients share, and how close differences come."""

import numpy as np

from attnviz.core.attention.multi_head import MultiHeadParameters

# Central differences with steps of 1e-5 are good to about 1e-9.
CLOSE = {"rtol": 1e-6, "atol": 1e-8}
RNG = np.random.default_rng(1)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


# Six query heads share three key–value heads: d = 5, d_k = 2, d_v = 7.
HEADS = MultiHeadParameters(
    w_q=normal(6, 5, 2),
    w_k=normal(3, 5, 2),
    w_v=normal(3, 5, 7),
    w_o=normal(42, 5),
    b_q=normal(6, 2),
    b_k=normal(3, 2),
    b_v=normal(3, 7),
    b_o=normal(5),
)
