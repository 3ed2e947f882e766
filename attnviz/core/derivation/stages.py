"""Derive any cell of any stage."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy.typing as npt

from attnviz.core.attention.multi_head import MultiHeadParameters, MultiHeadTrace
from attnviz.core.attention.scaled_dot_product import AttentionTrace
from attnviz.core.derivation._attention import ATTENTION_RULES
from attnviz.core.derivation._multi_head import MULTI_HEAD_RULES
from attnviz.core.derivation._norms import NORM_RULES
from attnviz.core.derivation.arithmetic import settle
from attnviz.core.derivation.pieces import Derivation, Index
from attnviz.core.derivation.sheet import LaidOut, Rule, Sheet, lay_out
from attnviz.core.layers.norms import NormTrace

Trace = AttentionTrace | MultiHeadTrace | NormTrace
_RULES: Mapping[str, Rule] = MappingProxyType(
    {**ATTENTION_RULES, **MULTI_HEAD_RULES, **NORM_RULES}
)


def derive(
    trace: Trace | LaidOut,
    stage: str,
    index: Index,
    *,
    x_q: npt.ArrayLike | None = None,
    x_k: npt.ArrayLike | None = None,
    x_v: npt.ArrayLike | None = None,
    parameters: MultiHeadParameters | None = None,
) -> Derivation:
    """Work out where one number of a trace comes from.

    Every operand names the cell it was read from, so a chain can be followed by
    deriving that cell in turn, down to the matrices that were given.

    Parameters
    ----------
    trace : AttentionTrace, MultiHeadTrace or NormTrace, or one with a sheet of its own
        What was computed; a NormTrace from `layer_norm`.
    stage : str
        A field of the trace, or a name that an operand carries. The fields
        `exp_scores` and `visible` are called exp and mask on screen; those of a
        NormTrace norm_input, norm_normalized and norm_output.
    index : tuple of int
        Place in that matrix, counted from 0: (..., head, i, j) with heads, (..., i, j)
        without, (..., i, 0) for maxima and sums of rows, () for single settings.
    x_q, x_k, x_v : array_like of shape (..., T, d), optional
        Inputs that a MultiHeadTrace was computed from, as in `multi_head_attend`;
        without them, chains end at q, k and v.
    parameters : MultiHeadParameters, optional
        Projections that a MultiHeadTrace was computed with; without them, chains end
        at q, k, v and output.

    Returns
    -------
    derivation : Derivation
        Terms and steps that give exactly the cell (see `replay`).

    Raises
    ------
    ValueError
        If there is no such stage, or inputs and parameters belong to another trace.
    ShapeError
        If there is no such place, inputs and parameters have other sizes than the
        trace, or a NormTrace does not have one mean a position.

    Examples
    --------
    >>> from attnviz.core.attention.scaled_dot_product import attend
    >>> trace = attend([[3.0, 4.0]], [[1.0, 2.0]], [[5.0]])
    >>> work = derive(trace, "raw_scores", (0, 0))
    >>> [term.value for term in work.terms], work.value
    ([3.0, 8.0], 11.0)
    """
    if isinstance(trace, Trace):
        sheet = lay_out(trace, x_q=x_q, x_k=x_k, x_v=x_v, parameters=parameters)
    else:
        sheet = trace.sheet()
    name, place = sheet.locate(stage, index)
    rule = sheet.rules.get(name) or _RULES.get(name, Sheet.given)
    return settle(rule(sheet, name, place), sheet.value(name, place))
