"""A sheet of paper with the lines of a layer to count, and its key."""

import numpy as np

from attnviz.core.cost import LINES
from attnviz.example.cost.calculator import CostTrace
from attnviz.example.matrices import MATRICES
from attnviz.export.paper import Writer


def cost_worksheet(trace: CostTrace, writer: Writer) -> str:
    """Write the sheet of the Cost lab.

    Returns
    -------
    document : str
        As `attention_worksheet`.
    """
    sizes = np.array([list(trace.named.values())], dtype=float)
    letters = [MATRICES[f"size_{name}"].plain for name in trace.named]
    counted = np.array([trace.elements, trace.work], dtype=float).T
    columns = [writer.words(f"cost.column.{name}") for name in ("elements", "work")]
    return writer.document(
        "cost",
        [
            writer.section(
                writer.words("export.sheet.given"),
                "",
                [writer.table(sizes, columns=letters, decimals=0)],
            ),
            writer.section(
                writer.words("cost.caption"),
                "",
                [
                    writer.table(
                        counted,
                        rows=[MATRICES[line.name].plain for line in LINES[:8]]
                        + ["F", "Y"],
                        columns=columns,
                        blank=np.ones(counted.shape, dtype=np.bool_),
                        decimals=0,
                    )
                ],
            ),
        ],
    )
