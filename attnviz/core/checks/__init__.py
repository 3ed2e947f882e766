"""Checks that show a right result to be right, and a wrong one to be wrong."""

from attnviz.core.checks.attention import check_attention
from attnviz.core.checks.case import AttentionCase, attention_case
from attnviz.core.checks.check import Check, CheckVerdict
from attnviz.core.checks.norms import check_layer_norm
from attnviz.core.checks.weights import check_weights

__all__ = [
    "AttentionCase",
    "Check",
    "CheckVerdict",
    "attention_case",
    "check_attention",
    "check_layer_norm",
    "check_weights",
]
