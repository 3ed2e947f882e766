"""The functions that several parts of the script use."""

from attnviz.example.positions.compute import PositionsTrace
from attnviz.export.dialect import Dialect, Words, section

_SINUSOIDAL = """\
def sinusoidal(length, d):
    position = LIB.arange({first}, length + {first})[:, None]
    angle = position * {base} ** (-LIB.arange(0, d, 2) / d)
    table = LIB.empty((length, d))
    table[:, {sines}] = LIB.sin(angle)
    table[:, {cosines}] = LIB.cos(angle)
    return table
"""
_TURN = """\
def turn(rows, position, by_halves):
    width = rows.shape[-1]
    angle = position[:, None] * {base} ** (-LIB.arange(0, width, 2) / width)
    first = slice(width // 2) if by_halves else slice(0, None, 2)
    second = slice(width // 2, None) if by_halves else slice(1, None, 2)
    a, b = rows[..., first], rows[..., second]
    turned = LIB.empty_like(rows)
    turned[..., first] = a * LIB.cos(angle) - b * LIB.sin(angle)
    turned[..., second] = a * LIB.sin(angle) + b * LIB.cos(angle)
    return turned
"""
_WEIGH = """\
def weigh(scores, visible):
    masked = LIB.where(visible, scores / {temperature!r}, -LIB.inf)
    largest = masked.LARGEST(ALONG)
    exp = LIB.exp(masked - LIB.where(largest == -LIB.inf, 0.0, largest))
    total = exp.sum(ALONG)
    return exp / LIB.where(total == 0, 1.0, total)
"""


def define_functions(trace: PositionsTrace, dialect: Dialect, words: Words) -> str:
    """Define what several parts use."""
    settings = trace.settings
    is_mixed = settings.features == "interleaved"
    written = (
        _SINUSOIDAL.format(
            first=trace.example.first_position,
            base=settings.theta,
            sines="0::2" if is_mixed else ": d // 2",
            cosines="1::2" if is_mixed else "d // 2 :",
        ),
        _TURN.format(base=settings.theta),
        _WEIGH.format(temperature=trace.example.temperature),
    )
    return section(
        words("export.script.functions"),
        *(f"{dialect.speak(one)}\n\n" for one in written),
    )
