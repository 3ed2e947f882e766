"""Checks that show a right result to be right, and a wrong one to be wrong."""

from attnviz.core.checks.attention import check_attention
from attnviz.core.checks.check import Check, CheckVerdict
from attnviz.core.checks.norms import check_layer_norm

__all__ = [
    "Check",
    "CheckVerdict",
    "check_attention",
    "check_layer_norm",
]
