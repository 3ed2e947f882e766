"""The gradient of a loss at every stage of the layers, from the last to the first."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.attention import MultiHeadTrace, split_heads
from attnviz.core.gradients import (
    feed_forward_backward,
    layer_norm_backward,
    multi_head_backward,
)
from attnviz.core.gradients.feed_forward import activation_slope
from attnviz.core.layers import DecoderLayerTrace, NormTrace
from attnviz.core.layers.network import FeedForwardTrace
from attnviz.example.layer.compute import LayersTrace, LayerTrace
from attnviz.example.layer.gradient_rules import gradient_rules
from attnviz.example.layer.loss import (
    logit_gradient,
    next_words,
    output_gradient,
    vocabulary_for,
)
from attnviz.example.layer.settings import Loss
from attnviz.example.matrices import CROSS

# By name and by what its places begin with, as those of the layers themselves.
Found = dict[tuple[str, Index], FloatArray]


@lru_cache(maxsize=4)
def lay_out_gradients(trace: LayersTrace, loss: Loss, token: int) -> Sheet:
    """Carry the gradient of a loss back through all layers.

    Parameters
    ----------
    loss : {"number", "length", "next"}
        What is to become small.
    token : int
        The position it looks at, counted from 0.

    Returns
    -------
    gradients : Sheet
        A matrix ``grad_name`` for the matrices of each stage, and what they are worked
        out with, with the rules by which their cells come about.

    Raises
    ------
    SettingError
        If the loss needs a vocabulary that is not there.
    """
    found: Found = {}
    above = output_gradient(trace, trace.output, loss, token)
    n_steps = len(trace.settings.sublayers)
    if loss == "next":
        _ends(trace, found)
    if trace.final is not None:
        above = _back_through_norm(trace.final, above, found, "final", ())
        found["grad_final_output", ()] = output_gradient(
            trace, trace.output, loss, token
        )
    found[f"grad_stream_{len(trace.layers) * n_steps}", ()] = above
    for layer in reversed(range(len(trace.layers))):
        for step in reversed(range(n_steps)):
            above = _step_back(trace, (layer, step), above, found)
            found[f"grad_stream_{layer * n_steps + step}", ()] = above
    matrices = _stacked(found)
    matrices["minus_d"] = np.array(-float(trace.x.shape[1]))
    matrices["n_next"] = np.array(float(len(trace.tokens) - 1))
    return Sheet(matrices, rules=gradient_rules(trace, loss))


def _step_back(
    trace: LayersTrace, place: tuple[int, int], above: FloatArray, found: Found
) -> FloatArray:
    """Go back through one sublayer, its sum and its norm."""
    layer, step = place
    now = trace.layers[layer]
    norm: NormTrace = getattr(now, f"norm_{step + 1}")
    if now.norm == "post":
        below = _back_through_norm(norm, above, found, "norm", place)
        found[f"grad_residual_{step + 1}", (layer,)] = below
        return below + _sublayer_back(now, trace, place, below, found)
    taken = _sublayer_back(now, trace, place, above, found)
    found["grad_norm_output", place] = taken
    below = _back_through_norm(norm, taken, found, "norm", place)
    found["grad_norm_input", place] = below
    return above + below


def _sublayer_back(
    layer: LayerTrace,
    trace: LayersTrace,
    place: tuple[int, int],
    above: FloatArray,
    found: Found,
) -> FloatArray:
    """Go back through an attention or a network, to what it takes."""
    at = place[:1]
    sublayer = trace.settings.sublayers[place[1]]
    if sublayer == "network":
        below = _network_back(layer.feed_forward, above, found, at)
        found["grad_ffn_input", at] = below
        return below
    if isinstance(layer, DecoderLayerTrace):
        own = sublayer == "attention"
        heads = layer.self_attention if own else layer.cross_attention
    else:
        heads = layer.attention
    prefix = CROSS if sublayer == "cross" else ""
    below = _heads_back(heads, above, found, at, prefix)
    found[f"grad_{sublayer}_input", at] = below
    return below


def _network_back(
    trace: FeedForwardTrace, above: FloatArray, found: Found, at: Index
) -> FloatArray:
    p, back = trace.parameters, feed_forward_backward(above, trace=trace)
    learned = back.parameters
    found |= {
        ("grad_ffn_output", at): above,
        ("grad_ffn_active", at): above @ p.w_2.T,
        ("ffn_slope", at): activation_slope(trace),
        ("grad_ffn_hidden", at): back.hidden,
        ("grad_w_1", at): learned.w_1,
        ("grad_b_1", at): learned.b_1[None],
        ("grad_w_2", at): learned.w_2,
        ("grad_b_2", at): learned.b_2[None],
    }
    return back.x


def _heads_back(
    trace: MultiHeadTrace, above: FloatArray, found: Found, at: Index, prefix: str
) -> FloatArray:
    """Go back through the heads, stage by stage."""
    p, back = trace.parameters, multi_head_backward(above, trace=trace)
    inner, joined = back.attention, above @ p.w_o.T
    weights = trace.attention.weights
    turned = "" if trace.turn is None else "_turned"
    assert inner.q is not None
    assert inner.k is not None
    stages = {
        "output": above,
        "joined": joined,
        "context": split_heads(joined, p.n_heads),
        "weights": inner.weights,
        "row": (weights * inner.weights).sum(axis=-1, keepdims=True),
        "masked_scores": inner.masked_scores,
        "scores": inner.scores,
        "raw_scores": inner.raw_scores,
        f"q{turned}": inner.q,
        f"k{turned}": inner.k,
        "v": inner.v,
        "w_o": back.parameters.w_o,
    }
    if turned:
        stages |= {"q": _unturned(trace.q_turn, inner.q)}
        stages |= {"k": _unturned(trace.k_turn, inner.k)}
    found |= {(f"grad_{prefix}{name}", at): stage for name, stage in stages.items()}
    return back.x_q


def _unturned(turn: FloatArray | None, turned: FloatArray) -> FloatArray:
    """Carry a gradient of turned queries or keys back to what they were."""
    assert turn is not None
    found: FloatArray = (turn @ turned[..., None])[..., 0]
    return found


def _back_through_norm(
    norm: NormTrace, above: FloatArray, found: Found, kind: str, at: Index
) -> FloatArray:
    """Go back through a norm, with the two means that its gradient needs."""
    back = layer_norm_backward(above, trace=norm)
    inner = norm.gamma * above
    end = "" if kind == "norm" else "final_"
    found |= {
        (f"grad_{kind}_normalized", at): inner,
        (f"grad_{kind}_shift", at): -inner.mean(axis=-1, keepdims=True),
        (f"grad_{kind}_along", at): -(inner * norm.normalized).mean(-1, keepdims=True),
        (f"grad_{end}gamma", at): back.gamma[None],
        (f"grad_{end}beta", at): back.beta[None],
    }
    return back.x


def _ends(trace: LayersTrace, found: Found) -> None:
    """Begin at the scores of the words."""
    scores = logit_gradient(trace, vocabulary_for(trace).probabilities)
    found |= {
        ("grad_logits", ()): scores,
        ("next_word", ()): next_words(trace),
        ("grad_w_vocab", ()): scores.T @ trace.output,
        ("grad_b_vocab", ()): scores.sum(axis=0)[None],
    }


def _stacked(found: Mapping[tuple[str, Index], FloatArray]) -> dict[str, FloatArray]:
    """Put the gradients of all layers on top of each other."""
    groups: dict[str, dict[Index, FloatArray]] = {}
    for (name, place), matrix in found.items():
        groups.setdefault(name, {})[place] = matrix
    stacked = {}
    for name, group in groups.items():
        whole = np.stack([group[place] for place in sorted(group)])
        counts = tuple(1 + most for most in max(group))
        stacked[name] = whole.reshape(*counts, *whole.shape[1:]) if counts else whole[0]
    return stacked
