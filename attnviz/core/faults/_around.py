"""Mistakes around attention: in projections and in joining the heads."""

from functools import partial

from attnviz.core.faults import projections
from attnviz.core.faults.fault import Fault, Variant

AROUND: tuple[Fault, ...] = (
    Fault(
        "P45",
        "heads",
        ("tagged_values", "count", "loop"),
        (
            Variant("left_out", projections.projection_left_out, "multi_head"),
            Variant("transposed", projections.projection_transposed, "multi_head"),
            Variant("reversed", projections.heads_reversed, "multi_head"),
            Variant("interleaved", projections.features_interleaved, "multi_head"),
            Variant("not_joined", projections.heads_not_joined, "multi_head"),
            Variant("stacked", projections.heads_merged_by_reshape, "multi_head"),
            Variant("mean", projections.contexts_averaged, "multi_head"),
            Variant("mean_projected", projections.outputs_averaged, "multi_head"),
            Variant("one_head", projections.one_head_alone, "multi_head"),
            Variant("bias_left_out", projections.bias_left_out, "multi_head"),
        ),
    ),
    Fault(
        "P46",
        "parameters",
        ("tagged_values", "loop"),
        (
            Variant("not_split", projections.heads_not_split, "multi_head"),
            Variant("dealt_out", projections.features_dealt_out, "multi_head"),
            Variant("transposed", projections.projections_transposed, "multi_head"),
            Variant(
                "all_transposed",
                partial(projections.projections_transposed, all_of_them=True),
                "multi_head",
            ),
            Variant("biases_left_out", projections.biases_left_out, "multi_head"),
        ),
    ),
    Fault(
        "P47",
        "heads",
        ("loop",),
        (
            Variant(
                "residual", projections.residual_added, "multi_head", convention=True
            ),
        ),
    ),
)
