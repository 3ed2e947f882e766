"""Layer Normalization and its relatives, with every stage kept."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    FloatArray,
    as_floats,
    bind_parameter,
    positive,
    quiet,
    read_only,
)
from attnviz.core.arrays.sheet import Sheet
from attnviz.core.arrays.spread import Spread, normalize, spread_of
from attnviz.core.errors import ShapeError
from attnviz.core.layers._norms import features, narrow, norm_sheet, parameter

# No double of a usual size changes when this is added to it.
_LEAST = 1e-300

NormPlace = Literal["post", "pre"]
"""Where the norms of a layer stand: after each residual, or before each sublayer."""


@dataclass(frozen=True, slots=True, repr=False)
class NormTrace(Record):
    """Every stage of a normalization; all arrays are read-only.

    Attributes
    ----------
    x : FloatArray of shape (..., d)
        Input, as given.
    mean : FloatArray of shape (...)
        Mean μ that was subtracted: one a position for `layer_norm`, one a feature for
        `batch_norm`.
    variance : FloatArray of shape (...)
        Variance v, mean of the squared deviations (divided by their number, not one
        less).
    normalized : FloatArray of shape (..., d)
        x̂ = (x − μ) / √(v + ε).
    output : FloatArray of shape (..., d)
        y = γ ⊙ x̂ + β.
    gamma, beta : FloatArray of shape (d,)
        Scale γ and shift β.
    eps : float
        ε inside the root.
    per : {"position", "feature"}
        What has one mean and one variance; a square input does not tell.

    Examples
    --------
    >>> trace = layer_norm([[1.0, 3.0]], gamma=[1, 2], beta=[0, 5], eps=1e-12)
    >>> trace.mean, trace.normalized.round(6), trace.output.round(6)
    (array([2.]), array([[-1.,  1.]]), array([[-1.,  7.]]))
    """

    x: FloatArray
    mean: FloatArray
    variance: FloatArray
    normalized: FloatArray
    output: FloatArray
    gamma: FloatArray
    beta: FloatArray
    eps: float
    per: Literal["position", "feature"]

    def sheet(self) -> Sheet:
        """Lay out the matrices for derivations.

        Raises
        ------
        ShapeError
            If the trace has not one mean a position.
        """
        if self.per != "position":
            raise ShapeError(
                "derive: `trace` needs one mean a position, as layer_norm takes it: "
                f"{self.x.shape[:-1]}; got one a {self.per}, {self.mean.shape}"
            )
        return norm_sheet(self, self.x)


def layer_norm(
    x: npt.ArrayLike,
    *,
    gamma: npt.ArrayLike | None = None,
    beta: npt.ArrayLike | None = None,
    eps: float = 1e-5,
) -> NormTrace:
    r"""Normalize each position over its own features, then scale and shift.

    Parameters
    ----------
    x : array_like of shape (..., d)
        Any number of positions; none takes part in another's statistics.
    gamma, beta : array_like of shape (d,), optional
        Scale and shift; 1 and 0 if left out.
    eps : float, default=1e-5
        Added to the variance, inside the root; above 0.

    Returns
    -------
    trace : NormTrace
        Mean, variance, normalized and output in the dtype of `x`.

    Raises
    ------
    ShapeError
        If `x` has no features, or γ or β has another width.
    ValueError
        If `eps` is not above 0.

    Notes
    -----
    .. math:: y = \gamma \odot \frac{x - \mu}{\sqrt{v + \varepsilon}} + \beta

    Statistics are taken in two passes and are as good as in float64, so a mean that is
    large against the spread costs no accuracy. A variance beyond the range of its type
    reads ∞ in the trace, while what is normalized by it stays right.

    References
    ----------
    .. [1] Ba, Kiros and Hinton, "Layer Normalization", 2016, eq. 4.
    .. [2] Course chapter, formulas F9 and F10.

    Examples
    --------
    >>> trace = layer_norm([1.0, 2.0, 3.0, 4.0])
    >>> float(trace.mean), float(trace.variance)
    (2.5, 1.25)
    >>> trace.normalized.round(4)
    array([-1.3416, -0.4472,  0.4472,  1.3416])
    """
    array = features("layer_norm", x)
    scale = parameter("layer_norm", "gamma", gamma, array, 1.0)
    shift = parameter("layer_norm", "beta", beta, array, 0.0)
    least = positive("layer_norm", "eps", eps)
    stages = normalize(array, least)
    return _norm_trace("position", array, stages, (scale, shift, least))


def standardize(
    x: npt.ArrayLike,
    *,
    gamma: npt.ArrayLike | None = None,
    beta: npt.ArrayLike | None = None,
) -> NormTrace:
    r"""Normalize each position by its spread alone: `layer_norm` with ε = 0.

    Parameters
    ----------
    x : array_like of shape (..., d)
        Any number of positions, each with numbers that differ.
    gamma, beta : array_like of shape (d,), optional
        As in `layer_norm`.

    Returns
    -------
    trace : NormTrace
        As that of `layer_norm`, with an `eps` of 0.

    Raises
    ------
    ShapeError
        As in `layer_norm`.
    ValueError
        If the numbers of a position are all equal, which leaves 0/0.

    Notes
    -----
    .. math:: y = \gamma \odot \frac{x - \mu}{\sqrt{v}} + \beta

    References
    ----------
    .. [1] Course chapter, formula F9 without ε.

    Examples
    --------
    >>> standardize([1.0, 3.0]).output
    array([-1.,  1.])
    """
    trace = layer_norm(x, gamma=gamma, beta=beta, eps=_LEAST)
    flat = trace.variance <= _LEAST
    if flat.any():
        place = tuple(map(int, np.argwhere(flat)[0]))
        raise ValueError(
            "standardize: `x` needs numbers that differ at each position; those at "
            f"{place} leave 0/0"
        )
    return replace(trace, eps=0.0)


def batch_norm(
    x: npt.ArrayLike,
    *,
    gamma: npt.ArrayLike | None = None,
    beta: npt.ArrayLike | None = None,
    eps: float = 1e-5,
    running_mean: npt.ArrayLike | None = None,
    running_variance: npt.ArrayLike | None = None,
) -> NormTrace:
    """Normalize each feature over all samples and positions, for comparison.

    Parameters
    ----------
    x : array_like of shape (..., d)
        Samples and positions of one batch.
    gamma, beta : array_like of shape (d,), optional
        Scale and shift; 1 and 0 if left out.
    eps : float, default=1e-5
        Added to the variance, inside the root; above 0.
    running_mean, running_variance : array_like of shape (d,), optional
        Statistics to use as they are (prediction); the batch's own if left out
        (training).

    Returns
    -------
    trace : NormTrace
        `mean` and `variance` of shape (d,); the rest of the shape of `x`.

    Raises
    ------
    ShapeError
        If `x` has no features or no position, or a parameter has another width.
    ValueError
        If only one running statistic is given, a running variance is below 0, or
        `eps` is not above 0.

    References
    ----------
    .. [1] Ioffe and Szegedy, "Batch Normalization", 2015, algorithms 1 and 2.
    .. [2] Course chapter, comparison of the two normalizations (R107).

    Examples
    --------
    >>> batch_norm([[1.0, 5.0], [3.0, 5.0]]).mean
    array([2., 5.])
    """
    array = features("batch_norm", x)
    width = array.shape[-1]
    if (running_mean is None) != (running_variance is None):
        raise ValueError(
            "batch_norm: `running_mean` and `running_variance` need to be given "
            "together; got one of them"
        )
    if running_mean is not None and running_variance is not None:
        mean = bind_parameter("batch_norm", "running_mean", running_mean, (width,))
        variance = bind_parameter(
            "batch_norm", "running_variance", running_variance, (width,)
        )
        if not (variance >= 0).all():
            raise ValueError(
                "batch_norm: `running_variance` needs numbers of at least 0; got "
                f"{variance.min()}"
            )
        with np.errstate(invalid="ignore", over="ignore"):
            deviations = array.astype(np.float64) - mean
        spread = Spread(mean, variance, deviations, variance.astype(np.float64))
    else:
        if array.size == 0:
            raise ShapeError(
                f"batch_norm: `x` needs at least one position; got {array.shape}"
            )
        flat = spread_of(array.reshape(-1, width), 0)
        spread = replace(flat, deviations=flat.deviations.reshape(array.shape))
    scale = parameter("batch_norm", "gamma", gamma, array, 1.0)
    shift = parameter("batch_norm", "beta", beta, array, 0.0)
    least = positive("batch_norm", "eps", eps)
    stages = spread.mean, spread.variance, spread.normalized(least)
    return _norm_trace("feature", array, stages, (scale, shift, least))


@dataclass(frozen=True, slots=True, repr=False)
class NormParameters(Record):
    """Scale and shift of one layer normalization; arrays are read-only copies.

    Attributes
    ----------
    gamma, beta : FloatArray of shape (d,), or None
        Scale γ and shift β; None stands for 1 and 0.

    Examples
    --------
    >>> NormParameters(gamma=[1.0, 2.0])
    NormParameters(gamma=(2,), beta=None; float64)
    """

    gamma: FloatArray | None = None
    beta: FloatArray | None = None

    def __post_init__(self) -> None:
        """Keep copies.

        Raises
        ------
        ShapeError
            If an array does not hold real numbers.
        """
        for name in ("gamma", "beta"):
            if getattr(self, name) is not None:
                (copy,) = as_floats("NormParameters", **{name: getattr(self, name)})
                object.__setattr__(self, name, read_only(copy))


@quiet
def _norm_trace(
    per: Literal["position", "feature"],
    x: FloatArray,
    stages: tuple[FloatArray, FloatArray, FloatArray],
    parameters: tuple[FloatArray, FloatArray, float],
) -> NormTrace:
    """Scale and shift what was normalized, and lock every array."""
    shape = x.shape[:-1] if per == "position" else x.shape[-1:]
    mean, variance, normalized = stages
    scale, shift, eps = parameters
    return NormTrace(
        x=read_only(x),
        mean=narrow(mean.reshape(shape), x.dtype),
        variance=narrow(variance.reshape(shape), x.dtype),
        normalized=narrow(normalized, x.dtype),
        output=narrow(scale * normalized + shift, x.dtype),
        gamma=read_only(scale),
        beta=read_only(shift),
        eps=eps,
        per=per,
    )
