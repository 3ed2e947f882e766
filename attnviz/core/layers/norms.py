"""Layer Normalization and its relatives, with every stage kept."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    FloatArray,
    as_floats,
    bind_parameter,
    bind_shapes,
    positive,
    read_only,
)
from attnviz.core.arrays.sheet import Sheet, numbers_of
from attnviz.core.arrays.spread import Spread, spread_of
from attnviz.core.errors import ShapeError

_ON_SCREEN: Mapping[str, str] = MappingProxyType(
    {"x": "norm_input", "normalized": "norm_normalized", "output": "norm_output"}
)


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
        return _norm_sheet(self, self.x)


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
        return _norm_sheet(self, self.x)


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

    Statistics are taken in float64 and in two passes, so a mean that is large against
    the spread costs no accuracy. A variance beyond the range of its type reads ∞ in the
    trace, while what is normalized by it stays right.

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
    array = _features("layer_norm", x)
    spread = spread_of(array, -1)
    return _norm_trace("position", array, spread, gamma, beta, eps)


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
    array = _features("batch_norm", x)
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
    return _norm_trace("feature", array, spread, gamma, beta, eps)


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
    array = _features("rms_norm", x)
    scale = _parameter("rms_norm", "gamma", gamma, array, 1.0)
    least = positive("rms_norm", "eps", eps)
    spread = spread_of(array, -1, about_zero=True)
    normalized = spread.normalized(least)
    return RmsNormTrace(
        x=read_only(array),
        mean_square=_narrow(spread.variance.reshape(array.shape[:-1]), array.dtype),
        normalized=_narrow(normalized, array.dtype),
        output=_narrow(scale * normalized, array.dtype),
        gamma=read_only(scale),
        eps=least,
    )


def _norm_sheet(trace: Record, x: FloatArray) -> Sheet:
    """Name input, stages and output as they are named on screen."""
    width = {"d": np.array(float(x.shape[-1]))}
    return Sheet(numbers_of(trace, _ON_SCREEN) | width, _ON_SCREEN)


def _features(operation: str, x: npt.ArrayLike) -> FloatArray:
    (array,) = as_floats(operation, x=x)
    if bind_shapes(operation, x=(array, "d"))["d"] == 0:
        raise ShapeError(f"{operation}: `x` needs d of at least 1; got {array.shape}")
    return array


def _parameter(
    operation: str,
    name: str,
    value: npt.ArrayLike | None,
    x: FloatArray,
    default: float,
) -> FloatArray:
    if value is None:
        return np.full(x.shape[-1], default, dtype=x.dtype)
    return bind_parameter(operation, name, value, (x.shape[-1],))


def _narrow(array: FloatArray, dtype: np.dtype[Any]) -> FloatArray:
    with np.errstate(over="ignore"):
        return read_only(array.astype(dtype, copy=False))


def _norm_trace(
    per: Literal["position", "feature"],
    x: FloatArray,
    spread: Spread,
    gamma: npt.ArrayLike | None,
    beta: npt.ArrayLike | None,
    eps: float,
) -> NormTrace:
    """Normalize, scale and shift, and lock every array."""
    operation = "layer_norm" if per == "position" else "batch_norm"
    shape = x.shape[:-1] if per == "position" else x.shape[-1:]
    scale = _parameter(operation, "gamma", gamma, x, 1.0)
    shift = _parameter(operation, "beta", beta, x, 0.0)
    least = positive(operation, "eps", eps)
    normalized = spread.normalized(least)
    return NormTrace(
        x=read_only(x),
        mean=_narrow(spread.mean.reshape(shape), x.dtype),
        variance=_narrow(spread.variance.reshape(shape), x.dtype),
        normalized=_narrow(normalized, x.dtype),
        output=_narrow(scale * normalized + shift, x.dtype),
        gamma=read_only(scale),
        beta=read_only(shift),
        eps=least,
        per=per,
    )


NormPlace = Literal["post", "pre"]


@dataclass(frozen=True, slots=True, repr=False)
class NormParameters(Record):
    """Scale and shift of one layer normalization; arrays are read-only copies.

    Attributes
    ----------
    gamma, beta : FloatArray of shape (d,), or None
        Scale γ and shift β; None stands for 1 and 0.
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
