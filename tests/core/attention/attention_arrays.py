"""Arrays for the tests of attention, no two axes of the same size."""

import numpy as np

# Samples, heads, queries or keys, and d_k or d_v.
PRIMES = {"q": (2, 3, 5, 11), "k": (2, 3, 7, 11), "v": (2, 3, 7, 13)}


def primes(dtype: str = "float64") -> dict[str, np.ndarray]:
    """Draw queries, keys and values."""
    rng = np.random.default_rng(0)
    return {
        name: rng.standard_normal(shape).astype(dtype) for name, shape in PRIMES.items()
    }
