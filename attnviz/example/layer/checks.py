"""What layers must satisfy, measured on those on screen.

Each measure takes what it judges as a function or an array, so that a faulty one can be
put in its place.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.checks import Check
from attnviz.core.checks._measures import not_applicable, worst
from attnviz.core.gradients import decoder_layer_backward
from attnviz.core.layers import DecoderLayerTrace, NormTrace
from attnviz.example.layer.compute import LayersTrace, runner_of
from attnviz.example.sources.drawn import MAX_LENGTH, MAX_WIDTH

CHECKS = ("moments", "own_row", "later", "sources", "identity", "repeat")
Run = Callable[[FloatArray], FloatArray]
# Sums of d numbers of size 1, each rounded.
_TOLERANCE = 1e-12
# A smaller weight is lost in the sum with the others.
_FELT = np.finfo(np.float64).eps


@lru_cache(maxsize=4)
def check_layers(trace: LayersTrace) -> tuple[Check, ...]:
    """Check the layers on screen, in the order of CHECKS."""
    # What holds of the last layer holds of each: the others cost a reader's time.
    last = trace.layers[-1]

    runner = runner_of(trace)

    def run(x: FloatArray) -> FloatArray:
        return runner.run_last(x).output

    def silenced(x: FloatArray) -> FloatArray:
        return runner.run_last(x, is_silent=True).output

    norm = trace.final
    if norm is None and last.norm == "post":
        norm = getattr(last, f"norm_{len(trace.settings.sublayers)}")
    network = last.feed_forward
    return (
        check_moments(norm, None if norm is None else norm.output),
        check_own_row(
            network.x, lambda x: network.parameters.apply(x, network.activation).output
        ),
        check_later(last.x, last.output, run, is_causal=_is_causal(trace)),
        _sources(trace),
        check_identity(last.x, silenced, is_identity=last.norm == "pre"),
        check_repeat(last.x, last.output, run),
    )


def check_moments(norm: NormTrace | None, output: FloatArray | None) -> Check:
    """Measure how far the last norm's positions are from mean 0 and their mean square.

    Parameters
    ----------
    norm : NormTrace or None
        The last norm of the stack; None where the stream leaves it as it is.
    output : FloatArray of shape (T, d) or None
        What came out.
    """
    if norm is None or output is None:
        return not_applicable("moments")
    wanted = norm.variance / (norm.variance + norm.eps)
    off = np.maximum(
        np.abs(output.mean(axis=-1)),
        np.abs(np.square(output).mean(axis=-1) - wanted),
    )
    return worst("moments", off, _TOLERANCE)


def check_own_row(x: FloatArray, network: Run) -> Check:
    """Change the last position: a network gives the others what it gave before."""
    if len(x) == 1:
        return not_applicable("own_row")
    change = np.abs(network(_disturbed(x)) - network(x))[:-1].max(axis=-1)
    return worst("own_row", change, 0)


def check_later(
    x: FloatArray, output: FloatArray, run: Run, *, is_causal: bool
) -> Check:
    """Change the last position: those before it do not notice."""
    if len(x) == 1 or not is_causal:
        return not_applicable("later")
    change = np.abs(run(_disturbed(x)) - output)[:-1].max(axis=-1)
    return worst("later", change, 0)


def check_identity(x: FloatArray, silenced: Run, *, is_identity: bool) -> Check:
    """Let every sublayer give 0: what is added to nothing stays as it is.

    Parameters
    ----------
    silenced : callable
        The layers without their sublayers.
    is_identity : bool
        Whether the norms stand where the stream does not go through them.
    """
    change = np.abs(silenced(x) - x)
    if not is_identity:
        return Check("identity", "convention", float(change.max()), None, None)
    return worst("identity", change, 0)


def check_repeat(x: FloatArray, output: FloatArray, run: Run) -> Check:
    """Go through a layer once more: nothing is drawn at random on the way."""
    return worst("repeat", run(x) - output, 0)


def check_sources(answers: FloatArray, weights: FloatArray, seen: BoolArray) -> Check:
    """Find the row of the memory to which the output answers least.

    Parameters
    ----------
    answers : FloatArray of shape (T_k,)
        The largest gradient at each row.
    weights : FloatArray of shape (H, T, T_k)
        What each row counts for the cross-attention.
    seen : BoolArray of shape (T_k,)
        Which rows some position may see.
    """
    rows = np.flatnonzero(seen)
    least = int(rows[answers[rows].argmin()])
    if answers[least] > 0:
        return Check("sources", "pass", float(answers[least]), None, None)
    counts = weights.max(axis=(0, 1)) > _FELT
    deaf = rows[(answers[rows] == 0) & counts[rows]]
    if deaf.size:
        return Check("sources", "fail", 0.0, None, (int(deaf[0]),))
    return Check("sources", "convention", 0.0, None, (least,))


def _sources(trace: LayersTrace) -> Check:
    last = trace.layers[-1]
    is_open = not trace.settings.is_zeroed("cross")
    # A norm over a single feature gives 0, whatever it takes.
    is_erased = last.norm == "post" and last.output.shape[1] == 1
    if not isinstance(last, DecoderLayerTrace) or not is_open or is_erased:
        return not_applicable("sources")
    shape = last.output.shape
    above = draw(0, "answer", (MAX_LENGTH, MAX_WIDTH))[: shape[0], : shape[1]]
    answers = np.abs(decoder_layer_backward(above, trace=last).memory).max(axis=-1)
    cross = last.cross_attention.attention
    seen = np.logical_or.reduce(cross.visible.reshape(-1, len(answers)))
    return check_sources(answers, cross.weights, seen)


def _is_causal(trace: LayersTrace) -> bool:
    """Tell whether no position sees a later one, in no layer."""
    name = "self_attention" if trace.memory is not None else "attention"
    visible = getattr(trace.layers[0], name).attention.visible
    return not np.triu(visible, 1).any()


def _disturbed(x: FloatArray) -> FloatArray:
    """Change the last position."""
    changed = x.copy()
    changed[-1] += draw(0, "disturbance", (MAX_WIDTH,))[: x.shape[1]]
    return changed
