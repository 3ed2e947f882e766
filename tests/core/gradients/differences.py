"""Central differences: slopes of a number, found without any calculus."""

from collections.abc import Callable

import numpy as np


def differences(f: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray:
    """Move each entry of x a little both ways, and see how f answers."""
    slopes = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[place] = 1e-5
        slopes[place] = (f(x + step) - f(x - step)) / 2e-5
    return slopes
