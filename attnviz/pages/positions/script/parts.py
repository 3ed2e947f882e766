"""The parts of the script behind its first one: table, rotation, bias."""

from attnviz.example.positions.bias import BiasTrace
from attnviz.example.positions.compute import PositionsTrace
from attnviz.example.positions.rotary import RotaryTrace
from attnviz.example.positions.table import TableTrace
from attnviz.export.dialect import Dialect, Words, section
from attnviz.pages.positions.script.biases import bias_lines


def table_section(
    trace: PositionsTrace, table: TableTrace, dialect: Dialect, words: Words
) -> str:
    """Write the table, its products, and its sum with the inputs."""
    rows, width = table.table.shape
    lines = [f"position_table = sinusoidal({rows}, {width})"]
    if trace.settings.table == "learned":
        lines = [dialect.assign("position_table", table.table)]
    lines.append("position_gram = position_table @ position_table.swapaxes(-1, -2)")
    if table.scaled_x is not None and table.added is not None:
        added = f"sinusoidal({len(table.added)}, {width})"
        lines += [
            dialect.assign("scaled_x", table.scaled_x),
            f"sum_positions = {added}"
            if trace.settings.table == "sinusoidal"
            else dialect.assign("sum_positions", table.added),
            "sum_inputs = scaled_x + sum_positions",
        ]
    return section(words("export.script.table"), *lines)


def rotary_section(rotary: RotaryTrace, dialect: Dialect, words: Words) -> str:
    """Write a query and a key at every place, and their scores."""
    length, width = rotary.queries.shape
    by_halves = [pairing == "half" for pairing in rotary.pairings]
    lines = [
        f"places = LIB.arange({length})",
        f"every = LIB.ones(({length}, 1))",
        f"rotary_queries = turn(every * query, places, {by_halves[0]})",
        f"rotary_keys = turn(every * key, places, {by_halves[1]})",
        "rotary_scores = rotary_queries @ rotary_keys.swapaxes(-1, -2)",
        f"rotary_scores = rotary_scores / {width} ** 0.5",
    ]
    return section(
        words("export.script.turned"),
        dialect.assign("query", rotary.query),
        dialect.assign("key", rotary.key),
        *map(dialect.speak, lines),
    )


def bias_section(
    trace: PositionsTrace, bias: BiasTrace, dialect: Dialect, words: Words
) -> str:
    """Write a bias, and the weights under it."""
    visible = bias.attention.visible[0]
    return section(
        words("export.script.bias"),
        dialect.assign("bias_scores", bias.scores),
        *bias_lines(
            trace.settings.bias_kind, bias.bias, trace, dialect, "position_bias"
        ),
        dialect.assign("last_visible", visible),
        "biased_weights = weigh(bias_scores + position_bias, last_visible)",
    )
