"""All mistakes by number: thirty of the reference, and those that readers met since."""

from functools import partial

import numpy as np

from attnviz.core.faults import (
    conventions,
    dropout,
    epsilon,
    heads,
    hidden,
    masks,
    norms,
    operands,
    parameters,
    positions,
    scores,
    softmaxes,
    staircases,
)
from attnviz.core.faults._around import AROUND
from attnviz.core.faults._elsewhere import ELSEWHERE
from attnviz.core.faults.epsilon import Form, solve_epsilon
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
            Variant("over_heads", partial(softmaxes.softmax_over_leading, axis=-3)),
            Variant("over_samples", partial(softmaxes.softmax_over_leading, axis=-4)),
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
            Variant(
                "temperature",
                conventions.tempered,
                convention=True,
                solve=conventions.solve_temperature,
            ),
            Variant(
                "other_scale",
                partial(scores.rescaled, scale=0.3),
                convention=True,
                solve=conventions.solve_scale,
            ),
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
            Variant("inverted_even", masks.inverted_by_fill, convention=True),
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
            Variant("misses_itself_even", staircases.shifted_by_fill),
            Variant(
                "misses_itself_added", partial(staircases.shifted_by_fill, adds=True)
            ),
            Variant("upper_triangle", staircases.upper_triangle),
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
            Variant("on_queries_even", staircases.padding_on_queries_by_fill),
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
            Variant(
                "rescaled",
                dropout.dropped,
                convention=True,
                solve=dropout.solve_dropout,
            ),
            Variant(
                "not_rescaled",
                partial(dropout.dropped, rescale=False),
                solve=partial(dropout.solve_dropout, rescale=False),
            ),
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
            Variant(
                "one_less",
                norms.one_less_divisor,
                "layer_norm",
                solve=partial(solve_epsilon, form=Form(ddof=1)),
            ),
            Variant(
                "eps_outside",
                norms.eps_outside_root,
                "layer_norm",
                solve=partial(solve_epsilon, form=Form(outside=True)),
            ),
            Variant(
                "one_less_and_eps_outside",
                partial(norms.eps_outside_root, ddof=1),
                "layer_norm",
                solve=partial(solve_epsilon, form=Form(ddof=1, outside=True)),
            ),
            Variant(
                "mean_kept",
                norms.mean_not_subtracted,
                "layer_norm",
                convention=True,
                solve=partial(solve_epsilon, form=Form(centred=False)),
            ),
            Variant(
                "other_eps",
                epsilon.other_epsilon,
                "layer_norm",
                convention=True,
                solve=solve_epsilon,
            ),
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
    Fault(
        "P31",
        "mask",
        ("hidden_weights", "hidden_edit", "loop"),
        (Variant("forgotten", hidden.mask_forgotten),),
    ),
    Fault(
        "P32",
        "mask",
        ("visible_keys", "loop"),
        (
            Variant("zero_hidden", hidden.hidden_where_zero),
            Variant("zero_hidden_nan", partial(hidden.hidden_where_zero, empty=np.nan)),
        ),
    ),
    Fault(
        "P33",
        "scores",
        ("divisor", "loop"),
        (
            Variant("not_transposed", operands.keys_not_transposed),
            Variant("reshaped", operands.keys_reshaped),
        ),
    ),
    Fault(
        "P34",
        "context",
        ("tagged_values", "reconstruct", "loop"),
        (Variant("weights_transposed", operands.weights_transposed),),
    ),
    Fault(
        "P35",
        "context",
        ("tagged_values", "reconstruct", "loop"),
        (
            Variant("keys", operands.keys_mixed, "layout"),
            Variant("queries", operands.queries_mixed, "layout"),
        ),
    ),
    Fault(
        "P36",
        "softmax",
        ("row_sums", "constant_values", "entropy", "loop"),
        (
            Variant("twice", softmaxes.softmax_twice),
            Variant("twice_masked", partial(softmaxes.softmax_twice, masked=True)),
            Variant("logarithm", softmaxes.logarithms),
            Variant("sigmoid", softmaxes.sigmoids),
            Variant("undivided", softmaxes.undivided),
            Variant("undivided_plain", partial(softmaxes.undivided, shifted=False)),
            Variant("scores", softmaxes.scores_as_weights),
        ),
    ),
    Fault(
        "P37",
        "softmax",
        ("row_sums", "constant_values", "loop"),
        (
            Variant(
                "sum",
                partial(softmaxes.dimension_dropped, of_sum=True, of_max=False),
            ),
            Variant(
                "sum_plain",
                partial(softmaxes.dimension_dropped, of_sum=True, of_max=None),
            ),
            Variant(
                "maximum",
                partial(softmaxes.dimension_dropped, of_sum=False, of_max=True),
            ),
            Variant(
                "both",
                partial(softmaxes.dimension_dropped, of_sum=True, of_max=True),
            ),
        ),
    ),
    Fault(
        "P38",
        "norm",
        ("mean", "mean_square", "moments", "loop"),
        (
            Variant("gamma_left_out", norms.gamma_left_out, "layer_norm"),
            Variant("beta_left_out", norms.beta_left_out, "layer_norm"),
            Variant("beta_first", norms.beta_before_gamma, "layer_norm"),
        ),
    ),
    Fault(
        "P39",
        "context",
        ("score_table", "tagged_values", "count", "loop"),
        (
            Variant("context_transposed", operands.context_transposed, "layout"),
            Variant("heads_not_merged", operands.heads_not_merged, "layout"),
            Variant("weights_transposed", operands.table_transposed),
        ),
    ),
    Fault(
        "P40",
        "softmax",
        ("hidden_edit", "reconstruct", "entropy", "loop"),
        (
            Variant("shown", operands.rolled_out),
            Variant("applied", partial(operands.rolled_out, applied=True)),
        ),
    ),
    Fault(
        "P41",
        "softmax",
        ("row_sums", "constant_values", "loop"),
        (
            Variant("plus_one", conventions.sunk, convention=True),
            Variant(
                "learned",
                partial(conventions.sunk, logit=1.0),
                convention=True,
                solve=conventions.solve_sink,
            ),
        ),
    ),
    Fault(
        "P42",
        "positions",
        ("divisor", "loop"),
        (
            Variant(
                "slope",
                conventions.biased_by_distance,
                convention=True,
                solve=conventions.solve_distance,
            ),
        ),
    ),
    Fault(
        "P43",
        "mask",
        ("hidden_edit", "row_sums"),
        (
            Variant("values", hidden.hidden_values_mixed, convention=True),
            Variant("scores", hidden.hidden_scores_added, convention=True),
        ),
    ),
    Fault(
        "P44",
        "mask",
        ("row_sums", "max_subtracted", "loop"),
        (Variant("zero_times_infinity", hidden.zero_times_infinity),),
    ),
    *AROUND,
    *ELSEWHERE,
)
