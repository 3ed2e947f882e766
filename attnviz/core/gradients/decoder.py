"""Gradients of a decoder layer."""

from dataclasses import dataclass
from typing import cast

import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray, expect, read_only
from attnviz.core.attention.multi_head import MultiHeadParameters
from attnviz.core.gradients._steps import step_back
from attnviz.core.gradients._upstream import bind_upstream
from attnviz.core.gradients.feed_forward import feed_forward_backward
from attnviz.core.gradients.multi_head import (
    MultiHeadGradients,
    TurnBack,
    multi_head_backward,
)
from attnviz.core.layers.decoder import DecoderLayerParameters, DecoderLayerTrace
from attnviz.core.layers.network import FeedForwardParameters


@dataclass(frozen=True, slots=True, repr=False)
class DecoderLayerGradients(Record):
    """Gradients of a decoder layer; all arrays are read-only.

    Attributes
    ----------
    x : FloatArray of shape (..., T_q, d)
        Of the targets.
    memory : FloatArray of shape (..., T_k, d)
        Of the encoder's output.
    parameters : DecoderLayerParameters
        Of all learned arrays, each in its own place.
    """

    x: FloatArray
    memory: FloatArray
    parameters: DecoderLayerParameters


def decoder_layer_backward(
    d_output: npt.ArrayLike,
    *,
    trace: DecoderLayerTrace,
    turn_back: TurnBack | None = None,
) -> DecoderLayerGradients:
    """Carry a gradient back through the three steps of a decoder layer.

    Parameters
    ----------
    d_output : array_like of shape (..., T_q, d)
        Gradient with respect to the output.
    trace : DecoderLayerTrace
        What `decoder_layer` returned.
    turn_back : callable, optional
        As in `multi_head_backward`, for the self-attention.

    Returns
    -------
    gradients : DecoderLayerGradients
        Gradients of targets, memory and all learned arrays.

    Raises
    ------
    ShapeError
        If `d_output` has another shape than the output.
    ValueError
        If `turn_back` is not the transpose of what turned.

    Notes
    -----
    The memory is met by the cross-attention alone, as its keys and as its values.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.1,
       differentiated.
    .. [2] Course chapter, decoder layer (R120), differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> from attnviz.core import FeedForwardParameters, decoder_layer
    >>> none = np.zeros((2, 2))
    >>> heads = MultiHeadParameters(w_q=[none], w_k=[none], w_v=[none], w_o=none)
    >>> network = FeedForwardParameters(w_1=none, b_1=[0, 0], w_2=none, b_2=[0, 0])
    >>> silent = DecoderLayerParameters(heads, heads, network)
    >>> trace = decoder_layer(np.eye(2), np.eye(2), parameters=silent, norm="pre")
    >>> decoder_layer_backward([[1.0, 2.0], [3.0, 4.0]], trace=trace).memory
    array([[0., 0.],
           [0., 0.]])
    """
    expect("decoder_layer_backward", "trace", trace, DecoderLayerTrace)
    upstream = bind_upstream(
        "decoder_layer_backward", "d_output", d_output, trace.output
    )

    def through_network(above: FloatArray) -> tuple[FloatArray, FeedForwardParameters]:
        gradients = feed_forward_backward(above, trace=trace.feed_forward)
        return gradients.x, gradients.parameters

    def across(above: FloatArray) -> tuple[FloatArray, MultiHeadGradients]:
        gradients = multi_head_backward(above, trace=trace.cross_attention)
        return gradients.x_q, gradients

    def back(above: FloatArray) -> tuple[FloatArray, MultiHeadParameters]:
        gradients = multi_head_backward(
            above, trace=trace.self_attention, turn_back=turn_back
        )
        return gradients.x_q, gradients.parameters

    third, network, norm_3 = step_back(
        upstream, through_network, trace.norm_3, trace.norm
    )
    second, crossed, norm_2 = step_back(third, across, trace.norm_2, trace.norm)
    d_x, looked_back, norm_1 = step_back(second, back, trace.norm_1, trace.norm)
    return DecoderLayerGradients(
        x=read_only(d_x),
        # The memory was given as inputs of their own.
        memory=cast(FloatArray, crossed.x_k),
        parameters=DecoderLayerParameters(
            looked_back, crossed.parameters, network, norm_1, norm_2, norm_3
        ),
    )
