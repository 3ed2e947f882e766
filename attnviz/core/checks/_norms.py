"""The four checks of a layer normalization."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray, as_floats, quiet
from attnviz.core.arrays.spread import spread_of
from attnviz.core.checks._loops import normalize_by_feature
from attnviz.core.checks._measures import differences, not_applicable, worst
from attnviz.core.checks._rounding import Precision, type_precision
from attnviz.core.checks.check import Check
from attnviz.core.errors import ShapeError
from attnviz.core.layers.norms import NormTrace, layer_norm, standardize


@dataclass(frozen=True, slots=True)
class NormBlur:
    """How far inputs may be from what was computed with, because they were printed.

    Attributes
    ----------
    x, gamma, beta : float
        Largest difference of a number; 0 if they are exact.
    """

    x: float = 0.0
    gamma: float = 0.0
    beta: float = 0.0


@dataclass(frozen=True, slots=True, repr=False)
class NormCase(Record):
    """What someone normalized, what came out, and the core's own answer.

    Attributes
    ----------
    answer : NormTrace
        What the core computes.
    output : FloatArray of shape (..., d)
        What came out.
    exact : FloatArray of shape (..., d)
        What running sums over the features give, ±∞ where the output cannot hold it.
    precision : Precision
        What it was computed with and rounded to.
    blur : NormBlur
        How far the inputs may be off.
    """

    answer: NormTrace
    output: FloatArray
    exact: FloatArray
    precision: Precision
    blur: NormBlur = NormBlur()


def norm_case(
    x: npt.ArrayLike,
    output: npt.ArrayLike,
    *,
    gamma: npt.ArrayLike | None = None,
    beta: npt.ArrayLike | None = None,
    eps: float = 1e-5,
) -> NormCase:
    """Check the arguments of `check_layer_norm`, and normalize."""
    # Of an ε that is no number, the library says so.
    number: object = eps
    bare = isinstance(number, int | float) and number == 0
    answer = (
        standardize(x, gamma=gamma, beta=beta)
        if bare
        else layer_norm(x, gamma=gamma, beta=beta, eps=eps)
    )
    (found,) = as_floats("check_layer_norm", output=output)
    if found.shape != answer.x.shape:
        raise ShapeError(
            f"check_layer_norm: `output` needs the shape of `x`, {answer.x.shape}; "
            f"got {found.shape}"
        )
    exact = normalize_by_feature(answer.x, answer.gamma, answer.beta, answer.eps)
    with np.errstate(over="ignore"):
        narrow = _wide(exact.astype(found.dtype))
    return NormCase(
        answer=answer,
        output=found,
        exact=np.where(np.isfinite(narrow), exact, narrow),
        precision=type_precision(answer.x, found),
    )


@quiet
def check_norm_case(case: NormCase) -> tuple[Check, ...]:
    """Run the four checks of `check_layer_norm`, in its order."""
    limit = norm_limits(case)
    loop = worst("loop", norm_gaps(case), limit)
    gamma, beta = _wide(case.answer.gamma), _wide(case.answer.beta)
    if (gamma == 0).any():
        names = ("mean", "mean_square", "own_position")
        return (*map(not_applicable, names), loop)
    # Numbers that are not finite have no moments; the loop says whether they belong.
    sound = np.isfinite(case.exact).all(axis=-1, keepdims=True)
    spread = spread_of(np.where(sound, _wide(case.answer.x), 0), -1)
    wanted = (spread.square / np.square(spread.root(case.answer.eps)))[..., 0]
    undone = np.where(sound, (_wide(case.output) - beta) / gamma, 0)
    square = np.square(undone).mean(axis=-1)
    normalized = np.where(sound, (case.exact - beta) / gamma, 0)
    # Undoing a small γ enlarges what was rounded.
    error = limit / np.abs(gamma)
    return (
        worst("mean", undone.mean(axis=-1), error.mean(axis=-1)),
        worst("mean_square", square - wanted, _square_error(normalized, error)),
        worst(
            "own_position",
            _foreign(undone, spread.deviations),
            _foreign_error(spread.deviations, error),
        ),
        loop,
    )


def norm_gaps(case: NormCase) -> FloatArray:
    """Measure how far each number of the output is from the loop's."""
    return differences(case.output, case.exact)


def norm_limits(case: NormCase) -> FloatArray:
    """Bound what rounding does to each number of the output.

    Parameters
    ----------
    case : NormCase
        What was normalized, and how precise the output is.

    Returns
    -------
    limits : FloatArray of shape (..., d)
        In proportion to γ ⊙ x̂ and β, and to γ times the largest number of the position
        over its spread: the mean is a sum that is no more precise than that number.
    """
    gamma, beta = np.abs(_wide(case.answer.gamma)), np.abs(_wide(case.answer.beta))
    x = np.nan_to_num(_wide(case.answer.x), nan=0, posinf=0, neginf=0)
    largest = np.abs(x).max(axis=-1, keepdims=True)
    unit = np.where(largest == 0, 1, largest)
    # In units of the largest number no square leaves the range.
    spread = unit * (x / unit).std(axis=-1, keepdims=True)
    root = np.hypot(spread, np.sqrt(case.answer.eps))
    growth = largest / root
    precision = case.precision
    with np.errstate(invalid="ignore", over="ignore"):
        shares = np.abs(case.exact - _wide(case.answer.beta)) + beta
        summing = min((8 + x.shape[-1]) * precision.unit, precision.tolerance)
        rounded = precision.tolerance * shares + summing * gamma * growth
        # γ, β and x̂, which is no larger than √d, may each lose a step near 0.
        lost = precision.floor * (2 + gamma + np.sqrt(x.shape[-1]))
        lost = lost + precision.lost(case.exact)
        limits: FloatArray = np.nan_to_num(rounded + lost + _blurred(case, root))
    return limits


def _blurred(case: NormCase, root: FloatArray) -> FloatArray | float:
    """Bound what printed inputs do: deviations and their root move by the same."""
    blur = case.blur
    if blur == NormBlur():
        return 0.0
    gamma = np.abs(_wide(case.answer.gamma))
    size = np.abs(_wide(case.answer.normalized))
    left = root - blur.x
    moved = np.where(left > 0, blur.x * (2 + size) / left, np.inf)
    # No number is normalized to more than √d.
    moved = np.minimum(moved, size + np.sqrt(size.shape[-1]))
    carried: FloatArray = (gamma + blur.gamma) * moved + blur.gamma * size + blur.beta
    return carried


def _square_error(normalized: FloatArray, error: FloatArray) -> FloatArray:
    """Carry errors of numbers over to their mean square."""
    moved: FloatArray = (error * (2 * np.abs(normalized) + error)).mean(axis=-1)
    return moved


def _foreign_error(centred: FloatArray, error: FloatArray) -> FloatArray:
    """Carry errors of numbers over to what `_foreign` leaves of them."""
    own, size = error + error.mean(axis=-1, keepdims=True), np.abs(centred)
    along = (own * size).sum(axis=-1, keepdims=True)
    spread = np.square(size).sum(axis=-1, keepdims=True)
    carried: FloatArray = own + size * along / np.where(spread == 0, 1, spread)
    return carried


def _foreign(undone: FloatArray, centred: FloatArray) -> FloatArray:
    """Take away the multiple of its own deviations that fits each position best."""
    spread = np.square(centred).sum(axis=-1, keepdims=True)
    shifted = undone - undone.mean(axis=-1, keepdims=True)
    along = (shifted * centred).sum(axis=-1, keepdims=True)
    foreign: FloatArray = shifted - centred * along / np.where(spread == 0, 1, spread)
    return foreign


def _wide(array: FloatArray) -> FloatArray:
    return array.astype(np.float64, copy=False)
