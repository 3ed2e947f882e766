"""Where every number comes from: any cell of a trace, worked out term by term."""

from attnviz.core.derivation.arithmetic import carry, collect, replay, settle, then
from attnviz.core.derivation.pieces import (
    Derivation,
    Index,
    Operand,
    Operation,
    Operator,
    Step,
    Term,
)
from attnviz.core.derivation.positions import derive_sinusoid
from attnviz.core.derivation.sheet import LaidOut, Rule, Sheet, lay_out, projections
from attnviz.core.derivation.stages import derive

__all__ = [
    "Derivation",
    "Index",
    "LaidOut",
    "Operand",
    "Operation",
    "Operator",
    "Rule",
    "Sheet",
    "Step",
    "Term",
    "carry",
    "collect",
    "derive",
    "derive_sinusoid",
    "lay_out",
    "projections",
    "replay",
    "settle",
    "then",
]
