"""The position-wise network of a Transformer layer, with every stage kept."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    FloatArray,
    as_floats,
    bind_shapes,
    choice,
    float_views,
    quiet,
    read_only,
)
from attnviz.core.arrays.sheet import Sheet, numbers_of

Activation = Literal["relu", "gelu", "gelu_tanh"]
_ON_SCREEN: Mapping[str, str] = MappingProxyType(
    {"x": "ffn_input", "output": "ffn_output"}
)


@dataclass(frozen=True, slots=True, repr=False)
class FeedForwardParameters(Record):
    """The learned arrays of a feed-forward network; all are read-only copies.

    Attributes
    ----------
    w_1 : FloatArray of shape (d, d_ff)
        Matrix into the hidden layer.
    b_1 : FloatArray of shape (d_ff,)
        Bias of the hidden layer.
    w_2 : FloatArray of shape (d_ff, d)
        Matrix out of the hidden layer.
    b_2 : FloatArray of shape (d,)
        Bias of the output.

    Examples
    --------
    >>> FeedForwardParameters(w_1=[[1.0, -1.0]], b_1=[0, 0], w_2=[[1], [2]], b_2=[3])
    FeedForwardParameters(w_1=(1, 2), b_1=(2,), w_2=(2, 1), b_2=(1,); float64)
    """

    w_1: FloatArray
    b_1: FloatArray
    w_2: FloatArray
    b_2: FloatArray

    def __post_init__(self) -> None:
        """Keep copies of one floating type, and check their sizes.

        Raises
        ------
        ShapeError
            If two arrays disagree.
        """
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        copies = as_floats("FeedForwardParameters", **given)
        w_1, b_1, w_2, b_2 = copies
        _bind("FeedForwardParameters", w_1, b_1, w_2, b_2)
        for name, array in zip(given, copies, strict=True):
            object.__setattr__(self, name, read_only(array))

    @quiet
    def apply(self, x: npt.ArrayLike, activation: Activation) -> "FeedForwardTrace":
        """Send positions of shape (..., T, d) through the network."""
        rows, into, first, out, second = float_views(
            "feed_forward", x=x, w_1=self.w_1, b_1=self.b_1, w_2=self.w_2, b_2=self.b_2
        )
        _bind("feed_forward", into, first, out, second, x=(rows, "T d"))
        hidden = rows @ into + first
        activated = activate(hidden, activation)
        return FeedForwardTrace(
            x=read_only(rows.copy()),
            hidden=read_only(hidden),
            activated=read_only(activated),
            output=read_only(activated @ out + second),
            activation=activation,
            parameters=self,
        )


@dataclass(frozen=True, slots=True, repr=False)
class FeedForwardTrace(Record):
    """Every stage of a feed-forward network; all arrays are read-only.

    Attributes
    ----------
    x : FloatArray of shape (..., T, d)
        Input, as given.
    hidden : FloatArray of shape (..., T, d_ff)
        x W_1 + b_1.
    activated : FloatArray of shape (..., T, d_ff)
        φ(hidden).
    output : FloatArray of shape (..., T, d)
        activated W_2 + b_2.
    activation : str
        Name of φ.
    parameters : FeedForwardParameters
        Matrices and biases.
    """

    x: FloatArray
    hidden: FloatArray
    activated: FloatArray
    output: FloatArray
    activation: Activation
    parameters: FeedForwardParameters

    def sheet(self) -> Sheet:
        """Lay out the matrices for derivations."""
        return Sheet(
            numbers_of(self, _ON_SCREEN) | numbers_of(self.parameters),
            _ON_SCREEN,
            sources={"activated": ("hidden",)},
            operators={"activated": self.activation},
        )


def feed_forward(
    x: npt.ArrayLike,
    *,
    w_1: npt.ArrayLike,
    b_1: npt.ArrayLike,
    w_2: npt.ArrayLike,
    b_2: npt.ArrayLike,
    activation: Activation = "relu",
) -> FeedForwardTrace:
    r"""Send each position through the same small network.

    Parameters
    ----------
    x : array_like of shape (..., T, d)
        Positions; none sees another.
    w_1 : array_like of shape (d, d_ff)
        Matrix into the hidden layer.
    b_1 : array_like of shape (d_ff,)
        Bias of the hidden layer.
    w_2 : array_like of shape (d_ff, d)
        Matrix out of the hidden layer.
    b_2 : array_like of shape (d,)
        Bias of the output.
    activation : {"relu", "gelu", "gelu_tanh"}, default="relu"
        What stands between the two matrices, as in `activate`.

    Returns
    -------
    trace : FeedForwardTrace
        Hidden layer before and after the activation, and the output.

    Raises
    ------
    ShapeError
        If two arguments disagree about a dimension.
    ValueError
        If the activation has another name.

    Notes
    -----
    .. math:: \mathrm{FFN}(X) = \varphi(X W_1 + \mathbf{1} b_1^\top)\, W_2
       + \mathbf{1} b_2^\top

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, eq. 2.
    .. [2] Course chapter, formula F11.

    Examples
    --------
    >>> trace = feed_forward(
    ...     [[1.0], [-1.0]], w_1=[[1.0, -1.0]], b_1=[0, 0], w_2=[[1.0], [2.0]], b_2=[3]
    ... )
    >>> trace.activated, trace.output
    (array([[1., 0.],
           [0., 1.]]), array([[4.],
           [5.]]))
    """
    rows, *learned = float_views(
        "feed_forward", x=x, w_1=w_1, b_1=b_1, w_2=w_2, b_2=b_2
    )
    _bind("feed_forward", *learned, x=(rows, "T d"))
    return FeedForwardParameters(*learned).apply(rows, activation)


def activate(x: npt.ArrayLike, activation: Activation) -> FloatArray:
    r"""Apply a non-linear function to each number.

    Parameters
    ----------
    x : array_like of any shape
        Numbers.
    activation : {"relu", "gelu", "gelu_tanh"}
        max(x, 0); x Φ(x) with the exact normal distribution; or its approximation by
        a hyperbolic tangent, which differs by less than 0.001.

    Returns
    -------
    activated : FloatArray of the shape of x
        Results in the dtype of `x`.

    Raises
    ------
    ShapeError
        If `x` does not hold real numbers.
    ValueError
        If the activation has another name.

    References
    ----------
    .. [1] Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2.

    Examples
    --------
    >>> activate([-1.0, 0.0, 1.0], "gelu").round(6)
    array([-0.158655,  0.      ,  0.841345])
    """
    choice("activate", "activation", activation, ("relu", "gelu", "gelu_tanh"))
    (array,) = as_floats("activate", x=x)
    wide = array.astype(np.promote_types(array.dtype, np.float32), copy=False)
    if activation == "relu":
        return np.maximum(array, 0)
    # Not −∞, of which nothing would be NaN.
    wide = np.maximum(wide, np.finfo(wide.dtype).min)
    if activation == "gelu":
        share = _erfc(wide / -math.sqrt(2))
    else:
        with np.errstate(over="ignore"):
            share = 1 + np.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3))
    activated: FloatArray = wide * (share / 2)
    return activated.astype(array.dtype, copy=False)


def _erfc(x: FloatArray) -> FloatArray:
    """1 less the error function of each number, without cancelling; NumPy has none."""
    result: FloatArray = np.vectorize(math.erfc, otypes=[x.dtype])(x)
    return result


def _bind(
    operation: str,
    w_1: FloatArray,
    b_1: FloatArray,
    w_2: FloatArray,
    b_2: FloatArray,
    **inputs: tuple[FloatArray, str],
) -> None:
    bind_shapes(
        operation,
        **inputs,
        w_1=(w_1, "(d d_ff)"),
        b_1=(b_1, "(d_ff)"),
        w_2=(w_2, "(d_ff d)"),
        b_2=(b_2, "(d)"),
    )
