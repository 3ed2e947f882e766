"""Say whether attention was computed rightly, and if not, how it went wrong."""

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, FloatArray, as_floats
from attnviz.core.attention.heads import split_heads
from attnviz.core.checks._attention import check_case
from attnviz.core.checks._result import result_of, without_batch
from attnviz.core.checks.case import AttentionCase, attention_case
from attnviz.core.checks.check import Check
from attnviz.core.diagnosis._measuring import is_guarded, weigh
from attnviz.core.diagnosis._reading import Given, read_attention
from attnviz.core.diagnosis._trying import Bench
from attnviz.core.diagnosis._weighing import (
    Evidence,
    Trial,
    best_reading,
    conclude,
    shortlist,
)
from attnviz.core.diagnosis.diagnosis import Diagnosis
from attnviz.core.errors import ShapeError

# What has another shape than the right result is not it.
_LOST = Check("loop", "fail", np.inf, None, None)


def diagnose_attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    context: npt.ArrayLike | None = None,
    visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    scale: float | None = None,
    bias: npt.ArrayLike | None = None,
    softcap: float | None = None,
) -> Diagnosis:
    """Check attention results, and compare them with what faulty code gives.

    Parameters
    ----------
    q, k, v : array_like
        As in `check_attention`.
    weights, context : array_like, optional
        Results to diagnose, at least one. The context may have its heads side by side,
        as (..., T_q, H·d_v).
    visible, query_valid, scale, bias, softcap : optional
        As in `check_attention`.

    Returns
    -------
    diagnosis : Diagnosis
        Rows of padding queries, and of queries that see no key, can make it a
        convention but never wrong.

    Raises
    ------
    ShapeError
        If arguments disagree about a dimension, or the context has a shape that no
        known mistake gives it.
    MaskError
        If a mask is not boolean or leaves its axes to be guessed.
    ValueError
        If there is no result to diagnose, or a number is out of its range.

    Notes
    -----
    Numbers are as precise as their digits say, those of the inputs too: what was
    printed with two decimals or more may have been rounded, or cut off. Whatever that
    explains is right, unless a mistake explains every number without it and by far
    more than chance.

    Examples
    --------
    >>> rounded = [[0.7311, 0.2689], [0.2689, 0.7311]]
    >>> found = diagnose_attention(np.eye(2), np.eye(2), np.eye(2), weights=rounded)
    >>> found.verdict, found.candidates[0].fault.id, found.candidates[0].variant
    ('wrong', 'P02', 'unscaled')
    """
    case = attention_case(
        q,
        k,
        v,
        visible=visible,
        query_valid=query_valid,
        scale=scale,
        bias=bias,
        softcap=softcap,
    )
    if weights is None and context is None:
        raise ValueError(
            "diagnose_attention: give a result, `weights` or `context`; got neither"
        )
    laid_out = None if context is None else _laid_out(case, context)
    odd = laid_out is not None and laid_out.shape != case.answer.context.shape
    plain = result_of(case, weights, None if odd else laid_out)
    if plain.weights.size == 0 or (laid_out is not None and laid_out.size == 0):
        raise ValueError("diagnose_attention: the result holds no number to diagnose")
    given = read_attention(
        case,
        plain if laid_out is None else replace(plain, context=laid_out),
        None if weights is None else plain.weights,
        laid_out,
    )
    with np.errstate(all="ignore"):
        found = _judge_odd(case, given) if odd else _judge(case, given)
    return replace(found, checks=check_case(case, plain))


def _judge(case: AttentionCase, given: Given) -> Diagnosis:
    """Weigh the ways to read the digits against the mistakes."""
    readings = tuple(given.readings(case))
    strict, evidence, printed = best_reading(
        readings, partial(weigh, case), lambda reading: reading.blur.any
    )
    if evidence.failed and is_guarded(case, given):
        evidence = Evidence((), strict.right, explained=True)
    trials: tuple[Trial, ...] = ()
    if printed or not evidence.explained:
        bench = Bench(case, given, readings, strict)
        if not printed:
            trials = shortlist(bench.trials(blurred=True), strict)
        elif not bench.surprise.doubtful:
            # Rounding of the inputs explains it; a mistake must do so without.
            nearest = shortlist(bench.trials(blurred=False), strict)
            trials = bench.surprise.beyond_doubt(nearest)
            evidence = strict if trials else evidence
    verdict = conclude(trials, evidence)
    named = () if verdict == "right" else tuple(trial.candidate for trial in trials)
    return Diagnosis(verdict, (), named, strict.right)


def _judge_odd(case: AttentionCase, given: Given) -> Diagnosis:
    """Look for a mistake that gives a context of another shape.

    Raises
    ------
    ShapeError
        If there is none.
    """
    readings = tuple(given.readings(case))
    lost = Evidence((_LOST,), np.inf, explained=False)
    bench = Bench(case, given, readings, lost)
    shape = given.result.context.shape
    if shape not in bench.shapes():
        raise ShapeError(
            "diagnose_attention: `context` needs shape (..., T_q, d_v) = "
            f"{case.answer.context.shape}, or one that a known mistake gives it; "
            f"got {shape}"
        )
    trials = shortlist(bench.trials(blurred=True), lost)
    return Diagnosis("wrong", (), tuple(trial.candidate for trial in trials), np.inf)


def _laid_out(case: AttentionCase, context: npt.ArrayLike) -> FloatArray:
    """Take a context; heads that stand side by side are no mistake."""
    (found,) = as_floats("diagnose_attention", context=context)
    right = case.answer.context
    if right.ndim > 2:
        *leading, heads, length, width = right.shape
        merged = without_batch(found, (*leading, length, heads * width))
        if merged.shape == (*leading, length, heads * width):
            return split_heads(merged, heads)
    return without_batch(found, right.shape)
