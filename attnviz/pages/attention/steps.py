"""The walk through attention: what each stage takes and yields."""

from attnviz.components.page.stepper import Step

_INPUTS = ("x", "inputs")
_KEY_INPUTS = ("x", "inputs", "x_k", "key_inputs")

ATTENTION_STEPS = (
    Step(("inputs", "key_inputs"), ("x", "positions", "x_k", "key_positions")),
    Step(("q",), (*_INPUTS, "w_q"), lights="query"),
    Step(("k",), (*_KEY_INPUTS, "w_k"), lights="key"),
    Step(("v",), (*_KEY_INPUTS, "w_v"), lights="value"),
    Step(("q_turned", "k_turned"), ("q", "k")),
    Step(("q_w",), ("q", "q_turned", "score_w")),
    Step(
        ("scores",),
        ("q_w", "q_turned", "q", "k_turned", "k", "bias"),
        ("masked_scores", "raw_scores", "score_hidden"),
        "scores",
    ),
    Step(
        ("weights", "row_max", "exp_scores", "row_sum", "weight_sum"),
        ("scores", "mask"),
        lights="weights",
    ),
    Step(("context",), ("weights", "v"), ("joined",), "context"),
    Step(("output",), ("joined", "w_o")),
)
