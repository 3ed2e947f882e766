"""Judge what somebody computed, and say what it looks like."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attnviz.core.arrays.shapes import BoolArray
from attnviz.core.checks import AttentionCase, Check, attention_case
from attnviz.core.checks._attention import check_case
from attnviz.core.checks._norms import check_norm_case, norm_case
from attnviz.core.checks._result import result_of, value_size
from attnviz.core.checks._rounding import digits_precision, printed_decimals
from attnviz.core.diagnosis import Diagnosis, diagnose_attention, diagnose_layer_norm
from attnviz.core.diagnosis._reading import norm_readings, read_attention
from attnviz.core.errors import ShapeError
from attnviz.example.check.apart import Apart, tell_apart
from attnviz.example.check.arranging import arrange, left_out, misfit
from attnviz.example.check.brought import Brought
from attnviz.example.check.expecting import Placed, expect_all
from attnviz.example.check.settings import CheckSettings
from attnviz.example.checks import asked_of
from attnviz.example.compute import ExampleTrace
from attnviz.example.norms import NormExampleTrace
from attnviz.example.own.example import own_example
from attnviz.example.settings import SETTINGS, Example


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What was said of a result.

    Attributes
    ----------
    placed : Placed
        The result that is shown, beside what should come out.
    diagnosis : Diagnosis
        Verdict, checks and mistakes.
    checks : tuple of Check
        The single checks, as strict as the digits that were given allow.
    unit : float
        What distances are measured in, so that times it they are differences of cells.
    apart : tuple of Apart
        What tells the first mistake that fits from each other one that fits.
    results : tuple of Placed
        What was judged together.
    left_out : tuple of str
        Results that were not.
    """

    placed: Placed
    diagnosis: Diagnosis
    checks: tuple[Check, ...]
    unit: float
    apart: tuple[Apart, ...]
    results: tuple[Placed, ...]
    left_out: tuple[str, ...] = ()

    @property
    def limit(self) -> float:
        """How large a difference the digits explain."""
        loop = next(check for check in self.checks if check.id == "loop")
        digit = digits_precision(self.placed.given).digit
        return max((loop.tolerance or 0.0) * self.unit, digit)

    @property
    def decimals(self) -> int | None:
        """So many decimals the result was printed with; None if with all it has."""
        return printed_decimals(self.placed.given)

    @property
    def distance(self) -> float:
        """Largest difference from the right result."""
        return self.diagnosis.distance * self.unit

    @property
    def differs(self) -> BoolArray:
        """Cells that are not what they should be, of each table that was given."""
        if self.placed.values is None:
            return np.zeros((0, 0, 0), dtype=np.bool_)
        if self.diagnosis.verdict == "right":
            return np.zeros(self.placed.values.shape, dtype=np.bool_)
        # What was cut off may have lost twice as much as what was rounded.
        found: BoolArray = self.placed.gaps > 2 * self.limit
        return found


def inputs_of(example: Example, brought: Brought) -> Example:
    """Give the example that is asked about: inputs that came along take its place."""
    if brought.own is None:
        return example
    kept = {name: getattr(example, name) for name in SETTINGS}
    return own_example(brought.own, kept)


def judge(example: Example, settings: CheckSettings, brought: Brought) -> Judgement:
    """Compare results with what should come out, and with what mistakes give.

    Parameters
    ----------
    example : Example
        The inputs, the mask, the scale.
    settings : CheckSettings
        Which result it is, and how a normalization was meant.
    brought : Brought
        The results.

    Returns
    -------
    judgement : Judgement
        On what was computed with the same inputs. Where nobody says which result it
        is, it is taken for the nearest that explains it.

    Raises
    ------
    SettingError
        If a result has a shape that nothing gives.
    """
    expected = expect_all(inputs_of(example, brought), settings, brought.rows)
    best: Judgement | None = None
    for placed in arrange(expected, brought):
        try:
            found = _judge(placed)
        except ShapeError:
            continue
        if found.placed.values is None and not found.diagnosis.candidates:
            continue
        if _is_settled(found.diagnosis):
            best = found
            break
        best = best or found
    if best is None:
        raise misfit(expected, brought)
    return replace(best, left_out=left_out(brought, best.results))


def _judge(placed: Sequence[Placed]) -> Judgement:
    source = placed[0].expected.source
    if isinstance(source, NormExampleTrace):
        return _judge_norm(placed[0], source)
    return _judge_attention(placed, source)


def _judge_norm(placed: Placed, source: NormExampleTrace) -> Judgement:
    norm = source.norm
    output = placed.given if placed.values is None else placed.values[0]
    meant: dict[str, Any] = {"gamma": norm.gamma, "beta": norm.beta, "eps": norm.eps}
    diagnosis = diagnose_layer_norm(norm.x, output, **meant)
    checks = check_norm_case(next(norm_readings(norm_case(norm.x, output, **meant))))
    return Judgement(placed, diagnosis, checks, 1.0, (), (placed,))


def _judge_attention(placed: Sequence[Placed], source: ExampleTrace) -> Judgement:
    """Judge the heads that were given; where nothing fits, all heads together."""
    asked = asked_of(source)
    diagnosis = _diagnose(placed, _heads(asked, placed))
    if not _is_settled(diagnosis) and _heads(asked, placed) is not asked:
        whole = [replace(one, values=None) for one in placed]
        with suppress(ShapeError):
            other = _diagnose(whole, asked)
            if _is_settled(other):
                diagnosis, placed = other, whole
    case = attention_case(**_heads(asked, placed))
    kinds = tuple(one.expected.kind for one in placed)
    checks = _checks(case, placed) or diagnosis.checks
    unit = 1.0 if "weights" in kinds else value_size(case)
    apart = tell_apart(case, diagnosis, kinds)
    judged = [
        Judgement(one, diagnosis, checks, unit, apart, tuple(placed)) for one in placed
    ]
    # The first that is not right; of right ones, the first.
    return next((one for one in judged if one.differs.any()), judged[0])


def _is_settled(diagnosis: Diagnosis) -> bool:
    fits = any(candidate.fits for candidate in diagnosis.candidates)
    return diagnosis.verdict == "right" or fits


def _heads(asked: dict[str, Any], placed: Sequence[Placed]) -> dict[str, Any]:
    """Ask about the heads that were given alone."""
    n_heads = len(asked["q"])
    fewer = [
        (one.first, len(one.values))
        for one in placed
        if one.values is not None and len(one.values) < n_heads
    ]
    if not fewer:
        return asked
    first, count = fewer[0]
    per_head = ("q", "k", "v", "visible", "query_valid", "bias")
    return {
        name: value[first : first + count]
        if name in per_head and value is not None and len(value) == n_heads
        else value
        for name, value in asked.items()
    }


def _diagnose(placed: Sequence[Placed], asked: dict[str, Any]) -> Diagnosis:
    results = {
        one.expected.kind: one.given if one.values is None else one.values
        for one in placed
    }
    return diagnose_attention(
        **asked, weights=results.get("weights"), context=results.get("context")
    )


def _checks(case: AttentionCase, placed: Sequence[Placed]) -> tuple[Check, ...]:
    """Run the checks by the digits that were given; none where shapes differ."""
    found = {one.expected.kind: one.values for one in placed}
    if any(values is None for values in found.values()):
        return ()
    weights, context = found.get("weights"), found.get("context")
    plain = result_of(case, weights, context)
    with np.errstate(all="ignore"):
        return check_case(case, read_attention(case, plain, weights, context).result)
