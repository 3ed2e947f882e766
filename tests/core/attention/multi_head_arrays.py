"""A grouped-query layer for tests, no two axes of the same size."""

import numpy as np

from attnviz.core.attention.multi_head import MultiHeadParameters

# H=6, H_kv=3, d=7, d_k=5, d_v=11, T_q=4, T_k=9.
SHAPES = {
    "w_q": (6, 7, 5),
    "w_k": (3, 7, 5),
    "w_v": (3, 7, 11),
    "w_o": (66, 7),
    "b_q": (6, 5),
    "b_k": (3, 5),
    "b_v": (3, 11),
    "b_o": (7,),
}
RNG = np.random.default_rng(0)
ARRAYS = {name: RNG.standard_normal(shape) for name, shape in SHAPES.items()}
LAYER = MultiHeadParameters(**ARRAYS)
BARE = MultiHeadParameters(**{n: a for n, a in ARRAYS.items() if n.startswith("w_")})
X_Q = RNG.standard_normal((2, 4, 7))
X_K = RNG.standard_normal((2, 9, 7))
X_V = RNG.standard_normal((2, 9, 7))
