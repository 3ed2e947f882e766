"""Mistakes with positions, with gradients, and in the position-wise network."""

from functools import partial

from attnviz.core.faults import backwards, networks, rotations, sinusoids
from attnviz.core.faults.fault import Fault, Variant

ELSEWHERE: tuple[Fault, ...] = (
    Fault(
        "P48",
        "positions",
        ("rotation", "loop"),
        (
            Variant("swapped", sinusoids.sines_and_cosines_swapped, "sinusoids"),
            Variant("halved", sinusoids.exponents_halved, "sinusoids"),
            Variant("doubled", sinusoids.exponents_doubled, "sinusoids"),
            Variant("by_feature", sinusoids.exponents_by_feature, "sinusoids"),
            Variant(
                "by_feature_doubled",
                partial(sinusoids.exponents_by_feature, factor=2.0),
                "sinusoids",
            ),
            Variant("one_rate", sinusoids.one_rate, "sinusoids"),
            Variant("transposed", sinusoids.table_transposed, "sinusoids"),
        ),
    ),
    Fault(
        "P49",
        "positions",
        ("loop",),
        (
            Variant("order", sinusoids.other_order, "sinusoids", convention=True),
            Variant(
                "from_one",
                partial(sinusoids.counted_otherwise, step=1),
                "sinusoids",
                convention=True,
            ),
            Variant(
                "from_zero",
                partial(sinusoids.counted_otherwise, step=-1),
                "sinusoids",
                convention=True,
            ),
            Variant(
                "order_from_one",
                partial(sinusoids.other_order, step=1),
                "sinusoids",
                convention=True,
            ),
            Variant(
                "order_from_zero",
                partial(sinusoids.other_order, step=-1),
                "sinusoids",
                convention=True,
            ),
            Variant(
                "last_rate", sinusoids.last_rate_is_base, "sinusoids", convention=True
            ),
            Variant(
                "base",
                sinusoids.other_base,
                "sinusoids",
                convention=True,
                solve=sinusoids.solve_base,
            ),
        ),
    ),
    Fault(
        "P50",
        "positions",
        ("rotation", "loop"),
        (
            Variant("backwards", rotations.turned_backwards, "rotation"),
            Variant("queries_alone", rotations.queries_alone, "rotation"),
            Variant("keys_alone", rotations.keys_alone, "rotation"),
            Variant("values_too", rotations.values_too, "rotation"),
            Variant("nothing", rotations.nothing_turned, "rotation"),
            Variant("mixed", rotations.angles_mixed_up, "rotation"),
            Variant("along_heads", rotations.along_heads, "rotation"),
            Variant("halved", rotations.exponents_halved, "rotation"),
            Variant("doubled", rotations.exponents_doubled, "rotation"),
        ),
    ),
    Fault(
        "P51",
        "positions",
        ("loop",),
        (
            Variant(
                "other_pairing", rotations.other_pairing, "rotation", convention=True
            ),
            Variant(
                "from_one",
                partial(rotations.counted_otherwise, step=1),
                "rotation",
                convention=True,
            ),
            Variant(
                "from_zero",
                partial(rotations.counted_otherwise, step=-1),
                "rotation",
                convention=True,
            ),
            Variant(
                "base",
                rotations.other_base,
                "rotation",
                convention=True,
                solve=rotations.solve_base,
            ),
        ),
    ),
    Fault(
        "P52",
        "gradients",
        ("loop",),
        (
            Variant(
                "left_out",
                partial(backwards.softmax_replaced, by="identity"),
                "gradients",
            ),
            Variant(
                "diagonal",
                partial(backwards.softmax_replaced, by="diagonal"),
                "gradients",
            ),
            Variant(
                "without_sum",
                partial(backwards.softmax_replaced, by="without_sum"),
                "gradients",
            ),
            Variant(
                "without_weights",
                partial(backwards.softmax_replaced, by="without_weights"),
                "gradients",
            ),
            Variant(
                "unweighted_sum",
                partial(backwards.softmax_replaced, by="unweighted_sum"),
                "gradients",
            ),
            Variant(
                "row_mean",
                partial(backwards.softmax_replaced, by="row_mean"),
                "gradients",
            ),
            Variant(
                "over_columns",
                partial(backwards.softmax_replaced, by="over_columns"),
                "gradients",
            ),
        ),
    ),
    Fault(
        "P53",
        "gradients",
        ("loop",),
        (
            Variant(
                "left_out", partial(backwards.scale_replaced, power=0), "gradients"
            ),
            Variant("twice", partial(backwards.scale_replaced, power=2), "gradients"),
        ),
    ),
    Fault(
        "P54",
        "gradients",
        ("loop",),
        (
            Variant("values", backwards.weights_not_transposed, "gradients"),
            Variant("keys", backwards.scores_not_transposed, "gradients"),
            Variant("queries", backwards.scores_transposed, "gradients"),
            Variant("swapped", backwards.queries_and_keys_swapped, "gradients"),
            Variant("own_operand", backwards.own_operand_mixed, "gradients"),
        ),
    ),
    Fault(
        "P55",
        "gradients",
        ("loop",),
        (
            Variant("all", backwards.mean_instead_of_sum, "gradients"),
            Variant(
                "rows", partial(backwards.mean_instead_of_sum, rows=True), "gradients"
            ),
        ),
    ),
    Fault(
        "P56",
        "gradients",
        ("loop",),
        (
            Variant(
                "raw_scores", backwards.raw_scores_instead, "gradients", convention=True
            ),
            Variant("hidden", backwards.hidden_kept, "gradients", convention=True),
        ),
    ),
    Fault(
        "P57",
        "network",
        ("loop",),
        (
            Variant("other_gelu", networks.other_gelu, "network", convention=True),
            Variant(
                "sigmoid_gelu",
                partial(networks.other_gelu, sigmoid=True),
                "network",
                convention=True,
            ),
            Variant("residual", networks.residual_added, "network", convention=True),
        ),
    ),
    Fault(
        "P58",
        "network",
        ("loop",),
        (
            Variant("other_activation", networks.other_activation, "network"),
            Variant("left_out", networks.activation_left_out, "network"),
            Variant("at_the_end", networks.activation_at_the_end, "network"),
            Variant(
                "first_bias", partial(networks.bias_left_out, first=True), "network"
            ),
            Variant(
                "second_bias", partial(networks.bias_left_out, first=False), "network"
            ),
        ),
    ),
)
