"""A sheet of paper with one row of scores, divided and not, and its key."""

import math

import numpy as np

from attnviz.core.attention.weights import softmax
from attnviz.core.gradients import softmax_jacobian_norm
from attnviz.example.matrices import MATRICES
from attnviz.example.scaling.compute import ScalingTrace
from attnviz.export.exercise import DECIMALS, rounded
from attnviz.export.paper import Writer

# Keys that are worked on by hand.
_MOST = 6


def scaling_worksheet(trace: ScalingTrace, writer: Writer) -> str:
    """Write the sheet of the Scaling lab.

    Returns
    -------
    document : str
        As `attention_worksheet`.
    """
    raw = rounded(trace.matrices["row_raw"][:, :_MOST])
    count = raw.shape[1]
    root = math.sqrt(trace.settings.d_k)
    keys = [str(key + 1) for key in range(count)]
    open_row = np.ones((1, count), dtype=np.bool_)
    given = writer.section(
        writer.words("export.sheet.given"),
        "",
        [
            writer.table(
                raw,
                rows=[MATRICES["row_raw"].plain],
                columns=keys,
                decimals=DECIMALS,
            )
        ],
    )
    parts = []
    for at, divisor in enumerate((1.0, root)):
        scores = raw / divisor
        weights = softmax(scores)
        letters = [MATRICES["divided"].plain, MATRICES["shares"].plain]
        norm = np.array([[float(softmax_jacobian_norm(weights)[0])]])
        parts.append(
            writer.section(
                writer.words(f"export.sheet.scaling.{at + 1}", d_k=trace.settings.d_k),
                writer.formula("softmax"),
                [
                    writer.table(
                        scores, rows=letters[:1], columns=keys, blank=open_row
                    ),
                    writer.table(
                        weights, rows=letters[1:], columns=keys, blank=open_row
                    ),
                    writer.table(
                        norm,
                        rows=["‖J‖"],
                        blank=np.ones((1, 1), dtype=bool),
                    ),
                ],
            )
        )
    return writer.document("scaling", [given, *parts])
