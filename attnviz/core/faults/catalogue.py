"""All thirty mistakes, in the order in which a computation could meet them."""

from functools import partial

import numpy as np

from attnviz.core.faults import (
    dropout,
    heads,
    masks,
    norms,
    parameters,
    positions,
    scores,
    staircases,
)
from attnviz.core.faults.fault import Fault, Variant

# Experiments that need a second run, named beside the checks of one result:
# hidden_edit    change what is hidden: nothing may move
# one_by_one     run each sample or position alone: nothing may move
# step_by_step   decode with a cache: as if computed at once
# tagged_values  give each head or position a value of its own: see where it goes
# entropy        compare the spread of the weights with what the scale predicts
# shift          add a constant to all scores of a row: nothing may move
# rotation       lengths stay, and scores depend on the distance alone
# moments        mean and mean square of each position after Layer Normalization
# repeat         run again: the same numbers
# reconstruct    mix the values with the weights that are shown: the same context
# count          count parameters, slopes or shapes
FAULTS: tuple[Fault, ...] = (
    Fault(
        "P01",
        "softmax",
        ("row_sums", "constant_values", "tagged_values", "loop"),
        (
            Variant("over_queries", scores.softmax_over_queries),
            Variant("over_table", scores.softmax_over_table),
            Variant("queries_as_keys", scores.queries_as_keys),
        ),
    ),
    Fault(
        "P02",
        "scores",
        ("divisor", "entropy", "loop"),
        (
            Variant("unscaled", scores.unscaled),
            Variant("model_width", scores.scaled_by_model_width),
            Variant("inverse", scores.scaled_inversely),
            Variant("width", scores.scaled_by_width),
            Variant("heads", scores.scaled_by_heads),
            Variant("default", scores.scaled_by_default),
        ),
    ),
    Fault(
        "P03",
        "mask",
        ("row_sums", "constant_values", "hidden_edit", "loop"),
        (Variant("after_softmax", masks.hidden_after_softmax),),
    ),
    Fault(
        "P04",
        "mask",
        ("hidden_weights", "hidden_edit", "loop"),
        (Variant("multiplied", masks.multiplied_by_mask),),
    ),
    Fault(
        "P05",
        "mask",
        ("hidden_weights", "shift", "loop"),
        (
            Variant("tiny", partial(masks.filled, fill=1e-9)),
            Variant("tiny_negative", partial(masks.filled, fill=-1e-9)),
            Variant("too_small", partial(masks.filled, fill=-1e4)),
            Variant("no_effect", partial(masks.added, fill=1e-9)),
        ),
    ),
    Fault(
        "P06",
        "mask",
        ("row_sums", "max_subtracted", "loop"),
        (Variant("half", masks.half_precision_bias),),
    ),
    Fault(
        "P07",
        "mask",
        ("row_sums", "visible_keys"),
        (
            Variant("nan", partial(masks.empty_rows, fill=np.nan), convention=True),
            Variant("zero", partial(masks.empty_rows, fill=0.0), convention=True),
        ),
    ),
    Fault(
        "P08",
        "mask",
        ("hidden_weights", "visible_keys"),
        (
            Variant(
                "replaced",
                partial(masks.empty_rows_filled, adds=False),
                convention=True,
            ),
            Variant(
                "added", partial(masks.empty_rows_filled, adds=True), convention=True
            ),
        ),
    ),
    Fault(
        "P09",
        "mask",
        ("hidden_weights", "hidden_edit", "loop"),
        (
            Variant("inverted", masks.inverted, convention=True),
            Variant(
                "inverted_nan", partial(masks.inverted, empty=np.nan), convention=True
            ),
        ),
    ),
    Fault(
        "P10",
        "mask",
        ("hidden_weights", "loop"),
        (Variant("as_bias", masks.mask_as_bias),),
    ),
    Fault(
        "P11",
        "mask",
        ("hidden_weights", "hidden_edit", "loop"),
        (
            Variant("sees_next", partial(staircases.shifted, step=1)),
            Variant("misses_itself", partial(staircases.shifted, step=-1)),
            Variant(
                "misses_itself_nan",
                partial(staircases.shifted, step=-1, empty=np.nan),
            ),
        ),
    ),
    Fault(
        "P12",
        "mask",
        ("step_by_step", "loop"),
        (Variant("other_corner", staircases.aligned_otherwise, convention=True),),
    ),
    Fault(
        "P13",
        "mask",
        ("hidden_weights", "hidden_edit", "loop"),
        (
            Variant("on_queries", staircases.padding_on_queries),
            Variant(
                "on_queries_nan", partial(staircases.padding_on_queries, empty=np.nan)
            ),
            Variant("padding_answered", staircases.padding_answered, convention=True),
        ),
    ),
    Fault(
        "P14",
        "heads",
        ("tagged_values", "hidden_edit", "loop"),
        (
            Variant("split", heads.heads_split_wrongly),
            Variant("split_and_merged", heads.heads_split_and_merged_wrongly),
            Variant("reshape", heads.split_without_transpose, "other"),
        ),
    ),
    Fault(
        "P15",
        "heads",
        ("tagged_values", "loop"),
        (
            Variant("merged", heads.heads_merged_wrongly),
            Variant("reshape", heads.merge_without_transpose, "other"),
        ),
    ),
    Fault(
        "P16",
        "mask",
        ("hidden_weights", "one_by_one", "loop"),
        (Variant("tiled", masks.tiled_over_batch),),
    ),
    Fault(
        "P17",
        "heads",
        ("tagged_values", "loop"),
        (
            Variant("tiled", heads.shared_heads_tiled),
            Variant("repeat", heads.tile_heads, "other"),
        ),
    ),
    Fault(
        "P18",
        "heads",
        ("score_table", "one_by_one", "loop"),
        (Variant("across_samples", heads.samples_as_positions),),
    ),
    Fault(
        "P19",
        "heads",
        ("score_table", "reconstruct", "tagged_values"),
        (
            Variant("averaged", heads.heads_averaged),
            Variant("applied", heads.average_applied),
        ),
    ),
    Fault(
        "P20",
        "dropout",
        ("row_sums", "constant_values", "repeat", "reconstruct", "loop"),
        (
            Variant("rescaled", dropout.dropped, convention=True),
            Variant("not_rescaled", partial(dropout.dropped, rescale=False)),
        ),
    ),
    Fault(
        "P21",
        "positions",
        (),
        (
            Variant(
                "concatenated", positions.sines_before_cosines, "other", convention=True
            ),
        ),
    ),
    Fault(
        "P22",
        "positions",
        ("rotation",),
        (Variant("doubled_exponents", positions.doubled_exponents, "other"),),
    ),
    Fault(
        "P23",
        "positions",
        ("rotation",),
        (
            Variant("halves", positions.rotated_by_halves, "other", convention=True),
            Variant("mixed", positions.mixed_pairings, "other"),
        ),
    ),
    Fault(
        "P24",
        "positions",
        ("step_by_step", "rotation"),
        (Variant("offset_forgotten", positions.offset_forgotten, "other"),),
    ),
    Fault(
        "P25",
        "positions",
        ("count",),
        (
            Variant("geometric", positions.geometric_slopes, "other", convention=True),
            Variant("from_zero", positions.slopes_from_zero, "other"),
        ),
    ),
    Fault(
        "P26",
        "norm",
        ("mean_square", "moments", "loop"),
        (
            Variant("one_less", norms.one_less_divisor, "layer_norm"),
            Variant("eps_outside", norms.eps_outside_root, "layer_norm"),
            Variant(
                "one_less_and_eps_outside",
                partial(norms.eps_outside_root, ddof=1),
                "layer_norm",
            ),
            Variant("mean_kept", norms.mean_not_subtracted, "layer_norm"),
        ),
    ),
    Fault(
        "P27",
        "norm",
        ("mean", "mean_square", "own_position", "one_by_one", "hidden_edit", "loop"),
        (
            Variant("over_positions", norms.over_positions, "layer_norm"),
            Variant("over_sample", norms.over_sample, "layer_norm"),
            Variant("over_batch", norms.over_batch, "layer_norm"),
        ),
    ),
    Fault(
        "P28",
        "norm",
        ("mean", "mean_square", "moments", "loop"),
        (
            Variant("not_normalized", norms.not_normalized, "layer_norm"),
            Variant("normalized_again", norms.normalized_again, "layer_norm"),
            Variant("parameters_left_out", norms.parameters_left_out, "layer_norm"),
            Variant("residual_overwritten", norms.residual_after_norm, "other"),
        ),
    ),
    Fault(
        "P29",
        "softmax",
        ("row_sums", "max_subtracted", "shift", "loop"),
        (
            Variant("overflow", scores.maximum_not_subtracted),
            Variant("softmax", scores.naive_softmax, "other"),
        ),
    ),
    Fault(
        "P30",
        "parameters",
        ("count", "divisor", "entropy"),
        (
            Variant("head_width", parameters.model_width_for_each_head, "other"),
            # In results this is P02's model_width, and named once.
            Variant("scale", scores.scaled_by_model_width, "other"),
        ),
    ),
)
