"""Check Layer Normalization by what it must satisfy."""

import numpy.typing as npt

from attnviz.core.checks._norms import check_norm_case, norm_case
from attnviz.core.checks.check import Check


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
        As in `layer_norm`, or 0 where the numbers of each position differ.

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
        If `eps` is below 0, or 0 where the numbers of a position are all equal.

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
