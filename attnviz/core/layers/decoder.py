"""The decoder layer: attention to earlier targets, to the memory, then a network."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    as_floats,
    bind_shapes,
    expect,
    read_only,
)
from attnviz.core.arrays.sheet import Sheet, numbers_of
from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.multi_head import (
    MultiHeadParameters,
    MultiHeadTrace,
    multi_head_attend,
)
from attnviz.core.layers._steps import Steps, step_sources
from attnviz.core.layers.network import (
    Activation,
    FeedForwardParameters,
    FeedForwardTrace,
)
from attnviz.core.layers.norms import NormParameters, NormPlace, NormTrace


@dataclass(frozen=True, slots=True, repr=False)
class DecoderLayerParameters(Record):
    """The learned arrays of a decoder layer.

    Attributes
    ----------
    self_attention : MultiHeadParameters
        Attention among the targets.
    cross_attention : MultiHeadParameters
        Attention from the targets to the memory.
    feed_forward : FeedForwardParameters
        Position-wise network.
    norm_1, norm_2, norm_3 : NormParameters
        Normalization of the three steps, in this order.

    Examples
    --------
    >>> import numpy as np
    >>> eye = np.eye(2)
    >>> heads = MultiHeadParameters(w_q=[eye], w_k=[eye], w_v=[eye], w_o=eye)
    >>> network = FeedForwardParameters(w_1=eye, b_1=[0, 0], w_2=eye, b_2=[0, 0])
    >>> DecoderLayerParameters(heads, heads, network).norm_3
    NormParameters(gamma=None, beta=None)
    """

    self_attention: MultiHeadParameters
    cross_attention: MultiHeadParameters
    feed_forward: FeedForwardParameters
    norm_1: NormParameters = field(default_factory=NormParameters)
    norm_2: NormParameters = field(default_factory=NormParameters)
    norm_3: NormParameters = field(default_factory=NormParameters)

    def __post_init__(self) -> None:
        """Refuse what are no parameters of the right kind, with a TypeError."""
        name = "DecoderLayerParameters"
        for heads in ("self_attention", "cross_attention"):
            expect(name, heads, getattr(self, heads), MultiHeadParameters)
        expect(name, "feed_forward", self.feed_forward, FeedForwardParameters)
        for norm in ("norm_1", "norm_2", "norm_3"):
            expect(name, norm, getattr(self, norm), NormParameters)


@dataclass(frozen=True, slots=True, repr=False)
class DecoderLayerTrace(Record):
    """Every stage of a decoder layer; all arrays are read-only.

    Norms and residuals are to be read as in `EncoderLayerTrace`.

    Attributes
    ----------
    x : FloatArray of shape (..., T_q, d)
        Targets, as given.
    memory : FloatArray of shape (..., T_k, d)
        Output of the encoder, as given.
    self_attention : MultiHeadTrace
        Attention among the targets.
    residual_1 : FloatArray of shape (..., T_q, d)
        Input of the self-attention step plus what it gave.
    norm_1 : NormTrace
        Normalization of the self-attention step.
    cross_attention : MultiHeadTrace
        Attention from the targets to the memory.
    residual_2 : FloatArray of shape (..., T_q, d)
        Input of the cross-attention step plus what it gave.
    norm_2 : NormTrace
        Normalization of the cross-attention step.
    feed_forward : FeedForwardTrace
        Position-wise network.
    residual_3 : FloatArray of shape (..., T_q, d)
        Input of the feed-forward step plus what the network gave.
    norm_3 : NormTrace
        Normalization of the feed-forward step.
    output : FloatArray of shape (..., T_q, d)
        What leaves the layer.
    norm : {"post", "pre"}
        Where the norms stand.
    parameters : DecoderLayerParameters
        The learned arrays.

    Examples
    --------
    >>> import numpy as np
    >>> eye = np.eye(2)
    >>> heads = MultiHeadParameters(w_q=[eye], w_k=[eye], w_v=[eye], w_o=eye)
    >>> network = FeedForwardParameters(w_1=eye, b_1=[0, 0], w_2=eye, b_2=[0, 0])
    >>> layer = DecoderLayerParameters(heads, heads, network)
    >>> trace = decoder_layer(eye, [[1.0, 3.0]], parameters=layer)
    >>> trace.cross_attention.attention.weights.shape
    (1, 2, 1)
    """

    x: FloatArray
    memory: FloatArray
    self_attention: MultiHeadTrace
    residual_1: FloatArray
    norm_1: NormTrace
    cross_attention: MultiHeadTrace
    residual_2: FloatArray
    norm_2: NormTrace
    feed_forward: FeedForwardTrace
    residual_3: FloatArray
    norm_3: NormTrace
    output: FloatArray
    norm: NormPlace
    parameters: DecoderLayerParameters

    def sheet(self) -> Sheet:
        """Lay out the matrices for derivations, step by step."""
        names = ("self_attention", "cross_attention", "feed_forward")
        norms = ("norm_1", "norm_2", "norm_3")
        sources = step_sources(
            self.norm,
            ("self_attention.x", "self_attention.output"),
            ("cross_attention.x_q", "cross_attention.output"),
            ("feed_forward.ffn_input", "feed_forward.ffn_output"),
        )
        return Sheet(
            numbers_of(self),
            parts={name: getattr(self, name).sheet() for name in (*names, *norms)},
            sources={**sources, "cross_attention.x_k": ("memory",)},
        )


def decoder_layer(
    x: npt.ArrayLike,
    memory: npt.ArrayLike,
    *,
    parameters: DecoderLayerParameters,
    norm: NormPlace = "post",
    activation: Activation = "relu",
    eps: float = 1e-5,
    visible: BoolArray | None = None,
    memory_visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
    turn: Callable[[FloatArray], FloatArray] | None = None,
) -> DecoderLayerTrace:
    """Let targets attend to earlier targets, then to the memory, then to themselves.

    Parameters
    ----------
    x : array_like of shape (..., T_q, d)
        Targets.
    memory : array_like of shape (..., T_k, d)
        Output of the encoder.
    parameters : DecoderLayerParameters
        The learned arrays.
    norm, activation, eps : optional
        As in `encoder_layer`.
    visible : BoolArray of shape (..., H, T_q, T_q), optional
        Which target sees which; only itself and earlier ones if left out. What is
        given here replaces that rule, so combine it with `causal_mask` where needed.
    memory_visible : BoolArray of shape (..., H, T_q, T_k), optional
        Which memory position each target sees; every one if left out.
    query_valid : BoolArray of shape (..., T_q), optional
        False where a target is padding, as in `multi_head_attend`.
    scale, temperature : optional
        As in `attend`, for both attentions.
    turn : callable, optional
        Turns queries and keys of the self-attention, as in `multi_head_attend`.

    Returns
    -------
    trace : DecoderLayerTrace
        Every stage of the three steps.

    Raises
    ------
    ShapeError
        If an argument does not fit, or an attention gives back another width.
    MaskError
        As in `attend`.
    EmptyRowError
        As in `attend`.
    ValueError
        If a number or a name is out of its range.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.1.
    .. [2] Course chapter, decoder layer (R120).

    Examples
    --------
    >>> import numpy as np
    >>> eye = np.eye(2)
    >>> heads = MultiHeadParameters(w_q=[eye], w_k=[eye], w_v=[eye], w_o=eye)
    >>> network = FeedForwardParameters(w_1=eye, b_1=[0, 0], w_2=eye, b_2=[0, 0])
    >>> layer = DecoderLayerParameters(heads, heads, network)
    >>> trace = decoder_layer(eye, [[1.0, 3.0]], parameters=layer, norm="pre")
    >>> trace.self_attention.attention.weights[0].round(2)
    array([[1.  , 0.  ],
           [0.06, 0.94]])
    """
    expect("decoder_layer", "parameters", parameters, DecoderLayerParameters)
    targets, sources = as_floats("decoder_layer", x=x, memory=memory)
    sizes = bind_shapes(
        "decoder_layer", x=(targets, "T_q d"), memory=(sources, "T_k d")
    )
    step = Steps("decoder_layer", norm, eps)

    def look_back(asking: FloatArray) -> MultiHeadTrace:
        return multi_head_attend(
            asking,
            parameters=parameters.self_attention,
            visible=causal_mask(sizes["T_q"]) if visible is None else visible,
            query_valid=query_valid,
            scale=scale,
            temperature=temperature,
            turn=turn,
        )

    def look_across(asking: FloatArray) -> MultiHeadTrace:
        return multi_head_attend(
            asking,
            sources,
            parameters=parameters.cross_attention,
            visible=memory_visible,
            query_valid=query_valid,
            scale=scale,
            temperature=temperature,
        )

    first = step.take(targets, look_back, parameters.norm_1)
    second = step.take(first.output, look_across, parameters.norm_2)
    third = step.take(
        second.output,
        partial(parameters.feed_forward.apply, activation=activation),
        parameters.norm_3,
    )
    return DecoderLayerTrace(
        x=read_only(targets),
        memory=read_only(sources),
        self_attention=first.inner,
        residual_1=first.residual,
        norm_1=first.norm,
        cross_attention=second.inner,
        residual_2=second.residual,
        norm_2=second.norm,
        feed_forward=third.inner,
        residual_3=third.residual,
        norm_3=third.norm,
        output=third.output,
        norm=norm,
        parameters=parameters,
    )
