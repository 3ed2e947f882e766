"""Gradients of normalizations."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    FloatArray,
    expect,
    read_only,
)
from attnviz.core.arrays.spread import spread_of
from attnviz.core.errors import ShapeError
from attnviz.core.gradients._upstream import bind_upstream, sum_to_shape
from attnviz.core.layers.norms import NormTrace
from attnviz.core.layers.rms import RmsNormTrace


@dataclass(frozen=True, slots=True, repr=False)
class NormGradients(Record):
    """Gradients of a layer normalization; all arrays are read-only.

    Attributes
    ----------
    x : FloatArray of shape (..., d)
        Of the input.
    gamma, beta : FloatArray of shape (d,)
        Of scale γ and shift β, summed over all positions.
    """

    x: FloatArray
    gamma: FloatArray
    beta: FloatArray


@dataclass(frozen=True, slots=True, repr=False)
class RmsNormGradients(Record):
    """Gradients of a root-mean-square normalization; all arrays are read-only.

    Attributes
    ----------
    x : FloatArray of shape (..., d)
        Of the input.
    gamma : FloatArray of shape (d,)
        Of the scale γ, summed over all positions.
    """

    x: FloatArray
    gamma: FloatArray


def layer_norm_backward(d_output: npt.ArrayLike, *, trace: NormTrace) -> NormGradients:
    r"""Carry a gradient back through a layer normalization.

    Parameters
    ----------
    d_output : array_like of shape (..., d)
        Gradient with respect to the output.
    trace : NormTrace
        What `layer_norm` returned.

    Returns
    -------
    gradients : NormGradients
        Gradients of input, scale and shift, in the dtype of the trace.

    Raises
    ------
    ShapeError
        If `d_output` has another shape than the output, or the trace has not one mean
        a position, as that of `batch_norm`.

    Notes
    -----
    With g = γ ⊙ dy and r = 1/√(v + ε),

    .. math:: dx = r\,(g - \overline{g} - \hat x\, \overline{g \odot \hat x})

    where the bar is the mean over the features.

    References
    ----------
    .. [1] Ba, Kiros and Hinton, "Layer Normalization", 2016, eq. 4, differentiated.
    .. [2] Course chapter, formulas F9 and F10, differentiated.

    Examples
    --------
    >>> from attnviz.core import layer_norm
    >>> layer_norm_backward([1.0, 1.0], trace=layer_norm([0.0, 2.0])).beta
    array([1., 1.])
    """
    expect("layer_norm_backward", "trace", trace, NormTrace)
    if trace.per != "position":
        raise ShapeError(
            "layer_norm_backward: `trace` needs one variance a position, "
            f"{trace.x.shape[:-1]}; got one a {trace.per}, {trace.variance.shape}"
        )
    upstream = bind_upstream("layer_norm_backward", "d_output", d_output, trace.output)
    upstream = upstream.astype(np.float64)
    # What the trace shows is rounded to its type; its input is not.
    spread = spread_of(trace.x, -1)
    normalized = spread.normalized(trace.eps)
    rate = 1 / spread.root(trace.eps) / spread.unit
    g = trace.gamma * upstream
    along = (g * normalized).mean(axis=-1, keepdims=True)
    stages = {
        "x": rate * (g - g.mean(axis=-1, keepdims=True) - normalized * along),
        "gamma": sum_to_shape(upstream * normalized, trace.gamma.shape),
        "beta": sum_to_shape(upstream, trace.beta.shape),
    }
    dtype = trace.output.dtype
    return NormGradients(
        **{name: read_only(stage.astype(dtype)) for name, stage in stages.items()}
    )


def rms_norm_backward(
    d_output: npt.ArrayLike, *, trace: RmsNormTrace
) -> RmsNormGradients:
    r"""Carry a gradient back through a root-mean-square normalization.

    Parameters
    ----------
    d_output : array_like of shape (..., d)
        Gradient with respect to the output.
    trace : RmsNormTrace
        What `rms_norm` returned.

    Returns
    -------
    gradients : RmsNormGradients
        Gradients of input and scale, in the dtype of the trace.

    Raises
    ------
    ShapeError
        If `d_output` has another shape than the output.

    Notes
    -----
    With g = γ ⊙ dy and r = 1/√(mean square + ε),

    .. math:: dx = r\,(g - \hat x\, \overline{g \odot \hat x})

    where the bar is the mean over the features.

    References
    ----------
    .. [1] Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019, eq. 4,
       differentiated.

    Examples
    --------
    >>> from attnviz.core import rms_norm
    >>> rms_norm_backward([1.0, 1.0], trace=rms_norm([3.0, -3.0])).gamma.round(4)
    array([ 1., -1.])
    """
    expect("rms_norm_backward", "trace", trace, RmsNormTrace)
    upstream = bind_upstream("rms_norm_backward", "d_output", d_output, trace.output)
    upstream = upstream.astype(np.float64)
    spread = spread_of(trace.x, -1, about_zero=True)
    normalized = spread.normalized(trace.eps)
    rate = 1 / spread.root(trace.eps) / spread.unit
    g = trace.gamma * upstream
    along = (g * normalized).mean(axis=-1, keepdims=True)
    d_gamma = sum_to_shape(upstream * normalized, trace.gamma.shape)
    dtype = trace.output.dtype
    return RmsNormGradients(
        x=read_only((rate * (g - normalized * along)).astype(dtype)),
        gamma=read_only(d_gamma.astype(dtype)),
    )
