"""What a comma is: part of a number, or what stands between two; for a whole text."""

import re
from collections.abc import Iterable

from attnviz.example.reading.numbers import MAX_LINE
from attnviz.example.reading.result import Comma

_CHUNK = re.compile(r"[^\s;；，、]+")
_DECIMAL = re.compile(r"[\[({]*[-+]?\d*,\d+(?:[eE][-+]?\d+)?%?[\])}]*")
# Pair by pair where commas are between numbers as well.
_DECIMALS = re.compile(r"(?<![\d,])\d*,\d+|\d+,\d+")
_POINT = re.compile(r"\d\.\d|(?<![\d.])\.\d|\d\.(?![\d.])")
# 0,7, 0,3: decimals, or four numbers.
_SPACED = re.compile(
    r"\s*(?:[^\s\d,][^,]*,\s+)?[-+]?\d+,\d+(?:,\s+[-+]?\d+,\d+)+\s*,?\s*"
)
# 0,7,0,3: shares, or four numbers; 0,1,0,0 are four.
_SHARES = re.compile(r"\s*(?:[-+]?(?:0,\d+|1,0+)(?:,(?=[-+\d])|\s*$))+")
_TELLING = re.compile(r"(?:^\s*|,)[-+]?0,(?![01]?(?:,|\s*$))")
_TOLD = re.compile(r"\d,|,\d")
_ONE = re.compile(r"\s*[-+]?\d+,(\d+)\s*")


def comma_readings(lines: Iterable[str]) -> tuple[Comma, ...]:
    """Find out what commas are in a whole text.

    Parameters
    ----------
    lines : iterable of str
        The text, its characters plain.

    Returns
    -------
    readings : tuple of Comma
        One; or both where both are possible, the likelier first.

    Examples
    --------
    >>> comma_readings(["0,5;1,5"]), comma_readings(["0.5, 1.5"])
    (('decimal',), ('between',))
    >>> comma_readings(["0,7, 0,3", "0,1, 0,9"])
    ('decimal', 'between')
    """
    told = [cut for line in lines if _TOLD.search(cut := line[:MAX_LINE])]
    if not told or any(_POINT.search(line) for line in told):
        return ("between",)
    if all(_SPACED.fullmatch(line) for line in told):
        return ("decimal", "between")
    if all(map(_SHARES.fullmatch, told)) and any(map(_TELLING.search, told)):
        return ("decimal", "between")
    chunks = [_CHUNK.findall(line) for line in told]
    doubtful = [one for line in chunks for one in line if _TOLD.search(one)]
    if not all(map(_DECIMAL.fullmatch, doubtful)):
        return ("between",)
    if any(sum(map(_is_number, line)) > 1 for line in chunks):
        return ("decimal",)
    parts = [found[1] for line in told if (found := _ONE.fullmatch(line))]
    if len(parts) < len(told):
        return ("decimal",)
    looks_decimal = any(
        len(part) > 2 or (len(part) > 1 and part[0] == "0") for part in parts
    )
    return ("decimal", "between") if looks_decimal else ("between",)


def write_points(line: str) -> str:
    """Write the commas inside numbers of a line as points.

    Examples
    --------
    >>> write_points("0,7, 0,3"), write_points("0,7,0,3")
    ('0.7, 0.3', '0.7, 0.3')
    """
    pointed = _DECIMALS.sub(lambda found: found[0].replace(",", "."), line)
    return re.sub(r",(?=[-+\d])", ", ", pointed)


def _is_number(chunk: str) -> bool:
    return bool(_DECIMAL.fullmatch(chunk) or re.fullmatch(r"[-+]?\d+", chunk))
