"""Numbers as people read them."""

import math

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MINUS = "−"
# Counts from here on are told by their size.
_LONGEST = 10**15


def fixed(value: float, decimals: int) -> str:
    """Write a number with a fixed count of decimals and a true minus sign.

    Returns
    -------
    text : str
        −∞ and ∞ as signs; no minus before a zero.

    Examples
    --------
    >>> fixed(-0.31724, 4), fixed(-0.00001, 4), fixed(-math.inf, 4)
    ('−0.3172', '0.0000', '−∞')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{abs(value):.{decimals}f}"
    return f"{MINUS}{text}" if value < 0 and float(text) != 0 else text


def grouped(number: int) -> str:
    """Set digits in groups of three, with a narrow space between them.

    Examples
    --------
    >>> grouped(1048576).split("\u202f")
    ['1', '048', '576']
    """
    return f"{number:,}".replace(",", "\u202f")


def brief(value: float) -> str:
    """Write a measured number in few characters.

    Examples
    --------
    >>> brief(0.0), brief(2.2e-16), brief(2.0), brief(1048576), brief(0.25)
    ('0', '2·10⁻¹⁶', '2', '1048576', '0.25')
    """
    if not math.isfinite(value) or value == 0 or value == int(value):
        return fixed(value, 0)
    if 1e-3 <= abs(value) < 1e5:
        return fixed(float(f"{value:.4g}"), 4).rstrip("0").rstrip(".")
    return powered(value, 1)


def powered(value: float, digits: int) -> str:
    """Write a number as a few digits times a power of ten.

    Examples
    --------
    >>> powered(6.4e15, 3)
    '6.40·10¹⁵'
    """
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    sign = MINUS if value < 0 else ""
    power = str(int(exponent)).translate(_RAISED)
    return f"{sign}{mantissa.lstrip('-')}·10{power}"


def counted(number: int) -> str:
    """Write a count with all its digits, or its size where they are too many.

    Examples
    --------
    >>> counted(2 * 10**17)
    '2.00·10¹⁷'
    """
    return grouped(number) if number < _LONGEST else powered(number, 3)
