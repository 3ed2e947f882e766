"""What counts as rounding on the Positions page, for sentences and checks alike."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray

# As a share of the largest number on the way.
_SHARE = 1e-13


def rounding_among(numbers: FloatArray) -> float:
    """Tell up to which size a difference of such numbers is rounding."""
    return _SHARE * float(np.abs(numbers).max())
