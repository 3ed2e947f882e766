"""Random matrices that do not move when another size changes."""

from functools import lru_cache
from zlib import crc32

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, count, read_only


def stream(seed: int, name: str) -> np.random.Generator:
    """Open the random stream of one named array.

    Parameters
    ----------
    seed : int
        The seed on screen, 0 or above.
    name : str
        Name of the array, such as ``"w_q.0"``.

    Returns
    -------
    rng : np.random.Generator
        A stream that depends on the seed and the name alone.

    Raises
    ------
    ValueError
        If the seed is not a whole number of at least 0.
    """
    entropy = [count("stream", "seed", seed), crc32(name.encode("utf-8"))]
    return np.random.default_rng(np.random.SeedSequence(entropy))


@lru_cache(maxsize=4096, typed=True)
def draw(seed: int, name: str, largest: tuple[int, ...]) -> FloatArray:
    """Draw standard normal numbers at the largest size an array can have.

    Slices of the result are what the example shows, so changing one size keeps every
    number that is still there.

    Parameters
    ----------
    seed : int
        The seed on screen, 0 or above.
    name : str
        Name of the array.
    largest : tuple of int
        The largest shape the array can take.

    Returns
    -------
    numbers : FloatArray of shape largest
        Read-only numbers with mean 0 and variance 1.

    Raises
    ------
    ValueError
        If the seed is not a whole number of at least 0.

    Examples
    --------
    >>> bool((draw(0, "x", (3, 5))[:2] == draw(0, "x", (3, 5))[:2]).all())
    True
    """
    return read_only(stream(seed, name).standard_normal(largest))
