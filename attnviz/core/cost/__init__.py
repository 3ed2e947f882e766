"""What attention costs, in closed forms."""

from attnviz.core.cost.lines import (
    LINES,
    LineCost,
    crossing_length,
    product_of,
    sizes_of,
    window_work,
)
from attnviz.core.cost.score_table import (
    array_bytes,
    causal_visible,
    layers_to_reach,
    score_elements,
    window_visible,
)
from attnviz.core.cost.sizes import LayerSizes
from attnviz.core.cost.work import (
    LayerWork,
    attention_parameters,
    cache_bytes,
    decoding_projections,
    encoder_layer_parameters,
    layer_work,
)

__all__ = [
    "LINES",
    "LayerSizes",
    "LayerWork",
    "LineCost",
    "array_bytes",
    "attention_parameters",
    "cache_bytes",
    "causal_visible",
    "crossing_length",
    "decoding_projections",
    "encoder_layer_parameters",
    "layer_work",
    "layers_to_reach",
    "product_of",
    "score_elements",
    "sizes_of",
    "window_visible",
    "window_work",
]
