"""Count every line of a layer, and over which lengths what costs most."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.cost import (
    LINES,
    LineCost,
    array_bytes,
    attention_parameters,
    cache_bytes,
    crossing_length,
    layer_work,
    product_of,
    score_elements,
    sizes_of,
    window_work,
)
from attnviz.core.derivation import Derivation
from attnviz.core.derivation.arithmetic import collect, given
from attnviz.core.derivation.pieces import Rule
from attnviz.example.cost.settings import MOST_POSITIONS, Cost
from attnviz.example.screen import Screen

# Lengths of the curves, by powers of two.
LENGTHS = tuple(2**power for power in range(5, 21))
_LINE = {line.name: at for at, line in enumerate(LINES)}


@dataclass(frozen=True, slots=True)
class Curves:
    """What one layer takes over the length, for each of LENGTHS.

    Attributes
    ----------
    scores, projections, window : FloatArray of shape (lengths,)
        Multiply-adds of scores and mixing, of the projections, and of scores and mixing
        within the window.
    score_bytes, cache_bytes : FloatArray of shape (lengths,)
        Bytes of all tables of scores, and of the keys and values.
    """

    scores: FloatArray
    projections: FloatArray
    window: FloatArray
    score_bytes: FloatArray
    cache_bytes: FloatArray


@dataclass(frozen=True, slots=True)
class CostTrace:
    """All numbers of the calculator, counted exactly.

    Attributes
    ----------
    cost : Cost
        What they depend on.
    named : mapping of str to int
        Every size by its name.
    elements, work : tuple of int
        Of each of LINES.
    parameters : int
        Of the attention's four projections.
    cache : int
        Bytes of the keys and values that decoding keeps, in all layers.
    crossing : float
        Length from which scores and mixing take more than the projections.
    curves : Curves
        Over the length.
    """

    cost: Cost
    named: Mapping[str, int]
    elements: tuple[int, ...]
    work: tuple[int, ...]
    parameters: int
    cache: int
    crossing: float
    curves: Curves

    def bytes(self, elements: int) -> int:
        """Give the bytes of so many numbers."""
        return array_bytes(elements, self.cost.dtype)

    def line(self, name: str) -> tuple[LineCost, int, int]:
        """Give a line, the numbers it makes and the multiply-adds it takes."""
        at = _LINE[name]
        return LINES[at], self.elements[at], self.work[at]

    def sheet(self) -> Sheet:
        """Lay out the sizes, and all that is counted from them."""
        scalars = {f"size_{name}": np.array(float(n)) for name, n in self.named.items()}
        return Sheet(
            {
                **scalars,
                "cost_elements": np.array(self.elements, dtype=float),
                "cost_work": np.array(self.work, dtype=float),
                "cost_totals": np.array(
                    [sum(self.elements), sum(self.work)], dtype=float
                ),
            },
            rules=_RULES,
        )

    def screen(self) -> Screen:
        """Name the two columns as tables and files read them."""
        sheet = self.sheet()
        names = ("cost_elements", "cost_work")
        return Screen(
            {name: sheet.matrix(name) for name in names},
            {"line": tuple(line.name for line in LINES)},
        )


@remember(1_000_000)
def compute_cost(cost: Cost) -> CostTrace:
    """Count everything by closed forms; nothing of that size is made.

    Parameters
    ----------
    cost : Cost
        The sizes.
    """
    sizes = cost.sizes
    named = sizes_of(sizes, cost.length, batch=cost.samples)
    return CostTrace(
        cost=cost,
        named=MappingProxyType(named),
        elements=tuple(product_of(line.shape, named) for line in LINES),
        work=tuple(product_of(line.work, named) for line in LINES),
        parameters=attention_parameters(sizes),
        cache=cache_bytes(
            sizes,
            cost.length,
            n_layers=cost.layers,
            batch=cost.samples,
            dtype=cost.dtype,
        ),
        crossing=crossing_length(sizes),
        curves=_curves(cost),
    )


def _curves(cost: Cost) -> Curves:
    sizes, m = cost.sizes, cost.samples
    work = [layer_work(sizes, length, batch=m) for length in LENGTHS]
    reach = cost.window or MOST_POSITIONS
    return Curves(
        scores=np.array([float(each.scores + each.mixing) for each in work]),
        projections=np.array([float(each.projections) for each in work]),
        window=np.array(
            [float(window_work(sizes, length, reach, batch=m)) for length in LENGTHS]
        ),
        score_bytes=np.array(
            [
                float(
                    array_bytes(
                        score_elements(
                            len_q=length, len_k=length, n_heads=sizes.n_heads, batch=m
                        ),
                        cost.dtype,
                    )
                )
                for length in LENGTHS
            ]
        ),
        cache_bytes=np.array(
            [
                float(cache_bytes(sizes, length, batch=m, dtype=cost.dtype))
                for length in LENGTHS
            ]
        ),
    )


def _product(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply the sizes of a line."""
    line = LINES[index[0]]
    factors = line.shape if stage == "cost_elements" else line.work
    if not factors:
        return given(sheet, stage, index)
    operands = tuple(sheet.operand(f"size_{factor}") for factor in factors)
    return collect(stage, index, "sum_of_products", [operands])


def _total(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Add up all lines."""
    source = ("cost_elements", "cost_work")[index[0]]
    lines = [(sheet.operand(source, (at,)),) for at in range(len(LINES))]
    return collect(stage, index, "sum", lines)


_RULES: Mapping[str, Rule] = MappingProxyType(
    {"cost_elements": _product, "cost_work": _product, "cost_totals": _total}
)
