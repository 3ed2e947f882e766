"""What right and faulty code return: the core's own numbers, by name on screen."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.heads import merge_heads, split_heads
from attnviz.core.cost.sizes import LayerSizes
from attnviz.core.faults import FAULTS, Fault, Outcome, Variant, heads, positions
from attnviz.core.faults.dropout import dropped
from attnviz.core.layers.norms import NormTrace
from attnviz.core.positions import alibi_slopes, rotate, sinusoidal_positions
from attnviz.example.mistakes.numbers import Numbers
from attnviz.example.mistakes.programs import PROGRAMS

Matrices = dict[str, FloatArray]
_FAULTS = MappingProxyType({fault.id: fault for fault in FAULTS})


def fault_of(id: str) -> tuple[Fault, Variant]:
    """Find what a mistake on screen is in the core's catalogue."""
    fault = _FAULTS[id.partition(".")[0]]
    wanted = PROGRAMS[id].variant
    return fault, next(each for each in fault.variants if each.name == wanted)


def attention_outcome(id: str, numbers: Numbers) -> Outcome | None:
    """Run the faulty computation on the numbers; None where it cannot be made."""
    case = numbers.asked or numbers.case
    assert case is not None
    if id == "P20":
        return dropped(case, rate=numbers.given["rate"], keep=numbers.given["keep"])
    if id == "P24":
        still = numbers.given["still"]
        return positions.offset_forgotten(numbers.given["rows"], still, case.v)
    made: Outcome | None = fault_of(id)[1].run(case)
    return made


def norm_matrices(norm: NormTrace, output: FloatArray) -> Matrices:
    """Name an output, with the statistics of each position."""
    return {
        "norm_output": output,
        "output_mean": output.mean(axis=-1),
        "output_variance": output.var(axis=-1),
    }


def tables(id: str, numbers: Numbers) -> tuple[Matrices, Matrices]:
    """Give right and faulty tables of mistakes that are about no attention at all."""
    right, faulty = _TABLES[id](numbers)
    return right, faulty


def _sines(
    numbers: Numbers, wrong: Callable[[int, int], FloatArray]
) -> tuple[Matrices, Matrices]:
    sizes = len(numbers.given["position"]), numbers.given["d"]
    return {"code": sinusoidal_positions(*sizes)}, {"code": wrong(*sizes)}


def _rotated(numbers: Numbers) -> tuple[Matrices, Matrices]:
    rows, places = numbers.given["rows"], numbers.given["position"]
    mixed = positions.mixed_pairings(rows, places)
    return {"turned": rotate(rows, places)}, {"turned": mixed}


def _slopes(numbers: Numbers) -> tuple[Matrices, Matrices]:
    n_heads = numbers.given["n_heads"]
    return (
        {"slopes": alibi_slopes(n_heads)},
        {"slopes": positions.geometric_slopes(n_heads)},
    )


def _split(numbers: Numbers) -> tuple[Matrices, Matrices]:
    whole, n_heads = numbers.given["whole"], numbers.given["n_heads"]
    return (
        {"split": split_heads(whole, n_heads)},
        {"split": heads.split_without_transpose(whole, n_heads)},
    )


def _merged(numbers: Numbers) -> tuple[Matrices, Matrices]:
    parts = numbers.given["parts"]
    return (
        {"merged": merge_heads(parts)},
        {"merged": heads.merge_without_transpose(parts)},
    )


def _counts(numbers: Numbers) -> tuple[Matrices, Matrices]:
    d_model, n_heads = numbers.given["d_model"], numbers.given["n_heads"]
    usual = LayerSizes.usual(d_model, n_heads)

    def parts(width: int) -> Matrices:
        projected = n_heads * width * d_model
        counts = [3 * projected, projected, 3 * n_heads * width + d_model]
        return {"counts": np.array(counts, dtype=float)}

    return parts(usual.d_k), parts(d_model)


_TABLES: Mapping[str, Callable[[Numbers], tuple[Matrices, Matrices]]] = (
    MappingProxyType(
        {
            "P14.reshape": _split,
            "P15.reshape": _merged,
            "P21": lambda numbers: _sines(numbers, positions.sines_before_cosines),
            "P22": lambda numbers: _sines(numbers, positions.doubled_exponents),
            "P23": _rotated,
            "P25": _slopes,
            "P30": _counts,
        }
    )
)
TABLES = tuple(_TABLES)
