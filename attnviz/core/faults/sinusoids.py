"""Mistakes and conventions in a table of sines and cosines."""

from dataclasses import dataclass, replace

import numpy as np

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray, IntArray
from attnviz.core.faults._solving import base_of, weight_noise
from attnviz.core.faults.fault import Solved
from attnviz.core.positions.sinusoidal import Order, sinusoidal_positions


@dataclass(frozen=True, slots=True, repr=False)
class SinusoidCase(Record):
    """A table of positions that someone made.

    Attributes
    ----------
    positions : IntArray of shape (..., T)
        The positions.
    width : int
        Number of features d.
    base : float
        Base of the rates.
    order : {"interleaved", "concatenated"}
        How sines and cosines stand.
    """

    positions: IntArray
    width: int
    base: float
    order: Order

    @property
    def answer(self) -> FloatArray:
        """The right table."""
        return sinusoidal_positions(
            self.positions, self.width, base=self.base, order=self.order
        )

    @property
    def n_pairs(self) -> int:
        """Number of rates."""
        return (self.width + 1) // 2

    def table(self, angles: FloatArray, *, swapped: bool = False) -> FloatArray:
        """Lay sines and cosines of angles of shape (..., T, n_pairs) out as asked."""
        waves = np.sin(angles), np.cos(angles)
        first, second = waves[::-1] if swapped else waves
        if self.order == "concatenated":
            return np.concatenate([first, second[..., : self.width // 2]], axis=-1)
        both = np.stack([first, second], axis=-1)
        return both.reshape(*angles.shape[:-1], -1)[..., : self.width]


def other_order(case: SinusoidCase, *, step: int = 0) -> FloatArray | None:
    """Order the same sines and cosines otherwise.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.
    step : int, default=0
        By how much positions are off as well.

    Returns
    -------
    table : FloatArray of shape (..., T, d) or None
        None where both orders are the same.
    """
    if case.width <= 2:
        return None
    other: Order = "interleaved" if case.order == "concatenated" else "concatenated"
    return replace(case, order=other, positions=case.positions + step).answer


def counted_otherwise(case: SinusoidCase, step: int) -> FloatArray:
    """Count positions from another first one.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.
    step : int
        What is added to each position.

    Returns
    -------
    table : FloatArray of shape (..., T, d)
        The same rows, one further up or down.
    """
    return replace(case, positions=case.positions + step).answer


def sines_and_cosines_swapped(case: SinusoidCase) -> FloatArray:
    """Put cosines where sines belong.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.

    Returns
    -------
    table : FloatArray of shape (..., T, d)
        Position 0 is 1, 0, 1, 0, ….
    """
    return case.table(_angles(case, 2.0 * np.arange(case.n_pairs)), swapped=True)


def exponents_halved(case: SinusoidCase) -> FloatArray:
    """Use i/d for the exponent of pair i instead of 2i/d.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.

    Returns
    -------
    table : FloatArray of shape (..., T, d)
        Rates that fall half as fast, as with the root of the base.
    """
    return case.table(_angles(case, 1.0 * np.arange(case.n_pairs)))


def exponents_doubled(case: SinusoidCase) -> FloatArray:
    """Use 4i/d for the exponent of pair i: the feature's number where the pair's is.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.

    Returns
    -------
    table : FloatArray of shape (..., T, d)
        Rates that fall twice as fast, as with the square of the base.
    """
    return case.table(_angles(case, 4.0 * np.arange(case.n_pairs)))


def exponents_by_feature(case: SinusoidCase, *, factor: float = 1.0) -> FloatArray:
    """Give sine and cosine of a pair each its own exponent.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.
    factor : float, default=1.0
        1 uses j/d for feature j, 2 uses 2j/d.

    Returns
    -------
    table : FloatArray of shape (..., T, d)
        A pair is no point on a circle any more.
    """
    own = factor * np.arange(2.0 * case.n_pairs)
    even, odd = _angles(case, own[0::2]), _angles(case, own[1::2])
    sines, cosines = case.table(even), case.table(odd)
    is_sine = np.arange(case.width) % 2 == 0
    if case.order == "concatenated":
        is_sine = np.arange(case.width) < case.n_pairs
    return np.where(is_sine, sines, cosines)


def last_rate_is_base(case: SinusoidCase) -> FloatArray | None:
    """Space the rates so that the last one is 1/base, as tensor2tensor does.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.

    Returns
    -------
    table : FloatArray of shape (..., T, d) or None
        None with fewer than two rates.
    """
    if case.n_pairs < 2:
        return None
    exponents = case.width * np.arange(case.n_pairs) / (case.n_pairs - 1)
    return case.table(_angles(case, exponents))


def one_rate(case: SinusoidCase) -> FloatArray:
    """Use the position itself as the angle of every pair.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.

    Returns
    -------
    table : FloatArray of shape (..., T, d)
        All pairs alike.
    """
    return case.table(_angles(case, np.zeros(case.n_pairs)))


def table_transposed(case: SinusoidCase) -> FloatArray:
    """Return the table with features for rows.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.

    Returns
    -------
    table : FloatArray of shape (..., d, T)
        Pᵀ.
    """
    return case.answer.swapaxes(-1, -2)


def other_base(case: SinusoidCase, base: float = 1e3) -> FloatArray:
    """Use another base.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.
    base : float, default=1e3
        The other base.

    Returns
    -------
    table : FloatArray of shape (..., T, d)
        Other rates.
    """
    return replace(case, base=base).answer


def solve_base(case: SinusoidCase, table: FloatArray) -> Solved | None:
    """Find the base of a table from its position that turns least.

    Parameters
    ----------
    case : SinusoidCase
        What is asked.
    table : FloatArray of shape (..., T, d)
        What someone made.

    Returns
    -------
    solved : Solved or None
        ``base``; None where nothing tells it.
    """
    n_full = case.width // 2
    if table.shape != case.answer.shape:
        return None
    rows = table.reshape(-1, case.width)
    if case.order == "concatenated":
        sines, cosines = rows[:, :n_full], rows[:, case.n_pairs :]
    else:
        sines, cosines = rows[:, 0 : 2 * n_full : 2], rows[:, 1 : 2 * n_full : 2]
    angles = np.arctan2(sines, cosines)
    noise = np.full(angles.shape, weight_noise(table).max(initial=0))
    base = base_of(angles, case.positions.ravel(), case.width, noise)
    if base is None:
        return None
    return Solved(other_base(case, base), {"base": base}, 1)


def _angles(case: SinusoidCase, exponents: FloatArray) -> FloatArray:
    """Turn positions into angles at rates of these exponents over d."""
    angles: FloatArray = case.positions[..., None] * case.base ** (
        -exponents / case.width
    )
    return angles
