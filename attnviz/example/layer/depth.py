"""How the stream grows with depth, with norms behind sums or before sublayers."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.gradients import decoder_layer_backward, encoder_layer_backward
from attnviz.core.layers import DecoderLayerTrace, NormPlace, layer_norm
from attnviz.example.layer.compute import LayersTrace, compute_layers, runner_of
from attnviz.example.layer.loss import output_gradient
from attnviz.example.layer.settings import MAX_LAYERS, LayerExample, Loss
from attnviz.example.settings import Example

# A pre-norm stack as small as can be: four numbers, and a sublayer that triples.
CASE = (1.0, 2.0, 3.0, 6.0)


def triple(rows: FloatArray) -> FloatArray:
    """Stand for a sublayer whose answer is easy to follow."""
    return 3 * rows


@dataclass(frozen=True, slots=True)
class Depth:
    """The spread of the stream after 0, 1, …, 6 layers.

    Attributes
    ----------
    post, pre : tuple of float
        With norms behind the sums, and before the sublayers.
    final : tuple of float
        As `pre`, behind one more norm.
    """

    post: tuple[float, ...]
    pre: tuple[float, ...]
    final: tuple[float, ...]


def spread(rows: FloatArray) -> float:
    """Measure how far numbers lie from the mean of their own position.

    Returns
    -------
    spread : float
        Root of the mean, over all positions, of their variances.
    """
    return float(np.sqrt(rows.var(axis=-1).mean()))


def depth_of(trace: LayersTrace) -> Depth:
    """Send the inputs of a trace through as many layers as there can be."""
    same = replace(
        trace.settings,
        place="post",
        n_layers=1,
        has_final_norm=False,
        has_vocabulary=False,
        ties_vocabulary=False,
        words="",
    )
    return _depth(trace.source.example, same)


@remember(200_000)
def _depth(example: Example, settings: LayerExample) -> Depth:
    trace = compute_layers(example, settings)
    runner = runner_of(trace)

    def streams(place: NormPlace) -> list[FloatArray]:
        layers = runner.run(trace.x, MAX_LAYERS, place=place)
        return [trace.x, *(layer.output for layer in layers)]

    pre = streams("pre")
    return Depth(
        post=tuple(map(spread, streams("post"))),
        pre=tuple(map(spread, pre)),
        final=tuple(spread(layer_norm(rows).output) for rows in pre),
    )


def stack(
    x: FloatArray,
    sublayer: Callable[[FloatArray], FloatArray],
    n_blocks: int,
    place: NormPlace,
) -> list[FloatArray]:
    """Give the stream of residual blocks with one sublayer each.

    Parameters
    ----------
    x : FloatArray of shape (..., d)
        What enters.
    sublayer : callable
        What each block adds of its input.
    place : {"post", "pre"}
        Where the norms stand.

    Returns
    -------
    streams : list of FloatArray
        x, and what leaves each block.
    """
    found = [x]
    for _ in range(n_blocks):
        now = found[-1]
        if place == "pre":
            found.append(now + sublayer(layer_norm(now).output))
        else:
            found.append(layer_norm(now + sublayer(now)).output)
    return found


@dataclass(frozen=True, slots=True)
class GradientDepth:
    """How long the gradient of a loss behind six layers is after 0, 1, …, 6 of them.

    Attributes
    ----------
    post, pre : tuple of float
        With norms behind the sums, and before the sublayers.
    """

    post: tuple[float, ...]
    pre: tuple[float, ...]


@lru_cache(maxsize=8)
def gradient_depth_of(trace: LayersTrace, loss: Loss, token: int) -> GradientDepth:
    """Carry a loss back through as many layers as there can be, for both places."""
    runner = runner_of(trace)

    def norms(place: NormPlace) -> tuple[float, ...]:
        layers = runner.run(trace.x, MAX_LAYERS, place=place)
        above = output_gradient(trace, layers[-1].output, loss, token)
        found = [above]
        for layer in reversed(layers):
            if isinstance(layer, DecoderLayerTrace):
                above = decoder_layer_backward(above, trace=layer).x
            else:
                above = encoder_layer_backward(above, trace=layer).x
            found.append(above)
        return tuple(float(np.linalg.norm(each)) for each in reversed(found))

    return GradientDepth(norms("post"), norms("pre"))
