"""Back through the step around each sublayer of a Transformer layer."""

from collections.abc import Callable
from typing import TypeVar

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.gradients.norms import layer_norm_backward
from attnviz.core.layers.norms import NormParameters, NormPlace, NormTrace

Learned = TypeVar("Learned")


def step_back(
    above: FloatArray,
    sublayer: Callable[[FloatArray], tuple[FloatArray, Learned]],
    norm: NormTrace,
    place: NormPlace,
) -> tuple[FloatArray, Learned, NormParameters]:
    """Go back through one sublayer, its residual and its norm."""
    if place == "post":
        normed = layer_norm_backward(above, trace=norm)
        change, learned = sublayer(normed.x)
        return normed.x + change, learned, NormParameters(normed.gamma, normed.beta)
    change, learned = sublayer(above)
    normed = layer_norm_backward(change, trace=norm)
    return above + normed.x, learned, NormParameters(normed.gamma, normed.beta)
