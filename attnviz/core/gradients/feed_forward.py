"""Gradients of the position-wise network."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    FloatArray,
    expect,
    quiet,
    read_only,
)
from attnviz.core.gradients._own import refuse_others
from attnviz.core.gradients._upstream import bind_upstream, sum_to_shape
from attnviz.core.layers.network import FeedForwardParameters, FeedForwardTrace


@dataclass(frozen=True, slots=True, repr=False)
class FeedForwardGradients(Record):
    """Gradients of a feed-forward network; all arrays are read-only.

    Attributes
    ----------
    x : FloatArray of shape (..., T, d)
        Of the input.
    hidden : FloatArray of shape (..., T, d_ff)
        Of the hidden layer before the activation.
    parameters : FeedForwardParameters
        Of the matrices and biases, each in its own place.
    """

    x: FloatArray
    hidden: FloatArray
    parameters: FeedForwardParameters


@quiet
def feed_forward_backward(
    d_output: npt.ArrayLike,
    *,
    trace: FeedForwardTrace,
    parameters: FeedForwardParameters | None = None,
) -> FeedForwardGradients:
    r"""Carry a gradient back through a feed-forward network.

    Parameters
    ----------
    d_output : array_like of shape (..., T, d)
        Gradient with respect to the output.
    trace : FeedForwardTrace
        What `feed_forward` returned.
    parameters : FeedForwardParameters, optional
        Those of the trace, and no others.

    Returns
    -------
    gradients : FeedForwardGradients
        Gradients of input, hidden layer and parameters.

    Raises
    ------
    ShapeError
        If `d_output` has another shape than the output.
    ValueError
        If the parameters are not the trace's own.

    Notes
    -----
    .. math:: dH = (dY\, W_2^\top) \odot \varphi'(H), \quad dX = dH\, W_1^\top, \quad
              dW_1 = X^\top dH, \quad dW_2 = \varphi(H)^\top dY

    At 0, where it has a kink, max(x, 0) counts as flat.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, eq. 2, differentiated.
    .. [2] Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2.

    Examples
    --------
    >>> from attnviz.core import FeedForwardParameters
    >>> network = FeedForwardParameters(w_1=[[2.0]], b_1=[0], w_2=[[3.0]], b_2=[0])
    >>> trace = network.apply([[1.0], [-1.0]], "relu")
    >>> feed_forward_backward([[1.0], [1.0]], trace=trace).x
    array([[6.],
           [0.]])
    """
    expect("feed_forward_backward", "trace", trace, FeedForwardTrace)
    p = trace.parameters
    upstream = bind_upstream(
        "feed_forward_backward", "d_output", d_output, trace.output
    )
    refuse_others("feed_forward_backward", "parameters", parameters, p)
    d_hidden = (upstream @ p.w_2.T) * activation_slope(trace)
    return FeedForwardGradients(
        x=read_only(d_hidden @ p.w_1.T),
        hidden=read_only(d_hidden),
        parameters=FeedForwardParameters(
            w_1=sum_to_shape(np.swapaxes(trace.x, -1, -2) @ d_hidden, p.w_1.shape),
            b_1=sum_to_shape(d_hidden, p.b_1.shape),
            w_2=sum_to_shape(
                np.swapaxes(trace.activated, -1, -2) @ upstream, p.w_2.shape
            ),
            b_2=sum_to_shape(upstream, p.b_2.shape),
        ),
    )


def activation_slope(trace: FeedForwardTrace) -> FloatArray:
    """Differentiate the activation at each hidden number.

    Parameters
    ----------
    trace : FeedForwardTrace
        The network, from its input to its output.

    Returns
    -------
    slope : FloatArray of shape (..., T, d_ff)
        φ′(hidden); 0 where relu has its corner.
    """
    x = trace.hidden
    if trace.activation == "relu":
        return (x > 0).astype(x.dtype)
    # Out there both forms of GELU are straight, and ∞ · 0 would be NaN.
    x, activated = (np.clip(each, -100, 100) for each in (x, trace.activated))
    # Both are x times a share, and x = 0 has the share 1/2.
    share = np.divide(activated, x, out=np.full_like(x, 0.5), where=x != 0)
    if trace.activation == "gelu":
        density = np.exp(-np.square(x) / 2) / math.sqrt(2 * math.pi)
    else:
        bend = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * np.square(x))
        density = 2 * share * (1 - share) * bend
    slope: FloatArray = share + x * density
    return slope
