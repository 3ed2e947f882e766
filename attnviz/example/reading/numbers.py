"""The one reader of numbers that a person wrote: typed, pasted, or in a file."""

import re

MAX_CELLS = 1_000
# Characters of a line of cells: no row that can be shown is longer.
MAX_LINE = 100_000
_LONGEST = 1_000
MINUS = str.maketrans(dict.fromkeys("−–－", "-"))
_DIGIT = re.compile(r"\d")
_BOOLEANS = {"true": 1.0, "false": 0.0}
# Endings that a language gives its numbers: R's 2L, C's 0.5f, Julia's 0.5f0, and
# Mathematica's 0.5` and 0.5`16.
_ENDING = re.compile(r"(?<=[\d.])(?:f0?|F|L|`[\d.]*)$")
# 1D-3 of Fortran, 1f-3 of Julia, 1*^-3 of Mathematica, 1×10^-3 and 1·10⁻³.
_POWER = re.compile(
    r"(?<=[\d.])(?:[dDf](?=[-+]?\d)|`?\*\^|\s*[×x*·⋅]\s*10\s*(?:\^|\*\*)?)\s*"
    r"[{(]?([-+]?\d+)[)}]?$"
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_FRACTION = re.compile(r"([-+]?\d+(?:\.\d*)?)\s*/\s*(\d+(?:\.\d*)?)")
_PERCENT = re.compile(r"([-+]?[\d.]+)\s*%")
_INFINITE = re.compile(r"([-+]?)(?:∞|Infinity|Inf|inf)")


def as_number(cell: str) -> float | None:
    """Read one number, however a language or a person writes it.

    Parameters
    ----------
    cell : str
        From anyone, with any minus sign.

    Returns
    -------
    number : float or None
        It may be infinite or NaN; None if the cell is no number.

    Examples
    --------
    >>> as_number(" −0.5"), as_number("2e-1"), as_number("cat")
    (-0.5, 0.2, None)
    >>> as_number("1/4"), as_number("70%"), as_number("2*^-1"), as_number("True")
    (0.25, 0.7, 0.2, 1.0)
    """
    if len(cell) > _LONGEST:
        return None
    cell = cell.strip().translate(MINUS)
    number = _plain(cell)
    return _unusual(cell) if number is None else number


def is_whole(cell: str) -> bool:
    """Tell whole numbers, as positions are counted, from all else."""
    return cell.strip().isdecimal()


def _plain(cell: str) -> float | None:
    if "_" in cell:  # Python takes 1_2 for twelve; here it is the second of something
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def _unusual(cell: str) -> float | None:
    if cell.lower() in _BOOLEANS:
        return _BOOLEANS[cell.lower()]
    if cell == "NA":
        return float("nan")
    if infinite := _INFINITE.fullmatch(cell):
        return float(f"{infinite[1]}inf")
    if not _DIGIT.search(cell):
        return None
    if percent := _PERCENT.fullmatch(cell):
        number = _plain(f"{percent[1]}e-2")
        return _plain(percent[1]) if number is None else number
    if fraction := _FRACTION.fullmatch(cell):
        below = float(fraction[2])
        return float(fraction[1]) / below if below else None
    powered = _POWER.sub(r"e\1", cell.translate(_RAISED))
    return _plain(_ENDING.sub("", powered))
