"""Say whether positions were represented rightly, by sines or by rotations."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    FloatArray,
    as_floats,
    quiet,
)
from attnviz.core.checks._result import without_batch
from attnviz.core.checks._rounding import Precision
from attnviz.core.diagnosis._comparing import Attempt, Part, compare, precision_of
from attnviz.core.diagnosis._reading import lost_digits
from attnviz.core.diagnosis.diagnosis import Diagnosis
from attnviz.core.errors import ShapeError
from attnviz.core.faults import FAULTS
from attnviz.core.faults.rotations import RotationCase
from attnviz.core.faults.sinusoids import SinusoidCase
from attnviz.core.positions._angles import as_positions
from attnviz.core.positions.rotary import Pairing, rotate
from attnviz.core.positions.sinusoidal import Order, sinusoidal_positions


@quiet
def diagnose_positions(
    table: npt.ArrayLike,
    *,
    positions: int | npt.ArrayLike | None = None,
    d_model: int | None = None,
    start: int = 0,
    base: float = 1e4,
    order: Order = "interleaved",
) -> Diagnosis:
    """Check a table of sinusoidal positions, and name what others make of it.

    Parameters
    ----------
    table : array_like of shape (..., T, d)
        What someone computed.
    positions, d_model : optional
        As in `sinusoidal_positions`; as many as the table has if left out.
    start, base, order : optional
        As in `sinusoidal_positions`.

    Returns
    -------
    diagnosis : Diagnosis
        Verdict, the check ``loop``, and what explains the table: another order, first
        position or base are conventions, the base with the value ``base`` found.

    Raises
    ------
    ShapeError
        If the table is no table, or has a shape that no known mistake gives it.
    ValueError
        If there is no number to diagnose, or a number is out of its range.

    Examples
    --------
    >>> from attnviz.core import sinusoidal_positions
    >>> found = diagnose_positions(sinusoidal_positions(5, 8, base=1e3).round(4))
    >>> found.verdict, found.candidates[0].found
    ('convention', {'base': 1000.0})
    """
    name = "diagnose_positions"
    (found,) = as_floats(name, table=table)
    if found.ndim < 2:
        raise ShapeError(f"{name}: `table` needs shape (..., T, d); got {found.shape}")
    if found.size == 0:
        raise ValueError(f"{name}: `table` holds no number to diagnose")
    given = found.shape[-2] if positions is None else positions
    width = found.shape[-1] if d_model is None else d_model
    right = sinusoidal_positions(given, width, start=start, base=base, order=order)
    if isinstance(given, int | np.integer):
        given = start + np.arange(given)
    places = as_positions(name, given)
    case = SinusoidCase(places, right.shape[-1], float(base), order)
    precision = precision_of(found)
    part = Part(
        "table",
        without_batch(found, right.shape),
        right,
        precision,
        lambda _: _of_angles(np.ones(right.shape), places, precision),
    )
    return compare(
        name,
        [part],
        lambda: _attempts("sinusoids", case, part.found, lambda made: {"table": made}),
        inputs_printed=False,
    )


@quiet
def diagnose_rotation(
    q: npt.ArrayLike | None = None,
    k: npt.ArrayLike | None = None,
    v: npt.ArrayLike | None = None,
    *,
    turned_q: npt.ArrayLike | None = None,
    turned_k: npt.ArrayLike | None = None,
    turned_v: npt.ArrayLike | None = None,
    positions: npt.ArrayLike | None = None,
    base: float = 1e4,
    pairing: Pairing = "interleaved",
) -> Diagnosis:
    """Check queries and keys that were turned by their positions.

    Parameters
    ----------
    q, k, v : array_like of shape (..., T, d), optional
        Queries, keys and values before.
    turned_q, turned_k, turned_v : array_like of shape (..., T, d), optional
        The same afterwards, at least one of them; values must be as they were.
    positions : array_like of int, shape (T,) or (..., T), optional
        As in `rotate`; 0, 1, 2, … if left out.
    base, pairing : optional
        As in `rotate`.

    Returns
    -------
    diagnosis : Diagnosis
        Verdict, one check for each result under the name of its argument, and what
        explains all of them: another pairing, first position or base are conventions,
        the base with the value ``base`` found.

    Raises
    ------
    ShapeError
        If arguments disagree about a dimension, or a result has a shape that no known
        mistake gives it.
    ValueError
        If there is nothing to diagnose, or a number is out of its range.

    Examples
    --------
    >>> from attnviz.core import rotate
    >>> x = np.arange(12.0).reshape(3, 4)
    >>> halves = rotate(x, [0, 1, 2], pairing="half")
    >>> found = diagnose_rotation(x, turned_q=halves)
    >>> found.verdict, found.candidates[0].variant
    ('convention', 'other_pairing')
    """
    name = "diagnose_rotation"
    before, after = (
        {"q": q, "k": k, "v": v},
        {"q": turned_q, "k": turned_k, "v": turned_v},
    )
    results = {
        part: as_floats(name, **{f"turned_{part}": given})[0]
        for part, given in after.items()
        if given is not None
    }
    if not results:
        raise ValueError(f"{name}: give a result, such as `turned_q`; got none")
    for part in results:
        if before[part] is None:
            raise ValueError(f"{name}: `turned_{part}` needs `{part}` as it was before")
    sources = {
        part: as_floats(name, **{part: given})[0]
        for part, given in before.items()
        if part in results and given is not None
    }
    for part, x in sources.items():
        if x.ndim < 2:
            raise ShapeError(f"{name}: `{part}` needs shape (..., T, d); got {x.shape}")
    length = next(iter(sources.values())).shape[-2]
    places = np.arange(length) if positions is None else as_positions(name, positions)
    wide = {part: x.astype(np.float64) for part, x in sources.items()}
    for x in wide.values():
        rotate(x, places, base=base, pairing=pairing)
    case = RotationCase(wide, places, float(base), pairing)
    right = case.answer
    precisions = {
        part: precision_of(found, sources[part]) for part, found in results.items()
    }
    parts = [
        Part(
            f"turned_{part}",
            without_batch(found, right[part].shape),
            right[part],
            precisions[part],
            _turned(wide[part], places, precisions[part]),
            check=f"turned_{part}",
        )
        for part, found in results.items()
    ]
    found = {part.name.removeprefix("turned_"): part.found for part in parts}
    return compare(
        name,
        parts,
        lambda: _attempts(
            "rotation",
            case,
            found,
            lambda made: {f"turned_{part}": x for part, x in made.items()},
        ),
        inputs_printed=any(
            lost_digits(wide[part], precisions[part].step) for part in wide
        ),
    )


def _of_angles(
    sizes: FloatArray, places: npt.NDArray[Any], precision: Precision
) -> FloatArray:
    """Bound what rounding an angle does to numbers of these sizes."""
    turned = np.abs(places)[..., None] * precision.growth
    error: FloatArray = precision.tolerance * sizes * (1 + turned)
    return error


def _turned(
    x: FloatArray, places: npt.NDArray[Any], precision: Precision
) -> Callable[[int], FloatArray]:
    """Bound what rounding, and lost digits of the rows, do to turned rows."""
    largest = np.abs(np.nan_to_num(x)).max(axis=-1, keepdims=True, initial=0)
    sizes = np.broadcast_to(2 * largest, x.shape)
    lost = lost_digits(x, precision.step)

    def error(times: int) -> FloatArray:
        # Sine and cosine together are at most √2.
        own: FloatArray = _of_angles(sizes, places, precision) + 1.5 * times * lost
        return own

    return error


def _attempts(
    subject: str,
    case: SinusoidCase | RotationCase,
    found: object,
    named: Callable[[Any], Mapping[str, FloatArray]],
) -> Iterator[Attempt]:
    """Make all mistakes of a subject, and find what they leave free."""
    for fault in FAULTS:
        for variant in fault.variants:
            if variant.subject != subject:
                continue
            solved = None if variant.solve is None else variant.solve(case, found)
            if solved is not None:
                yield Attempt(
                    fault,
                    variant,
                    named(solved.made),
                    variant.convention,
                    solved.found,
                    solved.n_free,
                )
            elif variant.solve is None and (made := variant.run(case)) is not None:
                yield Attempt(fault, variant, named(made), variant.convention)
