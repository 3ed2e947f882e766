"""The walk through the station that is open, and what to try on the page."""

from attnviz.components.page.stepper import Step
from attnviz.example.matrices import CROSS
from attnviz.example.sources.drawn import MAX_HEADS

_HEADS = range(1, MAX_HEADS + 1)
_STEPS = range(1, 4)
# The way of the token would give the results of a station away.
_TELLS = ("way", "way_mean", "way_norm")


def _slices(name: str) -> tuple[str, ...]:
    return (*(f"{name}_{head}" for head in _HEADS), name)


def _attention(prefix: str) -> tuple[Step, ...]:
    """Walk from the weights over the contexts to the output."""
    weights, v, context = (
        _slices(f"{prefix}{name}") for name in ("weights", "v", "context")
    )
    joined = f"{prefix}joined"
    return (
        Step(weights, ()),
        Step(context, (*weights, *v)),
        Step(
            (f"{prefix}output",), (*context, joined, f"{prefix}w_o"), (joined, *_TELLS)
        ),
    )


LAYER_STEPS = (
    *_attention(""),
    *_attention(CROSS),
    Step(("ffn_hidden",), ("w_1", "b_1")),
    Step(("ffn_active",), ("ffn_hidden",)),
    Step(("ffn_output",), ("ffn_active", "w_2", "b_2"), _TELLS),
    *[
        Step(
            tuple(f"norm_{name}_{at}" for name in ("normalized", "mean", "variance")),
            (f"residual_{at}",),
            (f"norm_output_{at}", *_TELLS),
        )
        for at in _STEPS
    ],
    Step(("final_normalized", "final_mean", "final_variance"), (), ("final_output",)),
    Step(("logits",), ("w_vocab", "b_vocab"), _TELLS),
    Step(("probabilities",), ("logits",)),
)
TRIES = (
    "lp=pre",
    "lp=pre&lz=all",
    "lp=pre&ln=6&ls=stream&ld=1",
    "p=transformer_layer",
    "p=gpt_stack",
)
