"""Compute everything the Scaling lab shows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.arrays.sheet import Sheet
from attnviz.core.attention import ScoreMoments, score_moments
from attnviz.core.attention.weights import softmax
from attnviz.core.gradients import softmax_jacobian_norm
from attnviz.example.matrices import D_K, MATRICES, Matrix
from attnviz.example.scaling.draws import (
    Draws,
    Measured,
    draw_scores,
    drawn,
    sequences,
    standard_error,
)
from attnviz.example.scaling.gradients import Back, compute_back
from attnviz.example.scaling.row import ROW_RULES, row_matrices
from attnviz.example.scaling.settings import SIZES, Scaling
from attnviz.example.screen import Screen

UNSCALED = "÷1"
TEMPERED = (2.0, 1.0, 0.0)
_DIVISORS = ("÷ 1", "÷ √dₖ", "÷ dₖ", "÷ √d")
_OWN_NAMES: Mapping[str, Matrix] = MappingProxyType(
    {
        **MATRICES,
        "d_k": D_K,
        **{
            f"a{mark}{name}": replace(matrix, sub=f"{matrix.sub} {UNSCALED}".strip())
            for name, matrix in {**MATRICES, "d_k": D_K}.items()
            for mark in "._"
        },
    }
)


@dataclass(frozen=True, slots=True)
class RowStatistics:
    """What the softmax makes of rows, for each divisor.

    Attributes
    ----------
    largest, entropy, norm : FloatArray of shape (divisors,)
        Largest weight, entropy in nats, and norm of the Jacobian.
    """

    largest: FloatArray
    entropy: FloatArray
    norm: FloatArray


@dataclass(frozen=True, slots=True)
class ScalingTrace:
    """All numbers of the Scaling lab; read-only.

    Attributes
    ----------
    settings : Scaling
        What they depend on.
    draws : Draws
        Scores at every size of a key, and the curves over it.
    raw : FloatArray of shape (sequences, T, T)
        Dot products at the size that is chosen.
    theory : ScoreMoments
        What the assumptions say of them.
    deviation : Measured
        Standard deviation of the raw scores, as measured.
    means : RowStatistics
        Means over all rows.
    errors : RowStatistics
        Standard errors of those means.
    row : int
        The row that is shown, counted from 0.
    own : RowStatistics
        Of that row.
    matrices : mapping of str to FloatArray
        Scores, weights and Jacobians of that row; the exact case.
    scaled, unscaled : Back
        The gradient's way, with scores divided by √d_k and not.
    """

    settings: Scaling
    draws: Draws
    raw: FloatArray
    theory: ScoreMoments
    deviation: Measured
    means: RowStatistics
    errors: RowStatistics
    row: int
    own: RowStatistics
    matrices: Mapping[str, FloatArray]
    scaled: Back
    unscaled: Back

    @property
    def n_rows(self) -> int:
        """How many rows have been drawn: whole sequences of them."""
        return int(np.prod(self.raw.shape[:2]))

    def sheet(self) -> Sheet:
        """Lay out the row, the exact case and both gradients for derivations."""
        back = self.scaled.sheet()
        return Sheet(
            {**back.matrices, **self.matrices},
            back.synonyms,
            {**back.rules, **ROW_RULES},
            parts={"a": self.unscaled.sheet()},
        )

    def screen(self) -> Screen:
        """Name all matrices as they stand on screen."""
        sheet = self.sheet()
        found = {
            name: matrix
            for name, matrix in sheet.matrices.items()
            if matrix.ndim and _OWN_NAMES[name].axes
        }
        first = {
            f"a_{name}": matrix
            for name, matrix in sheet.parts["a"].matrices.items()
            if matrix.ndim and _OWN_NAMES[name].axes
        }
        curves = {
            "curve_largest": self.draws.largest.mean,
            "curve_largest_error": self.draws.largest.error,
            "curve_norm": self.draws.norm.mean,
            "curve_norm_error": self.draws.norm.error,
        }
        labels = {"divisor": self.divisor_names, "size": tuple(map(str, SIZES))}
        return Screen({**found, **first, **curves}, labels, names=_OWN_NAMES)

    @property
    def divisor_names(self) -> tuple[str, ...]:
        """What stands before the rows of the four divisors."""
        settings = self.settings
        if settings.other == "d_model":
            return _DIVISORS
        return (*_DIVISORS[:3], f"÷ dₖ^{settings.power:g}")


@remember(12_000_000)
def compute_scaling(settings: Scaling) -> ScalingTrace:
    """Draw and compute everything the Scaling lab shows.

    Parameters
    ----------
    settings : Scaling
        What is drawn, and by what scores are divided.

    Returns
    -------
    trace : ScalingTrace
        The same object for equal settings while it is remembered.
    """
    of = drawn(settings)
    draws = draw_scores(of)
    raw = draws.raw[SIZES.index(settings.d_k)]
    each = [statistics_of(softmax(raw / np.float32(c))) for c in settings.divisors]
    means, errors = _over_rows(each)
    row = settings.row - 1
    if not 0 <= row < raw.shape[0] * raw.shape[1]:
        row = _nearest(each, means)
    place, at = divmod(row, settings.keys)
    both = sequences(of, [place])
    q, k = (side[0, :, : settings.d_k].astype(float) for side in both)
    matrices = row_matrices(q[at : at + 1], k, settings.divisors)
    return ScalingTrace(
        settings=settings,
        draws=draws,
        raw=raw,
        theory=_theory(settings),
        deviation=_deviation(raw),
        means=means,
        errors=errors,
        row=row,
        own=statistics_of(matrices["shares"]),
        matrices=MappingProxyType(matrices),
        scaled=compute_back(settings, is_scaled=True),
        unscaled=compute_back(settings, is_scaled=False),
    )


def statistics_of(weights: FloatArray) -> RowStatistics:
    """Measure every row of weights."""
    logs = np.log(np.where(weights > 0, weights, 1))
    return RowStatistics(
        weights.max(axis=-1),
        -(weights * logs).sum(axis=-1),
        softmax_jacobian_norm(weights),
    )


def tempered(temperature: float) -> FloatArray:
    """Give the weights of the scores 2, 1, 0 at a temperature."""
    return softmax(np.array(TEMPERED) / temperature)


def _over_rows(each: list[RowStatistics]) -> tuple[RowStatistics, RowStatistics]:
    """Give means and standard errors of every statistic, divisor by divisor."""
    fields = ("largest", "entropy", "norm")
    per_sequence = [
        np.array([getattr(one, field).mean(axis=-1, dtype=float) for one in each])
        for field in fields
    ]
    means = RowStatistics(*(read_only(one.mean(axis=-1)) for one in per_sequence))
    errors = RowStatistics(*(read_only(standard_error(one)) for one in per_sequence))
    return means, errors


def _nearest(each: list[RowStatistics], means: RowStatistics) -> int:
    """Find the row whose largest weights are nearest to the means, divided or not."""
    gaps = sum(
        np.abs(each[at].largest - means.largest[at]) / means.largest[at]
        for at in range(2)
    )
    return int(np.argmin(gaps))


def _theory(settings: Scaling) -> ScoreMoments:
    if settings.law == "components":
        return score_moments(
            settings.d_k, correlation=settings.correlation, mean=settings.mean
        )
    # Each component of q and k has the variance d·σ², σ² that of the entries of W.
    gain = 1 if settings.law == "inverse" else settings.width**2
    return ScoreMoments(0.0, float(settings.d_k * gain))


def _deviation(raw: FloatArray) -> Measured:
    """Measure the standard deviation of all scores, and how sure that is."""
    wide = raw.astype(float)
    deviation = wide.std()
    second = np.square(wide - wide.mean()).mean(axis=(-1, -2))
    error = standard_error(second) / (2 * deviation)
    return Measured(np.asarray(deviation), np.asarray(error))
