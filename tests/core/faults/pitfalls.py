"""Reference numbers of the thirty mistakes, and the example most of them share.

pitfalls.json was computed with NumPy 2.4.6 and asserted against PyTorch 2.13.0 to
1e-10, independently of the core.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from attnviz.core.checks.case import AttentionCase, attention_case

_DATA = json.loads(Path(__file__).with_name("pitfalls.json").read_text("utf-8"))
NUMBERS: dict[str, dict[str, Any]] = {
    entry["id"]: entry["numbers"] for entry in _DATA["entries"]
}
IDS = tuple(NUMBERS)

# Scaled scores are ln N, so the weights are N over its row sums.
LOG4 = {name.lower(): np.array(_DATA["base_LOG4"][name]) for name in "QKV"}
CAUSAL4 = np.tri(4, dtype=bool)


def numbers(fault: str, name: str) -> np.ndarray:
    """Read an array; "NaN" and "-Infinity" are strings in JSON."""
    return np.array(NUMBERS[fault][name], dtype=np.float64)


def log4(**options: Any) -> AttentionCase:
    """Ask the shared example."""
    return attention_case(**LOG4, **options)


def one_row(scores: list[float], **options: Any) -> AttentionCase:
    """Ask one query whose scaled scores are given, with the identity for values."""
    row = np.array(scores)
    return attention_case(
        np.ones((1, 1), row.dtype),
        row[:, None],
        np.eye(row.size, dtype=row.dtype),
        **options,
    )
