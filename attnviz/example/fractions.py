"""Numbers that are simple fractions, as such."""

from fractions import Fraction

from attnviz.core.arrays.shapes import FloatArray

# A number this near to a fraction is that fraction, up to rounding.
_ROUNDING = 1e-12


def as_fraction(value: float, *, largest: int = 400) -> Fraction | None:
    """Find the fraction that a number is, if it is a simple one.

    Parameters
    ----------
    value : float
        Any number.
    largest : int, default=400
        Greatest denominator.

    Returns
    -------
    fraction : Fraction or None
        The fraction nearer than 10⁻¹² to it, if there is one.

    Examples
    --------
    >>> as_fraction(2 / 3), as_fraction(0.5**0.5)
    (Fraction(2, 3), None)
    """
    if abs(value) == float("inf") or value != value:
        return None
    near = Fraction(value).limit_denominator(largest)
    return near if abs(near - Fraction(value)) < _ROUNDING else None


def fraction_text(value: float) -> str:
    """Write a number as a fraction, if it is a simple one.

    Parameters
    ----------
    value : float
        Any number.

    Returns
    -------
    text : str
        Such as "2/3", "1" or "−3/10"; empty where there is no such fraction.

    Examples
    --------
    >>> fraction_text(0.1), fraction_text(-0.3), fraction_text(0.5**0.5)
    ('1/10', '−3/10', '')
    """
    fraction = as_fraction(value)
    return "" if fraction is None else str(fraction).replace("-", "−")


def fraction_texts(values: FloatArray) -> tuple[str, ...]:
    """Write each number of a matrix as a fraction, row by row: see `fraction_text`."""
    return tuple(map(fraction_text, values.ravel().tolist()))
