"""The first part of a script: from the inputs to queries, keys and values."""

from attnviz.core.attention.multi_head import MultiHeadParameters
from attnviz.example.compute import ExampleTrace
from attnviz.example.weights_alone import Shown
from attnviz.export.dialect import Dialect, Words, section

_SINUSOIDAL = """\
def sinusoidal(length, d):
    position = LIB.arange({first}, length + {first})[:, None]
    feature = LIB.arange(d)
    angle = position / 10000.0 ** (2 * (feature // 2) / d)
    return LIB.where(feature % 2 == 0, LIB.sin(angle), LIB.cos(angle))
"""


def input_sections(trace: ExampleTrace, dialect: Dialect, words: Words) -> list[str]:
    """Write where queries, keys and values come from.

    Returns
    -------
    sections : list of str
        Source that leaves `q`, `k` and `v`, of shape (H, T, d_k or d_v).
    """
    comment = f"# {words('export.script.edited')}"
    edited = [comment] if trace.example.edits else []
    if trace.parameters is None:
        arrays = [dialect.assign(name, getattr(trace, name)) for name in "qkv"]
        return [
            section(words("export.script.given"), *edited, *token_lines(trace), *arrays)
        ]
    return [
        section(words("export.script.inputs"), *edited, *_inputs(trace, dialect)),
        _positions(trace, dialect, words),
        _projections(trace, dialect, words, trace.parameters),
    ]


def _inputs(trace: ExampleTrace, dialect: Dialect) -> list[str]:
    arrays = [dialect.assign(name, getattr(trace, name)) for name in _sides(trace)]
    return [*token_lines(trace), *arrays]


def token_lines(trace: Shown) -> list[str]:
    """Write the labels of the rows; quotes keep whatever was typed from being code.

    Returns
    -------
    lines : list of str
        One statement, and one more where keys have labels of their own.
    """
    lines = [f"tokens = {list(trace.tokens)!r}"]
    if trace.example.is_cross:
        lines.append(f"key_tokens = {list(trace.key_tokens)!r}")
    return lines


def _sides(trace: ExampleTrace) -> tuple[str, ...]:
    return ("x", "x_k") if trace.example.is_cross else ("x",)


def _positions(trace: ExampleTrace, dialect: Dialect, words: Words) -> str:
    """Add positions, computed where a formula gives them, else as numbers."""
    if trace.positions is None:
        return ""
    kind, first = trace.example.positions, trace.example.first_position
    written = _SINUSOIDAL.format(first=first)
    lines = [dialect.speak(f"{written}\n\n")] if kind == "sinusoidal" else []
    tables = {"x": ("positions", "inputs"), "x_k": ("key_positions", "key_inputs")}
    for x in _sides(trace):
        positions, inputs = tables[x]
        if kind == "sinusoidal":
            lines.append(f"{positions} = sinusoidal(*{x}.shape)")
        else:
            lines.append(dialect.assign(positions, getattr(trace, positions)))
        lines.append(f"{inputs} = {x} + {positions}")
    return section(words(f"export.script.{kind}", first=first), *lines)


def _projections(
    trace: ExampleTrace, dialect: Dialect, words: Words, p: MultiHeadParameters
) -> str:
    is_added = trace.positions is not None
    inputs, key_inputs = ("inputs", "key_inputs") if is_added else ("x", "x_k")
    if not trace.example.is_cross:
        key_inputs = inputs
    return section(
        words("export.script.matrices"),
        dialect.assign("w_q", p.w_q),
        "w_k = w_q" if trace.example.is_tied else dialect.assign("w_k", p.w_k),
        dialect.assign("w_v", p.w_v),
        "",
        f"# {words('export.script.projections')}",
        f"q = {inputs} @ w_q",
        f"k = {key_inputs} @ w_k",
        f"v = {key_inputs} @ w_v",
    )
