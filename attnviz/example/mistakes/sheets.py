"""All matrices of a mistake, and how their cells come about."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation.arithmetic import collect, then
from attnviz.core.derivation.pieces import Derivation, Rule
from attnviz.example.matrices import FAULTY, GAP, MATRICES
from attnviz.example.mistakes.laid import difference_of, sum_along
from attnviz.example.mistakes.running import run

if TYPE_CHECKING:
    from attnviz.example.mistakes.trace import MistakeTrace

# What tables start from.
_GIVEN = ("whole", "parts", "rows")


def laid(name: str, value: FloatArray) -> FloatArray:
    """Give a matrix as many axes as it has in the catalogue."""
    missing = len(MATRICES[name].axes) - value.ndim
    return value.reshape((1,) * missing + value.shape)


# What is on screen is laid out by figures, tables and derivation in turn.
@lru_cache(maxsize=8)
def lay_out_mistake(trace: "MistakeTrace") -> Sheet:
    """Collect the matrices of a mistake.

    Parameters
    ----------
    trace : MistakeTrace
        What was computed.

    Returns
    -------
    sheet : Sheet
        The right stages by their names, the faulty ones behind "faulty_", and their
        differences behind "gap_". Results are the core's; what lies between them and
        the inputs comes from the lines that are shown.
    """
    given = trace.numbers.given
    spoilt = run(trace.program.faulty, given)
    found, rules = _right(trace)
    for name in _GIVEN:
        if name in given:
            value = np.asarray(given[name])
            found[name] = value.reshape(value.shape[-len(MATRICES[name].axes) :])
    results = {
        **trace.right,
        **{f"{FAULTY}{name}": value for name, value in trace.faulty.items()},
        **{f"{GAP}{name}": value for name, value in trace.gap.items()},
    }
    found |= spoilt.values
    found |= {name: laid(name, value) for name, value in results.items()}
    rules |= {**spoilt.rules, **_STATISTICS}
    rules |= {f"{GAP}{name}": difference_of(FAULTY + name, name) for name in trace.gap}
    return Sheet(found, {}, rules)


def _right(trace: "MistakeTrace") -> tuple[dict[str, FloatArray], dict[str, Rule]]:
    """Lay out the right computation: the core's trace, or its lines for a table."""
    numbers = trace.numbers
    if numbers.case is not None:
        return dict(numbers.case.answer.sheet().matrices), {}
    if numbers.norm is not None:
        return dict(numbers.norm.sheet().matrices), {}
    right = run(trace.program.right, numbers.given, prefix="")
    return dict(right.values), dict(right.rules)


def _output_mean(sheet: Sheet, stage: str, index: Index) -> Derivation:
    name = stage.replace("output_mean", "norm_output")
    places = [(*index, each) for each in range(sheet.shape(name)[-1])]
    work = collect(stage, index, "sum", [(sheet.operand(name, at),) for at in places])
    return then(work, "divide", sheet.operand("d"))


def _output_variance(sheet: Sheet, stage: str, index: Index) -> Derivation:
    name = stage.replace("output_variance", "norm_output")
    mean = sheet.operand(stage.replace("variance", "mean"), index)
    places = [(*index, each) for each in range(sheet.shape(name)[-1])]
    pairs = [(sheet.operand(name, at), mean) for at in places]
    work = collect(stage, index, "sum_of_squares", pairs)
    return then(work, "divide", sheet.operand("d"))


_STATISTICS: Mapping[str, Rule] = MappingProxyType(
    {
        f"{prefix}{name}": rule
        for prefix in ("", FAULTY)
        for name, rule in (
            ("weight_sum", sum_along(f"{prefix}weights", 2)),
            ("output_mean", _output_mean),
            ("output_variance", _output_variance),
        )
    }
)
