"""The part of the script that attends in both orders."""

from attnviz.example.choices.positions import POSITION_RULES
from attnviz.example.choices.scores import SCORING_RULES
from attnviz.example.positions.compute import PositionsTrace
from attnviz.example.positions.order import OrderTrace
from attnviz.export.dialect import Dialect, Words, section
from attnviz.pages.positions.script.biases import bias_lines

_SCORES = {
    "dot": "q @ k.swapaxes(-1, -2)",
    "bilinear": "q @ score_w @ k.swapaxes(-1, -2)",
    "additive": "LIB.tanh(\n        (q @ score_w_q.T)[:, :, None, :]"
    " + (k @ score_w_k.T)[:, None, :, :]\n    ) @ score_v",
}
_COMPARED = """\
weights, order_original = run(list(range(len(order))))
moved_weights, moved_context = run(order)
place = sorted(range(len(order)), key=order.__getitem__)
order_permuted = moved_context[:, place]
order_change = order_permuted - order_original
"""


def order_sections(
    trace: PositionsTrace, order: OrderTrace, dialect: Dialect, words: Words
) -> list[str]:
    """Attend to the tokens in both orders."""
    original, example = order.original, trace.example
    names = ("q", "k", "v") if original.x is None else ("x",)
    given = [dialect.assign(name, getattr(original, name)) for name in names]
    if original.parameters is not None:
        given += [
            dialect.assign(name, getattr(original.parameters, name))
            for name in ("w_q", "w_k", "w_v")
        ]
    if original.scoring is not None:
        given += [
            dialect.assign(f"score_{name}", getattr(original.scoring, name))
            for name in SCORING_RULES[example.scoring].parts
        ]
    return [
        section(
            words("export.script.inputs"),
            f"tokens = {list(original.tokens)!r}",
            f"order = {list(order.order)!r}",
            *given,
            dialect.assign("visible", original.visible),
            *_acting(trace, order, dialect),
        ),
        section(
            words("export.script.order"),
            "\n\n" + dialect.speak("\n".join(_run(trace, order))) + "\n\n",
            dialect.speak(_COMPARED),
        ),
    ]


def _acting(trace: PositionsTrace, order: OrderTrace, dialect: Dialect) -> list[str]:
    """Write what the kind of positions acts with."""
    kind, original = trace.example.positions, order.original
    if kind == "sinusoidal":
        return ["positions = sinusoidal(*x.shape)"]
    if original.positions is not None:
        return [dialect.assign("positions", original.positions)]
    if original.attention.bias is not None:
        return bias_lines(kind, original.attention.bias, trace, dialect, "bias")
    return []


def _run(trace: PositionsTrace, order: OrderTrace) -> list[str]:
    """Write the function that attends to the tokens in some order."""
    example, original = trace.example, order.original
    rule, lines = POSITION_RULES[example.positions], ["def run(order):"]
    if original.x is None:
        moved = "q[:, order], k[:, order], v[:, order]"
        lines = ["def run(order, q=q, k=k, v=v):", f"    q, k, v = {moved}"]
    else:
        scaled = " * x.shape[-1] ** 0.5" if original.encoding.is_scaled else ""
        inputs = "x[order]" if rule.table is None else f"x[order]{scaled} + positions"
        lines += [f"    inputs = {inputs}"]
        lines += [f"    {letter} = inputs @ w_{letter}" for letter in "qkv"]
    if rule.turn is not None:
        first = original.encoding.first
        lines.append(f"    place = LIB.arange({first}, len(order) + {first})")
        lines += [f"    {letter} = turn({letter}, place, False)" for letter in "qk"]
    divided = " / k.shape[-1] ** 0.5" if example.scale is None else ""
    biased = "" if rule.bias is None else " + bias"
    return [
        *lines,
        f"    scores = {_SCORES[example.scoring]}{divided}{biased}",
        "    weights = weigh(scores, visible)",
        "    return weights, weights @ v",
    ]
