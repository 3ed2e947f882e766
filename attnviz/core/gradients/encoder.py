"""Gradients of an encoder layer."""

from dataclasses import dataclass

import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    FloatArray,
    expect,
    read_only,
)
from attnviz.core.attention.multi_head import MultiHeadParameters
from attnviz.core.gradients._own import refuse_others
from attnviz.core.gradients._steps import step_back
from attnviz.core.gradients._upstream import bind_upstream
from attnviz.core.gradients.feed_forward import feed_forward_backward
from attnviz.core.gradients.multi_head import TurnBack, multi_head_backward
from attnviz.core.layers.encoder import EncoderLayerParameters, EncoderLayerTrace
from attnviz.core.layers.network import FeedForwardParameters


@dataclass(frozen=True, slots=True, repr=False)
class EncoderLayerGradients(Record):
    """Gradients of an encoder layer; all arrays are read-only.

    Attributes
    ----------
    x : FloatArray of shape (..., T, d)
        Of the input.
    parameters : EncoderLayerParameters
        Of all learned arrays, each in its own place.
    """

    x: FloatArray
    parameters: EncoderLayerParameters


def encoder_layer_backward(
    d_output: npt.ArrayLike,
    *,
    trace: EncoderLayerTrace,
    parameters: EncoderLayerParameters | None = None,
    turn_back: TurnBack | None = None,
) -> EncoderLayerGradients:
    """Carry a gradient back through both steps of an encoder layer.

    Parameters
    ----------
    d_output : array_like of shape (..., T, d)
        Gradient with respect to the output.
    trace : EncoderLayerTrace
        What `encoder_layer` returned.
    parameters : EncoderLayerParameters, optional
        Those of the trace, and no others.
    turn_back : callable, optional
        As in `multi_head_backward`.

    Returns
    -------
    gradients : EncoderLayerGradients
        Gradients of the input and of all learned arrays.

    Raises
    ------
    ShapeError
        If `d_output` has another shape than the output.
    ValueError
        If an argument is not the trace's own.

    Notes
    -----
    A residual hands its gradient to both of its terms: with ``norm="pre"`` what comes
    from above reaches the input as it is, plus what the sublayers add.

    References
    ----------
    .. [1] Xiong et al., "On Layer Normalization in the Transformer Architecture",
       2020, section 3.
    .. [2] Course chapter, formula F12, differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> from attnviz.core import FeedForwardParameters, encoder_layer
    >>> none = np.zeros((2, 2))
    >>> silent = EncoderLayerParameters(
    ...     MultiHeadParameters(w_q=[none], w_k=[none], w_v=[none], w_o=none),
    ...     FeedForwardParameters(w_1=none, b_1=[0, 0], w_2=none, b_2=[0, 0]),
    ... )
    >>> trace = encoder_layer(np.eye(2), parameters=silent, norm="pre")
    >>> encoder_layer_backward([[1.0, 2.0], [3.0, 4.0]], trace=trace).x
    array([[1., 2.],
           [3., 4.]])
    """
    expect("encoder_layer_backward", "trace", trace, EncoderLayerTrace)
    operation = "encoder_layer_backward"
    upstream = bind_upstream(operation, "d_output", d_output, trace.output)
    refuse_others(operation, "parameters", parameters, trace.parameters)

    def through_network(above: FloatArray) -> tuple[FloatArray, FeedForwardParameters]:
        gradients = feed_forward_backward(above, trace=trace.feed_forward)
        return gradients.x, gradients.parameters

    def through_attention(above: FloatArray) -> tuple[FloatArray, MultiHeadParameters]:
        gradients = multi_head_backward(
            above, trace=trace.attention, turn_back=turn_back
        )
        return gradients.x_q, gradients.parameters

    between, network, norm_2 = step_back(
        upstream, through_network, trace.norm_2, trace.norm
    )
    d_x, attention, norm_1 = step_back(
        between, through_attention, trace.norm_1, trace.norm
    )
    return EncoderLayerGradients(
        x=read_only(d_x),
        parameters=EncoderLayerParameters(attention, network, norm_1, norm_2),
    )
