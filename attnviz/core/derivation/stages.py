"""Derive any cell of any stage."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from attnviz.core.arrays.shapes import expect
from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation._attention import ATTENTION_RULES
from attnviz.core.derivation._multi_head import MULTI_HEAD_RULES
from attnviz.core.derivation._network import NETWORK_RULES
from attnviz.core.derivation._norms import NORM_RULES
from attnviz.core.derivation.arithmetic import carry, given, settle, then
from attnviz.core.derivation.pieces import Derivation, Rule

_RULES: Mapping[str, Rule] = MappingProxyType(
    {**ATTENTION_RULES, **MULTI_HEAD_RULES, **NORM_RULES, **NETWORK_RULES}
)


@runtime_checkable
class LaidOut(Protocol):
    """A trace that lays itself out."""

    def sheet(self) -> Sheet:
        """Give all matrices by the names on screen, and the rules beyond the core."""
        ...


def derive(trace: LaidOut, stage: str, index: Index) -> Derivation:
    """Work out where one number of a trace comes from.

    Every operand names the cell it was read from, so a chain can be followed by
    deriving that cell in turn, down to the matrices that were given.

    Parameters
    ----------
    trace : any trace
        What was computed. A NormTrace must come from `layer_norm`.
    stage : str
        A field of the trace, or a name that an operand carries. Some fields have
        another name on screen: `visible` of an AttentionTrace is mask there; those of
        norms begin with norm, those of networks with ffn. Stages of a trace within the
        trace are named with a point: ``"norm_1.norm_mean"``.
    index : tuple of int
        Place in that matrix, counted from 0: (..., head, i, j) with heads, (..., i, j)
        without, (..., i, 0) for maxima and sums of rows, () for single settings.

    Returns
    -------
    derivation : Derivation
        Terms and steps that give exactly the cell (see `replay`).

    Raises
    ------
    ValueError
        If there is no such stage.
    ShapeError
        If there is no such place, or a NormTrace does not have one mean a position.

    Examples
    --------
    >>> from attnviz.core import attend
    >>> trace = attend([[3.0, 4.0]], [[1.0, 2.0]], [[5.0]])
    >>> work = derive(trace, "raw_scores", (0, 0))
    >>> [term.value for term in work.terms], work.value
    ([3.0, 8.0], 11.0)
    """
    expect("derive", "trace", trace, LaidOut)
    expect("derive", "stage", stage, str)
    sheet = trace.sheet()
    name, place = sheet.locate(stage, index)
    part, own = sheet.owner(name)
    if name in sheet.sources:
        work = _from_sources(sheet, name, place)
    elif own in part.sources:
        work = _from_sources(part, own, place)
    else:
        work = (part.rules.get(own) or _RULES.get(own, given))(part, own, place)
    return replace(settle(work, sheet.value(name, place)), stage=name)


def _from_sources(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Copy a cell, or add the cells of others."""
    if sheet.is_given(stage):
        return given(sheet, stage, index)
    first, *others = (sheet.operand(name, index) for name in sheet.sources[stage])
    work = carry(stage, index, first)
    for each in others:
        work = then(work, "add", each)
    operator = sheet.operators.get(stage)
    return work if operator is None else then(work, operator)
