"""Mistakes and conventions in a position-wise network."""

from collections.abc import Mapping

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.layers.network import Activation, FeedForwardTrace, activate

Layers = Mapping[str, FloatArray]
"""The hidden layer after its activation, and the output, by name."""


def other_gelu(trace: FeedForwardTrace, *, sigmoid: bool = False) -> Layers | None:
    """Use another form of GELU.

    Parameters
    ----------
    trace : FeedForwardTrace
        The right computation.
    sigmoid : bool, default=False
        Whether it is h·σ(1.702h), instead of Φ or its approximation by tanh, whichever
        was not asked for.

    Returns
    -------
    layers : mapping of str to FloatArray, or None
        Differs by less than 0.021; None where no GELU was asked for.
    """
    if trace.activation == "relu":
        return None
    if sigmoid:
        hidden = trace.hidden
        return _from(trace, hidden * (1 + np.tanh(0.851 * hidden)) / 2)
    other: Activation = "gelu" if trace.activation == "gelu_tanh" else "gelu_tanh"
    return _from(trace, activate(trace.hidden, other))


def other_activation(trace: FeedForwardTrace) -> Layers:
    """Use GELU for ReLU, or ReLU for GELU.

    Parameters
    ----------
    trace : FeedForwardTrace
        The right computation.

    Returns
    -------
    layers : mapping of str to FloatArray
        Differs most near 0.
    """
    other: Activation = "gelu" if trace.activation == "relu" else "relu"
    return _from(trace, activate(trace.hidden, other))


def activation_left_out(trace: FeedForwardTrace) -> Layers:
    """Put nothing between the two matrices.

    Parameters
    ----------
    trace : FeedForwardTrace
        The right computation.

    Returns
    -------
    layers : mapping of str to FloatArray
        A single linear map.
    """
    return _from(trace, trace.hidden)


def activation_at_the_end(trace: FeedForwardTrace) -> Layers:
    """Activate the output as well.

    Parameters
    ----------
    trace : FeedForwardTrace
        The right computation.

    Returns
    -------
    layers : mapping of str to FloatArray
        With ReLU, nothing below 0.
    """
    output = activate(trace.output, trace.activation)
    return {"activated": trace.activated, "output": output}


def bias_left_out(trace: FeedForwardTrace, *, first: bool) -> Layers | None:
    """Leave out the bias of the hidden layer, or of the output.

    Parameters
    ----------
    trace : FeedForwardTrace
        The right computation.
    first : bool
        Whether it is that of the hidden layer.

    Returns
    -------
    layers : mapping of str to FloatArray, or None
        None where the bias is 0.
    """
    p = trace.parameters
    if not (p.b_1 if first else p.b_2).any():
        return None
    if first:
        return _from(trace, activate(trace.hidden - p.b_1, trace.activation))
    return {"activated": trace.activated, "output": trace.output - p.b_2}


def residual_added(trace: FeedForwardTrace) -> Layers:
    """Add the input to the output, as the layer around it does.

    Parameters
    ----------
    trace : FeedForwardTrace
        The right computation.

    Returns
    -------
    layers : mapping of str to FloatArray
        X + FFN(X).
    """
    return {"activated": trace.activated, "output": trace.x + trace.output}


def _from(trace: FeedForwardTrace, activated: FloatArray) -> Layers:
    """Go on from another hidden layer."""
    p = trace.parameters
    return {"activated": activated, "output": activated @ p.w_2 + p.b_2}
