"""How many significant digits numbers were written with, where that is what was cut."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray

_FIGURES = range(1, 16)
# Numbers of fewer digits are what people make up.
_FEWEST = 3
# Numbers of so many decimals would have these digits by chance once in a thousand.
_TELLING = 3.0


def written_figures(finite: FloatArray, decimals: int | None) -> int | None:
    """Count the significant digits that numbers were written with.

    Parameters
    ----------
    finite : FloatArray
        Numbers of any size, none of them NaN or ±∞.
    decimals : int or None
        How many decimals would explain them too; None if none do.

    Returns
    -------
    figures : int or None
        From 3 to 15; None where so many decimals explain the numbers as well. Numbers
        of many sizes, such as 0.4567 and 1.234·10⁻⁵, have far fewer digits than
        decimals.

    Examples
    --------
    >>> written_figures(np.array([0.4567, 1.234e-5]), 8)
    4
    >>> written_figures(np.array([0.6652, 0.2447, 0.0900]), 4) is None
    True
    """
    numbers = np.abs(finite[finite != 0])
    # The smallest numbers of doubles have no power of ten to divide by.
    if numbers.size == 0 or numbers.min() < 1e-290:
        return None
    exponents = np.floor(np.log10(numbers))
    mantissas = numbers / 10.0**exponents
    needed = np.full(numbers.shape, _FIGURES.stop)
    for figures in reversed(_FIGURES):
        steps = mantissas * 10.0 ** (figures - 1)
        needed[np.abs(steps - np.round(steps)) <= 4e-16 * steps] = figures
    figures = max(int(needed.max()), _FEWEST)
    if figures == _FIGURES.stop:
        return None
    if decimals is None:
        return figures
    # Round numbers, such as 1 and 0.25, are written alike in every way.
    gained = (exponents - figures + 1 + decimals)[needed >= figures - 1]
    return figures if float(gained.sum()) >= _TELLING else None
