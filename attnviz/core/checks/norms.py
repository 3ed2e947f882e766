"""Check Layer Normalization by what it must satisfy."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.checks.check import (
    Check,
    differences,
    not_applicable,
    tolerance_for,
    worst,
)
from attnviz.core.checks.loops import normalize_by_feature
from attnviz.core.errors import ShapeError
from attnviz.core.norms import NormTrace, layer_norm
from attnviz.core.shapes import FloatArray, as_floats
from attnviz.core.spread import spread_of


def check_layer_norm(
    x: npt.ArrayLike,
    output: npt.ArrayLike,
    *,
    gamma: npt.ArrayLike | None = None,
    beta: npt.ArrayLike | None = None,
    eps: float = 1e-5,
) -> tuple[Check, ...]:
    """Check a layer normalization by four properties that right ones have.

    Parameters
    ----------
    x : array_like of shape (..., d)
        What was normalized.
    output : array_like of shape (..., d)
        What came out, γ and β included.
    gamma, beta : array_like of shape (d,), optional
        As in `layer_norm`.
    eps : float, default=1e-5
        As in `layer_norm`.

    Returns
    -------
    checks : tuple of Check
        In this order; the first three look at the output with β and γ undone, which
        needs every γ to differ from 0:

        - ``mean``: the mean of a position that is farthest from 0;
        - ``mean_square``: largest difference of a position's mean square from
          v/(v + ε);
        - ``own_position``: largest part of a position's output that is not a multiple
          of its own deviations from its mean;
        - ``loop``: largest difference from running sums over the features.

    Raises
    ------
    ShapeError
        If an argument has another shape than `x` needs.
    ValueError
        If `eps` is not above 0.

    References
    ----------
    .. [1] Course chapter, properties before γ and β (R101, R102, R105).

    Examples
    --------
    >>> checks = check_layer_norm([1.0, 2.0, 3.0, 6.0], [-0.9258, -0.4629, 0.0, 1.3887])
    >>> [check.id for check in checks if check.verdict == "fail"]
    ['mean_square', 'loop']
    """
    case = norm_case(x, output, gamma=gamma, beta=beta, eps=eps)
    return check_norm_case(case)


@dataclass(frozen=True, slots=True)
class NormCase:
    """What someone normalized, what came out, and the core's own answer.

    Attributes
    ----------
    answer : NormTrace
        What the core computes.
    output : FloatArray of shape (..., d)
        What came out.
    tolerance : float
        What the less precise array needs, for numbers of ordinary size.
    size : FloatArray of shape (..., 1)
        Factor by which rounding errors of a position grow: its mean is large against
        its spread, or γ or β is large.
    """

    answer: NormTrace
    output: FloatArray
    tolerance: float
    size: FloatArray


def norm_case(
    x: npt.ArrayLike,
    output: npt.ArrayLike,
    *,
    gamma: npt.ArrayLike | None = None,
    beta: npt.ArrayLike | None = None,
    eps: float = 1e-5,
) -> NormCase:
    """Check the arguments of `check_layer_norm`, and normalize.

    Parameters
    ----------
    x, output, gamma, beta, eps : array_like and float
        As in `check_layer_norm`.

    Returns
    -------
    case : NormCase
        The output with the core's answer.

    Raises
    ------
    ShapeError
        If an argument has another shape than `x` needs.
    ValueError
        If `eps` is not above 0.
    """
    answer = layer_norm(x, gamma=gamma, beta=beta, eps=eps)
    (found,) = as_floats("check_layer_norm", output=output)
    if found.shape != answer.x.shape:
        raise ShapeError(
            f"check_layer_norm: `output` needs the shape of `x`, {answer.x.shape}; "
            f"got {found.shape}"
        )
    spread = spread_of(answer.x, -1)
    root = (spread.root(answer.eps) * spread.unit)[..., 0]
    size = 1 + np.abs(answer.x).max(axis=-1) / root
    largest = max(np.abs(answer.gamma).max(), np.abs(answer.beta).max(), 1)
    return NormCase(
        answer=answer,
        output=found,
        tolerance=tolerance_for(answer.x, found),
        size=size[..., None] * float(largest),
    )


def check_norm_case(case: NormCase) -> tuple[Check, ...]:
    """Run the four checks of `check_layer_norm`.

    Parameters
    ----------
    case : NormCase
        What was normalized and what came out.

    Returns
    -------
    checks : tuple of Check
        In the order of `check_layer_norm`.
    """
    limit = case.tolerance * case.size
    loop = worst("loop", norm_gaps(case), limit)
    gamma, beta = _wide(case.answer.gamma), _wide(case.answer.beta)
    if (gamma == 0).any():
        names = ("mean", "mean_square", "own_position")
        return (*map(not_applicable, names), loop)
    spread = spread_of(case.answer.x, -1)
    wanted = (spread.square / np.square(spread.root(case.answer.eps)))[..., 0]
    # Undoing a small γ enlarges what was rounded.
    limit = limit / np.abs(gamma).min(initial=1)
    with np.errstate(invalid="ignore", over="ignore"):
        undone = (_wide(case.output) - beta) / gamma
        square = np.square(undone).mean(axis=-1)
        return (
            worst("mean", undone.mean(axis=-1), limit[..., 0]),
            worst("mean_square", square - wanted, 2 * limit[..., 0]),
            worst("own_position", _foreign(undone, spread.deviations), limit),
            loop,
        )


def norm_gaps(case: NormCase) -> FloatArray:
    """Measure how far each number is from the loop's.

    Parameters
    ----------
    case : NormCase
        What was normalized and what came out.

    Returns
    -------
    gaps : FloatArray of shape (..., d)
        Differences.
    """
    answer = case.answer
    wanted = normalize_by_feature(answer.x, answer.gamma, answer.beta, answer.eps)
    return differences(case.output, wanted)


def _foreign(undone: FloatArray, centred: FloatArray) -> FloatArray:
    """Take away the multiple of its own deviations that fits each position best."""
    spread = np.square(centred).sum(axis=-1, keepdims=True)
    shifted = undone - undone.mean(axis=-1, keepdims=True)
    along = (shifted * centred).sum(axis=-1, keepdims=True)
    foreign: FloatArray = shifted - centred * along / np.where(spread == 0, 1, spread)
    return foreign


def _wide(array: FloatArray) -> FloatArray:
    return array.astype(np.float64, copy=False)
