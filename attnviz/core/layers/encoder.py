"""The encoder layer: self-attention, then a network for each position."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    as_floats,
    expect,
    read_only,
)
from attnviz.core.arrays.sheet import Sheet, numbers_of
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
class EncoderLayerParameters(Record):
    """The learned arrays of an encoder layer.

    Attributes
    ----------
    attention : MultiHeadParameters
        Self-attention.
    feed_forward : FeedForwardParameters
        Position-wise network.
    norm_1, norm_2 : NormParameters
        Normalization of the attention step and of the feed-forward step.
    """

    attention: MultiHeadParameters
    feed_forward: FeedForwardParameters
    norm_1: NormParameters = field(default_factory=NormParameters)
    norm_2: NormParameters = field(default_factory=NormParameters)

    def __post_init__(self) -> None:
        """Refuse what are no parameters of the right kind, with a TypeError."""
        name = "EncoderLayerParameters"
        expect(name, "attention", self.attention, MultiHeadParameters)
        expect(name, "feed_forward", self.feed_forward, FeedForwardParameters)
        for norm in ("norm_1", "norm_2"):
            expect(name, norm, getattr(self, norm), NormParameters)


@dataclass(frozen=True, slots=True, repr=False)
class EncoderLayerTrace(Record):
    """Every stage of an encoder layer; all arrays are read-only.

    With ``norm="post"`` each norm takes its residual and hands on its output; with
    ``norm="pre"`` it takes what enters the step, and the residual is handed on.

    Attributes
    ----------
    x : FloatArray of shape (..., T, d)
        Input, as given.
    attention : MultiHeadTrace
        Self-attention.
    residual_1 : FloatArray of shape (..., T, d)
        Input of the attention step plus what the attention gave.
    norm_1 : NormTrace
        Normalization of the attention step.
    feed_forward : FeedForwardTrace
        Position-wise network.
    residual_2 : FloatArray of shape (..., T, d)
        Input of the feed-forward step plus what the network gave.
    norm_2 : NormTrace
        Normalization of the feed-forward step.
    output : FloatArray of shape (..., T, d)
        What leaves the layer.
    norm : {"post", "pre"}
        Where the norms stand.
    parameters : EncoderLayerParameters
        The learned arrays.

    Examples
    --------
    >>> import numpy as np
    >>> eye = np.eye(2)
    >>> heads = MultiHeadParameters(w_q=[eye], w_k=[eye], w_v=[eye], w_o=eye)
    >>> network = FeedForwardParameters(w_1=eye, b_1=[0, 0], w_2=eye, b_2=[0, 0])
    >>> trace = encoder_layer(eye, parameters=EncoderLayerParameters(heads, network))
    >>> np.array_equal(trace.residual_1, trace.x + trace.attention.output)
    True
    """

    x: FloatArray
    attention: MultiHeadTrace
    residual_1: FloatArray
    norm_1: NormTrace
    feed_forward: FeedForwardTrace
    residual_2: FloatArray
    norm_2: NormTrace
    output: FloatArray
    norm: NormPlace
    parameters: EncoderLayerParameters

    def sheet(self) -> Sheet:
        """Lay out the matrices for derivations, step by step."""
        names = ("attention", "norm_1", "feed_forward", "norm_2")
        return Sheet(
            numbers_of(self),
            parts={name: getattr(self, name).sheet() for name in names},
            sources=step_sources(
                self.norm,
                ("attention.x", "attention.output"),
                ("feed_forward.ffn_input", "feed_forward.ffn_output"),
            ),
        )


def encoder_layer(
    x: npt.ArrayLike,
    *,
    parameters: EncoderLayerParameters,
    norm: NormPlace = "post",
    activation: Activation = "relu",
    eps: float = 1e-5,
    visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    bias: npt.ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    temperature: float = 1.0,
    turn: Callable[[FloatArray], FloatArray] | None = None,
) -> EncoderLayerTrace:
    r"""Let positions attend to each other, then send each through a network.

    Parameters
    ----------
    x : array_like of shape (..., T, d)
        Positions.
    parameters : EncoderLayerParameters
        The learned arrays.
    norm : {"post", "pre"}, default="post"
        Normalize after each residual, as first published, or before each sublayer,
        which leaves a clear path for the input. A stack of "pre" layers needs one
        more norm at its end.
    activation : {"relu", "gelu", "gelu_tanh"}, default="relu"
        As in `feed_forward`.
    eps : float, default=1e-5
        As in `layer_norm`.
    visible, query_valid, bias, scale, softcap, temperature, turn : optional
        As in `multi_head_attend`. Without `visible` every position sees every other.

    Returns
    -------
    trace : EncoderLayerTrace
        Every stage of both steps.

    Raises
    ------
    ShapeError
        If an argument does not fit, or attention gives back another width.
    MaskError
        As in `attend`.
    EmptyRowError
        As in `attend`.
    ValueError
        If a number or a name is out of its range.

    Notes
    -----
    .. math:: \text{post:}\quad X' = \mathrm{LN}(X + \mathrm{MHA}(X)), \quad
       Y = \mathrm{LN}(X' + \mathrm{FFN}(X'))
    .. math:: \text{pre:}\quad X' = X + \mathrm{MHA}(\mathrm{LN}(X)), \quad
       Y = X' + \mathrm{FFN}(\mathrm{LN}(X'))

    There is no dropout: the same input gives the same output.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.1 (post).
    .. [2] Xiong et al., "On Layer Normalization in the Transformer Architecture",
       2020, table 1 (pre).
    .. [3] Course chapter, formula F12.

    Examples
    --------
    >>> import numpy as np
    >>> eye = np.eye(2)
    >>> layer = EncoderLayerParameters(
    ...     MultiHeadParameters(w_q=[eye], w_k=[eye], w_v=[eye], w_o=eye),
    ...     FeedForwardParameters(w_1=eye, b_1=[0, 0], w_2=eye, b_2=[0, 0]),
    ... )
    >>> trace = encoder_layer(eye, parameters=layer, norm="pre")
    >>> trace.norm_1.output.round(2), trace.output.round(2)
    (array([[ 1., -1.],
           [-1.,  1.]]), array([[ 2.89, -0.89],
           [-0.89,  2.89]]))
    """
    expect("encoder_layer", "parameters", parameters, EncoderLayerParameters)
    (rows,) = as_floats("encoder_layer", x=x)
    step = Steps("encoder_layer", norm, eps)

    def look(asking: FloatArray) -> MultiHeadTrace:
        return multi_head_attend(
            asking,
            parameters=parameters.attention,
            visible=visible,
            query_valid=query_valid,
            bias=bias,
            scale=scale,
            softcap=softcap,
            temperature=temperature,
            turn=turn,
        )

    first = step.take(rows, look, parameters.norm_1)
    second = step.take(
        first.output,
        partial(parameters.feed_forward.apply, activation=activation),
        parameters.norm_2,
    )
    return EncoderLayerTrace(
        x=read_only(rows),
        attention=first.inner,
        residual_1=first.residual,
        norm_1=first.norm,
        feed_forward=second.inner,
        residual_2=second.residual,
        norm_2=second.norm,
        output=second.output,
        norm=norm,
        parameters=parameters,
    )
