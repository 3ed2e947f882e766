"""Make every mistake with the same inputs, and see which explains a result."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from attnviz.core.arrays.randomness import stream
from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks._limits import Limits
from attnviz.core.checks._measures import differences
from attnviz.core.checks._result import AttentionResult, errors_of, value_size
from attnviz.core.checks.case import AttentionCase, attention_case
from attnviz.core.diagnosis._measuring import Measure, rows_to_explain
from attnviz.core.diagnosis._reading import Given
from attnviz.core.diagnosis._weighing import FOUND, Evidence, Surprise, Trial
from attnviz.core.diagnosis.diagnosis import Candidate
from attnviz.core.faults import FAULTS, Fault, Outcome, Variant

# Inputs are moved so often to see what their lost digits do to a mistake; the typical
# effect so many times is as much as they can do.
_MOVES, _REACH = 8, 6.0
_NEAREST = 5


class Bench:
    """Where mistakes are tried on one result.

    Parameters
    ----------
    case : AttentionCase
        What was asked.
    given : Given
        What was computed.
    readings : tuple of AttentionResult
        The ways to read it.
    right : Evidence
        How far it is from the right one.
    """

    def __init__(
        self,
        case: AttentionCase,
        given: Given,
        readings: tuple[AttentionResult, ...],
        right: Evidence,
    ) -> None:
        self.case, self.given = case, given
        self.near, self.size = right.right / 2, value_size(case)
        rows = rows_to_explain(case, failed=right.failed)
        measures = [Measure(case, reading, rows) for reading in readings]
        self.errors = [errors_of(case, reading) for reading in readings]
        self.exact = [m for m in measures if not m.reading.blur.any]
        self.blurred = measures[len(self.exact) :]
        self.surprise = self._surprise(0)

    def _surprise(self, place: int) -> Surprise:
        """Compare the result with the right one, as one of its readings."""
        measure = [*self.exact, *self.blurred][place]
        right = Outcome(*measure.reading.exact)
        gaps = measure.gaps(
            self.given, right, measure.limits(right, self.errors[place])
        )
        if not gaps:
            return Surprise(np.full(1, np.inf))
        answered, part = self.case.answered, gaps[0]
        measured, allowed = (
            np.broadcast_to(a, part.measured.shape)[answered]
            for a in (part.measured, part.allowed)
        )
        whole = None
        if self.given.weights is not None:
            lacking = np.abs(measure.reading.weights[answered].sum(axis=-1) - 1)
            whole = lacking <= allowed.sum(axis=-1)
        return Surprise.of(measured, allowed, whole=whole)

    def shapes(self) -> set[tuple[int, ...]]:
        """List the shapes that mistakes give the context."""
        outcomes = [v.run(self.case) for _, v in _variants(solved=False)]
        return {made.context.shape for made in outcomes if made is not None}

    def trials(self, *, blurred: bool) -> list[Trial]:
        """Try every mistake; `blurred`: inputs may have been printed as well."""
        fixed = list(self._fixed())
        if blurred and self.blurred and not any(t.candidate.fits for _, t in fixed):
            fixed = self._once_more(fixed)
        found = [trial for _, trial in fixed]
        if not any(trial.candidate.fits for trial in found):
            found += self._solved(blurred=blurred)
        return found

    def _fixed(self) -> Iterator[tuple[Variant, Trial]]:
        """Make the mistakes that leave nothing free; keep those that come nearer."""
        for fault, variant in _variants(solved=False):
            made = variant.run(self.case)
            if made is None:
                continue
            distance = self.exact[0].distance(self.given, made, self.size)
            if not distance < self.near:
                continue
            fits = any(
                measure.fits(self.given, made, measure.limits(made, errors))
                for measure, errors in zip(self.exact, self.errors, strict=False)
            )
            yield variant, Trial(self._named(fault, variant, distance, fits=fits))

    def _once_more(
        self, trials: list[tuple[Variant, Trial]]
    ) -> list[tuple[Variant, Trial]]:
        """See whether the lost digits of the inputs explain what is left."""
        by_distance = sorted(trials, key=lambda pair: pair[1].candidate.distance)
        tried = [self._blurred(*pair) for pair in by_distance[:_NEAREST]]
        return tried + by_distance[_NEAREST:]

    def _blurred(self, variant: Variant, trial: Trial) -> tuple[Variant, Trial]:
        made = variant.run(self.case)
        for place, measure in enumerate(self.blurred):
            moved = [variant.run(case) for case in self._moved(measure)]
            reach = Limits(
                *(
                    _REACH
                    * _typical([getattr(m, part) for m in moved], getattr(made, part))
                    for part in ("weights", "context")
                )
            )
            exact = self.exact[min(place, len(self.exact) - 1)]
            own = exact.limits(made)
            may = Limits(own.weights + reach.weights, own.context + reach.context)
            if exact.fits(self.given, made, may):
                return variant, replace(
                    trial, candidate=replace(trial.candidate, fits=True)
                )
        return variant, trial

    def _moved(self, measure: Measure) -> Iterator[AttentionCase]:
        """Move each input by what its last digit may have lost."""
        case, blur = self.case, measure.reading.blur
        rng = stream(0, "blur")
        for _ in range(_MOVES):
            q, k, v = (
                part + size * rng.choice([-1.0, 1.0], part.shape)
                for part, size in ((case.q, blur.q), (case.k, blur.k), (case.v, blur.v))
            )
            yield attention_case(
                q,
                k,
                v,
                visible=case.visible,
                query_valid=case.query_valid,
                scale=case.scale,
                bias=case.bias,
                softcap=case.softcap,
            )

    def _solved(self, *, blurred: bool) -> Iterator[Trial]:
        """Find what other mistakes leave free, and keep what explains the result."""
        for fault, variant in _variants(solved=True):
            trials = (
                self._solve(fault, variant, place, blurred=blurred)
                for place in range(len(self.exact))
            )
            first = next((trial for trial in trials if trial is not None), None)
            if first is not None:
                yield first

    def _solve(
        self, fault: Fault, variant: Variant, place: int, *, blurred: bool
    ) -> Trial | None:
        """Solve for one reading of the result, from exact inputs or printed ones."""
        read = self.exact[place].reading
        found = variant.solve and variant.solve(
            self.case,
            None if self.given.weights is None else read.weights,
            None if self.given.context is None else read.context,
        )
        if not found:
            return None
        measures = {place: self.exact[place]}
        if blurred and self.blurred:
            measures[len(self.exact) + place] = self.blurred[place]
        for at, measure in measures.items():
            own = measure.limits(found.made, self.errors[at])
            may = Limits(FOUND * own.weights, FOUND * own.context)
            if not measure.fits(self.given, found.made, may):
                continue
            if self._surprise(at).telling(found.n_free):
                distance = self.exact[0].distance(self.given, found.made, self.size)
                named = self._named(fault, variant, distance, fits=True)
                return Trial(replace(named, found=found.found), found.n_free)
        return None

    def _named(
        self, fault: Fault, variant: Variant, distance: float, *, fits: bool
    ) -> Candidate:
        convention = meant(self.case, fault, variant)
        return Candidate(fault, distance, variant.name, convention, fits)


def meant(case: AttentionCase, fault: Fault, variant: Variant) -> bool:
    """Tell whether others do this on purpose.

    Nobody reads a mask in another way where there is none.
    """
    asked = not (case.visible & case.query_valid[..., None]).all()
    return variant.convention and (asked or fault.stage != "mask")


def _variants(*, solved: bool) -> Iterator[tuple[Fault, Variant]]:
    for fault in FAULTS:
        for variant in fault.variants:
            free = variant.solve is not None
            if variant.subject in ("attention", "layout") and free == solved:
                yield fault, variant


def _typical(moved: list[FloatArray], still: FloatArray) -> FloatArray:
    """Give the root of the mean square of what moving the inputs did."""
    squares = [np.square(np.nan_to_num(differences(m, still))) for m in moved]
    typical: FloatArray = np.sqrt(np.mean(squares, axis=0))
    return typical
