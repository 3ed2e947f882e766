"""Root-mean-square normalization, which leaves the mean alone."""

from dataclasses import dataclass

import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray, positive, read_only
from attnviz.core.arrays.sheet import Sheet
from attnviz.core.arrays.spread import normalize
from attnviz.core.layers._norms import features, narrow, norm_sheet, parameter


@dataclass(frozen=True, slots=True, repr=False)
class RmsNormTrace(Record):
    """Every stage of a root-mean-square normalization; all arrays are read-only.

    Attributes
    ----------
    x : FloatArray of shape (..., d)
        Input, as given.
    mean_square : FloatArray of shape (...)
        Mean of the squares of each position.
    normalized : FloatArray of shape (..., d)
        x / √(mean_square + ε).
    output : FloatArray of shape (..., d)
        γ ⊙ normalized.
    gamma : FloatArray of shape (d,)
        Scale γ.
    eps : float
        ε inside the root.
    """

    x: FloatArray
    mean_square: FloatArray
    normalized: FloatArray
    output: FloatArray
    gamma: FloatArray
    eps: float

    def sheet(self) -> Sheet:
        """Lay out the matrices for derivations."""
        return norm_sheet(self, self.x)


def rms_norm(
    x: npt.ArrayLike, *, gamma: npt.ArrayLike | None = None, eps: float = 1e-5
) -> RmsNormTrace:
    r"""Divide each position by the root of its mean square, then scale.

    Parameters
    ----------
    x : array_like of shape (..., d)
        Any number of positions.
    gamma : array_like of shape (d,), optional
        Scale; 1 if left out.
    eps : float, default=1e-5
        Added to the mean square, inside the root; above 0.

    Returns
    -------
    trace : RmsNormTrace
        Mean square, normalized and output in the dtype of `x`.

    Raises
    ------
    ShapeError
        If `x` has no features, or γ has another width.
    ValueError
        If `eps` is not above 0.

    Notes
    -----
    .. math:: y = \gamma \odot x / \sqrt{\tfrac1d \sum_j x_j^2 + \varepsilon}

    A mean square beyond the range of its type reads ∞ in the trace, as the variance of
    `layer_norm` does.

    References
    ----------
    .. [1] Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019, eq. 4.

    Examples
    --------
    >>> rms_norm([3.0, 4.0]).mean_square
    array(12.5)
    """
    array = features("rms_norm", x)
    scale = parameter("rms_norm", "gamma", gamma, array, 1.0)
    least = positive("rms_norm", "eps", eps)
    _, square, normalized = normalize(array, least, about_zero=True)
    return RmsNormTrace(
        x=read_only(array),
        mean_square=narrow(square.reshape(array.shape[:-1]), array.dtype),
        normalized=narrow(normalized, array.dtype),
        output=narrow(scale * normalized, array.dtype),
        gamma=read_only(scale),
        eps=least,
    )
