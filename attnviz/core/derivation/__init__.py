"""Where every number comes from: any cell of a trace, worked out term by term."""

from attnviz.core.derivation.arithmetic import replay
from attnviz.core.derivation.pieces import (
    Derivation,
    Operand,
    Operation,
    Operator,
    Step,
    Term,
)
from attnviz.core.derivation.positions import derive_sinusoid
from attnviz.core.derivation.stages import derive

__all__ = [
    "Derivation",
    "Operand",
    "Operation",
    "Operator",
    "Step",
    "Term",
    "derive",
    "derive_sinusoid",
    "replay",
]
