"""How many numbers a stack of layers learns, part by part."""

from typing import NamedTuple

from attnviz.core.cost import LayerSizes, encoder_layer_parameters
from attnviz.core.layers import FeedForwardParameters
from attnviz.example.layer.compute import LayersTrace

# The layer whose count the chapter gives, with biases in its attention.
CHAPTER = LayerSizes.usual(768, 12)
CHAPTER_PARAMETERS = encoder_layer_parameters(CHAPTER)


class Counts(NamedTuple):
    """Learned numbers of all layers and of what follows them.

    Attributes
    ----------
    attention, network, norms : int
        Of all layers together; norms also of the one behind the last.
    vocabulary : int
        Of the projection onto the vocabulary: of its bias alone where the matrix is
        that of the embeddings.
    saved : int
        What tying saves, |𝒱|·d; 0 where nothing is tied.
    """

    attention: int
    network: int
    norms: int
    vocabulary: int
    saved: int

    @property
    def total(self) -> int:
        """All of them together."""
        return self.attention + self.network + self.norms + self.vocabulary


def count_parameters(trace: LayersTrace) -> Counts:
    """Count what the layers of a trace have learned, or would have."""
    d = trace.x.shape[1]
    layers = trace.parameters[: len(trace.layers)]
    heads = [
        getattr(layer, name)
        for layer in layers
        for name in ("attention", "self_attention", "cross_attention")
        if hasattr(layer, name)
    ]
    # What queries and keys share is learned once.
    projections = ["w_q", "w_v", "w_o"]
    projections += [] if trace.source.example.is_tied else ["w_k"]
    n_norms = len(layers) * len(trace.settings.sublayers) + (trace.final is not None)
    found, tied = trace.vocabulary, trace.settings.ties_vocabulary
    table, bias = (0, 0) if found is None else (found.w_vocab.size, found.b_vocab.size)
    return Counts(
        attention=sum(getattr(h, name).size for h in heads for name in projections),
        network=sum(_network(layer.feed_forward) for layer in layers),
        norms=2 * d * n_norms,
        vocabulary=bias + (0 if tied else table),
        saved=table if tied else 0,
    )


def _network(learned: FeedForwardParameters) -> int:
    arrays = (learned.w_1, learned.b_1, learned.w_2, learned.b_2)
    return sum(array.size for array in arrays)
