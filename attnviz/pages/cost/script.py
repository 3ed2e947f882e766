"""The script of the Cost lab."""

import numpy as np

from attnviz.core.cost import LINES
from attnviz.example.cost.calculator import CostTrace
from attnviz.example.matrices import MATRICES
from attnviz.export.dialect import Dialect, Words, assemble, section, shown


def cost_script(trace: CostTrace, dialect: Dialect, words: Words) -> str:
    """Write the script that counts what is on screen."""
    sizes = [f"{_letter(name)} = {size:_}" for name, size in trace.named.items()]
    counted = [
        _list(dialect, "elements", [line.shape for line in LINES]),
        _list(dialect, "work", [line.work for line in LINES]),
    ]
    return assemble(
        dialect,
        words,
        words("export.script.cost"),
        1.0,
        [
            section(words("export.script.sizes"), *sizes),
            section(words("export.script.lines"), *counted),
            shown(
                dialect,
                words("export.script.shown"),
                {
                    "elements": np.array(trace.elements, dtype=float),
                    "work": np.array(trace.work, dtype=float),
                },
            ),
        ],
    )


def _letter(name: str) -> str:
    matrix = MATRICES[f"size_{name}"]
    return "_".join(filter(None, (matrix.base, matrix.sub)))


def _list(dialect: Dialect, name: str, products: list[tuple[str, ...]]) -> str:
    """Write products of sizes, one a line, as floats: they may exceed whole numbers."""
    lines = [
        f"    1.0 * {' * '.join(map(_letter, factors))}," if factors else "    0.0,"
        for factors in products
    ]
    return "\n".join([f"{name} = {dialect.array}([", *lines, "])"])
