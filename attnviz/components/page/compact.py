"""Numbers of a large matrix in as few bits as the digits shown of them need.

Nothing on a page shows more than four decimals of a number; who wants all of them is
told by the derivation of its cell. Between two numbers at which a fourth decimal
changes, or at which one would be rounded the other way, all numbers look alike. So each
travels as the place of its own such interval, or of the bound on which it lies, and is
drawn in the middle of it: every digit comes out as that of the number itself.
"""

import base64
import math
from typing import Any

import numpy as np

# Matrices of fewer cells are not worth it.
MANY = 1024
# Half a unit of the fourth decimal: from one rounding bound or number to the next.
_BOUND = 0.5e-4
# More bits than these save too little against a float32, and a sum in the browser would
# not hold them.
_MOST_BITS = 24


def compact(typed: dict[str, Any]) -> dict[str, Any]:
    """Pack a large matrix once more.

    Parameters
    ----------
    typed : dict
        As `figures.matrix.encode` packs a matrix.

    Returns
    -------
    packed : dict
        `bits` of each entry in base64 `bdata`, row by row, which count `step`s above
        `least` steps; with the `shape`. The same as given if it is small, or some
        numbers are so large that their fourth decimal takes more bits than there are.

    Examples
    --------
    >>> from attnviz.figures.matrix import encode
    >>> packed = compact(encode(np.full((32, 64), 0.5)))
    >>> packed["bits"], packed["least"] * packed["step"], packed["bdata"]
    (0, 0.5, '')
    """
    if math.prod(map(int, typed["shape"].split(","))) < MANY:
        return typed
    values = np.frombuffer(base64.b64decode(typed["bdata"]), typed["dtype"])
    step = 1.0
    if typed["dtype"] != "u1":
        step = _BOUND / 2
        values = values.astype(np.float64) / _BOUND
        below = np.floor(values)
        values = 2 * below + (values != below)
    least = values.min()
    bits = int(values.max() - least).bit_length()
    if bits > _MOST_BITS:
        return typed
    places = (values - least).astype(">u4").view(np.uint8).reshape(-1, 4)
    data = np.packbits(np.unpackbits(places, axis=1)[:, 32 - bits :])
    return {
        "bits": bits,
        "least": int(least),
        "step": step,
        "bdata": base64.b64encode(data.tobytes()).decode("ascii"),
        "shape": typed["shape"],
    }
