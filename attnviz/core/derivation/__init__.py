"""Where every number comes from: any cell of a trace, worked out term by term."""

from attnviz.core.arrays.sheet import Index, Operand
from attnviz.core.derivation.arithmetic import (
    carry,
    collect,
    given,
    replay,
    settle,
    then,
)
from attnviz.core.derivation.pieces import (
    Derivation,
    Operation,
    Operator,
    Rule,
    Step,
    Term,
)
from attnviz.core.derivation.positions import derive_sinusoid
from attnviz.core.derivation.stages import LaidOut, derive

__all__ = [
    "Derivation",
    "Index",
    "LaidOut",
    "Operand",
    "Operation",
    "Operator",
    "Rule",
    "Step",
    "Term",
    "carry",
    "collect",
    "derive",
    "derive_sinusoid",
    "given",
    "replay",
    "settle",
    "then",
]
