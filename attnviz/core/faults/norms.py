"""Mistakes in Layer Normalization and in where it stands."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, as_floats
from attnviz.core.layers.norms import NormTrace, layer_norm, standardize


def one_less_divisor(trace: NormTrace) -> FloatArray | None:
    """Divide the squared deviations by d − 1.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., d) or None
        Smaller by √((d − 1)/d); None with a single feature.
    """
    if trace.x.shape[-1] == 1:
        return None
    x = _wide(trace)
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True, ddof=1)
    return _finish(trace, centred / np.sqrt(variance + trace.eps))


def eps_outside_root(trace: NormTrace, *, ddof: int = 0) -> FloatArray | None:
    """Add ε to the standard deviation instead of the variance.

    Parameters
    ----------
    trace : NormTrace
        The right computation.
    ddof : int, default=0
        1 divides the squared deviations by d − 1 as well.

    Returns
    -------
    output : FloatArray of shape (..., d) or None
        Differs most where the spread is small; None with no more than `ddof` features.
    """
    if trace.x.shape[-1] <= ddof:
        return None
    x = _wide(trace)
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = x.std(axis=-1, keepdims=True, ddof=ddof)
    return _finish(trace, centred / (spread + trace.eps))


def over_positions(trace: NormTrace) -> FloatArray | None:
    """Take the statistics of each feature over the positions of a sample.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T, d) or None
        Each position depends on the others; None without a position axis.
    """
    return _over(trace, (-2,)) if trace.x.ndim > 1 else None


def over_sample(trace: NormTrace) -> FloatArray | None:
    """Take one mean and variance over all positions and features of a sample.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., T, d) or None
        Each position depends on the others; None without a position axis.
    """
    return _over(trace, (-2, -1)) if trace.x.ndim > 1 else None


def over_batch(trace: NormTrace) -> FloatArray | None:
    """Take the statistics of each feature over samples and positions.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (m, T, d) or None
        What batch normalization does in training; None without a batch.
    """
    if trace.x.ndim < 3:
        return None
    return _over(trace, tuple(range(trace.x.ndim - 1)))


def mean_not_subtracted(trace: NormTrace) -> FloatArray:
    """Divide by the root of the mean square alone.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., d)
        Root-mean-square normalization, shifted.
    """
    x = _wide(trace)
    mean_square = np.square(x).mean(axis=-1, keepdims=True)
    return _finish(trace, x / np.sqrt(mean_square + trace.eps))


def not_normalized(trace: NormTrace) -> FloatArray:
    """Leave the input as it is, as a missing final norm does.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., d)
        The input.
    """
    return trace.x


def normalized_again(trace: NormTrace) -> FloatArray:
    """Normalize the output once more, without γ and β.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., d)
        γ and β are undone wherever they are the same for all features.
    """
    if trace.eps:
        return layer_norm(trace.output, eps=trace.eps).output
    return standardize(trace.output).output


def parameters_left_out(trace: NormTrace) -> FloatArray:
    """Return the normalized numbers without γ and β.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., d)
        x̂ instead of y.
    """
    return trace.normalized


def gamma_left_out(trace: NormTrace) -> FloatArray:
    """Add β to the normalized numbers without γ.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., d)
        x̂ + β.
    """
    output: FloatArray = trace.normalized + trace.beta
    return output


def beta_left_out(trace: NormTrace) -> FloatArray:
    """Multiply the normalized numbers by γ without adding β.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., d)
        γ ⊙ x̂.
    """
    output: FloatArray = trace.gamma * trace.normalized
    return output


def beta_before_gamma(trace: NormTrace) -> FloatArray:
    """Add β first, so that γ multiplies it too.

    Parameters
    ----------
    trace : NormTrace
        The right computation.

    Returns
    -------
    output : FloatArray of shape (..., d)
        γ ⊙ (x̂ + β).
    """
    output: FloatArray = trace.gamma * (trace.normalized + trace.beta)
    return output


def residual_after_norm(
    x: npt.ArrayLike, sublayer: Callable[[FloatArray], FloatArray], *, eps: float = 1e-5
) -> FloatArray:
    """Add the sub-layer to the normalized input, which overwrote the residual.

    Parameters
    ----------
    x : array_like of shape (..., d)
        Input of a pre-norm block.
    sublayer : callable
        What the block computes.
    eps : float, default=1e-5
        As in `layer_norm`.

    Returns
    -------
    output : FloatArray of shape (..., d)
        LN(x) + f(LN(x)), where x + f(LN(x)) is right.
    """
    (array,) = as_floats("residual_after_norm", x=x)
    normalized = layer_norm(array, eps=eps).output
    return normalized + sublayer(normalized)


def _over(trace: NormTrace, axes: tuple[int, ...]) -> FloatArray:
    x = _wide(trace)
    mean = x.mean(axis=axes, keepdims=True)
    variance = x.var(axis=axes, keepdims=True)
    return _finish(trace, (x - mean) / np.sqrt(variance + trace.eps))


def _wide(trace: NormTrace) -> FloatArray:
    return trace.x.astype(np.float64, copy=False)


def _finish(trace: NormTrace, normalized: FloatArray) -> FloatArray:
    output: FloatArray = trace.gamma * normalized + trace.beta
    return output
