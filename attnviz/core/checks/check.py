"""One check: what was measured, what is allowed, and the verdict."""

from dataclasses import dataclass
from typing import Literal

CheckVerdict = Literal["pass", "fail", "convention", "not applicable"]


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check.

    Attributes
    ----------
    id : str
        Name of the check.
    verdict : {"pass", "fail", "convention", "not applicable"}
        "convention": differs from the chapter, in a way other libraries also choose.
    measured : float or int or None
        The number that was measured; None if nothing could be.
    tolerance : float or None
        How far the number may be from what it should be; None where it must simply
        hold.
    where : tuple of int or None
        Index, counted from 0, of the number that decided; None if all is well.
    expected : float or int or None
        What the measured number should be; None where that is 0, or a bound.

    Examples
    --------
    >>> from attnviz.core import check_layer_norm
    >>> mean = check_layer_norm([1.0, 2.0, 3.0, 6.0], [0.0, 0.0, 0.0, 0.0])[0]
    >>> mean.id, mean.verdict, mean.measured
    ('mean', 'pass', 0.0)
    """

    id: str
    verdict: CheckVerdict
    measured: float | int | None
    tolerance: float | None
    where: tuple[int, ...] | None
    expected: float | int | None = None
