"""Say whether a gradient was carried back rightly through attention."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    as_floats,
    quiet,
)
from attnviz.core.checks._limits import EXACT, Blur, weight_errors
from attnviz.core.checks._result import without_batch
from attnviz.core.checks._rounding import Precision
from attnviz.core.checks.case import AttentionCase, attention_case
from attnviz.core.diagnosis._comparing import Attempt, Part, compare, precision_of
from attnviz.core.diagnosis._reading import lost_digits
from attnviz.core.diagnosis.diagnosis import Diagnosis
from attnviz.core.errors import ShapeError
from attnviz.core.faults import FAULTS
from attnviz.core.faults.backwards import GradientCase

_NAME = "diagnose_gradients"


@quiet
def diagnose_gradients(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    d_context: npt.ArrayLike,
    *,
    gradient_q: npt.ArrayLike | None = None,
    gradient_k: npt.ArrayLike | None = None,
    gradient_v: npt.ArrayLike | None = None,
    gradient_scores: npt.ArrayLike | None = None,
    gradient_weights: npt.ArrayLike | None = None,
    visible: BoolArray | None = None,
    query_valid: BoolArray | None = None,
    scale: float | None = None,
    bias: npt.ArrayLike | None = None,
    softcap: float | None = None,
) -> Diagnosis:
    """Check gradients of attention, and compare them with what faulty code gives.

    Parameters
    ----------
    q, k, v : array_like
        As in `attend`.
    d_context : array_like of shape (..., T_q, d_v)
        Gradient of the loss with respect to the context.
    gradient_q, gradient_k, gradient_v : array_like, optional
        dQ, dK and dV, of the shapes of `q`, `k` and `v`.
    gradient_scores, gradient_weights : array_like of shape (..., T_q, T_k), optional
        dS, of the scaled scores, and dA. At least one gradient must be given.
    visible, query_valid, scale, bias, softcap : optional
        As in `attend`.

    Returns
    -------
    diagnosis : Diagnosis
        Verdict, one check for each gradient under the name of its argument, and the
        mistakes that explain all of them.

    Raises
    ------
    ShapeError
        If arguments disagree about a dimension, or a gradient has a shape that no
        known mistake gives it.
    MaskError
        If a mask is not boolean or leaves its axes to be guessed.
    ValueError
        If there is no gradient to diagnose, or a number is out of its range.

    Notes
    -----
    The right gradients are those of `attend_backward`. What dA holds where the mask
    hides has no right answer, for the weight there is 0 whatever it is.

    Examples
    --------
    >>> eye = np.eye(2)
    >>> found = diagnose_gradients(eye, eye, eye, eye, gradient_scores=eye)
    >>> found.verdict, found.candidates[0].variant
    ('wrong', 'left_out')
    """
    given = {
        "q": gradient_q,
        "k": gradient_k,
        "v": gradient_v,
        "scores": gradient_scores,
        "weights": gradient_weights,
    }
    results = {
        name: as_floats(_NAME, **{f"gradient_{name}": part})[0]
        for name, part in given.items()
        if part is not None
    }
    if not results:
        raise ValueError(f"{_NAME}: give a gradient, such as `gradient_q`; got none")
    inputs = as_floats(_NAME, q=q, k=k, v=v, d_context=d_context)
    case = attention_case(
        *(part.astype(np.float64) for part in inputs[:3]),
        visible=visible,
        query_valid=query_valid,
        scale=scale,
        bias=bias,
        softcap=softcap,
    )
    upstream = without_batch(inputs[3].astype(np.float64), case.answer.context.shape)
    if upstream.shape != case.answer.context.shape:
        raise ShapeError(
            f"{_NAME}: `d_context` needs the shape of the context, "
            f"{case.answer.context.shape}; got {upstream.shape}"
        )
    asked = GradientCase(case.answer, upstream)
    with np.errstate(all="ignore"):
        right = asked.answer
    bounds = {
        name: _Bounds(case, upstream, precision_of(part, *inputs))
        for name, part in results.items()
    }
    hidden = {"weights": case.answer.visible}
    parts = [
        Part(
            f"gradient_{name}",
            without_batch(part, right[name].shape),
            right[name],
            bounds[name].precision,
            bounds[name].of(name),
            hidden.get(name, np.ones((), dtype=np.bool_)),
            check=f"gradient_{name}",
        )
        for name, part in results.items()
    ]
    return compare(
        _NAME,
        parts,
        lambda: _attempts(asked),
        inputs_printed=any(bound.is_printed for bound in bounds.values()),
    )


def _attempts(case: GradientCase) -> Iterator[Attempt]:
    for fault in FAULTS:
        for variant in fault.variants:
            if variant.subject != "gradients":
                continue
            made = variant.run(case)
            if made is not None:
                named = {f"gradient_{name}": part for name, part in made.items()}
                yield Attempt(fault, variant, named, variant.convention)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """How far gradients may be off that are as precise as a result."""

    case: AttentionCase
    d_context: FloatArray
    precision: Precision

    @property
    def is_printed(self) -> bool:
        """Whether inputs may have lost digits."""
        return self._blur.any or self._lost_above > 0

    @property
    def _blur(self) -> Blur:
        bias = self.case.bias
        q, k, v = (
            lost_digits(part, self.precision.step)
            for part in (self.case.q, self.case.k, self.case.v)
        )
        return Blur(
            q, k, v, 0.0 if bias is None else lost_digits(bias, self.precision.step)
        )

    @property
    def _lost_above(self) -> float:
        return lost_digits(self.d_context, self.precision.step)

    def of(self, name: str) -> "_Bound":
        """Bound the errors of one gradient."""
        return _Bound(self, name)

    def all(self, times: int) -> Mapping[str, FloatArray]:
        """Carry the errors of inputs and of each step along, in sizes alone."""
        case, own = self.case, self.precision
        blur = self._blur if times else EXACT
        lost = Blur(*(times * part for part in (blur.q, blur.k, blur.v, blur.bias)))
        above = times * self._lost_above if times else 0.0
        bare = Precision(own.unit, own.tolerance, own.growth, own.floor)
        relative = weight_errors(case, bare, lost)
        sizes = (case.q, case.k, case.v, self.d_context, case.answer.weights)
        q, k, v, up, weights = (np.abs(np.nan_to_num(part)) for part in sizes)
        off = np.minimum(weights * np.expm1(np.minimum(relative, 30.0)), 1) + own.floor
        tol, scale = own.tolerance, abs(case.scale)
        mixed = up @ v.swapaxes(-1, -2)
        of_mixed = (
            tol * mixed
            + above * v.sum(axis=-1)[..., None, :]
            + lost.v * up.sum(axis=-1, keepdims=True)
            + up.shape[-1] * above * lost.v
        )
        mean = (weights * mixed).sum(axis=-1, keepdims=True)
        scores = weights * (mixed + mean)
        of_scores = (
            tol * scores
            + (weights + off) * (of_mixed + (weights * of_mixed).sum(-1, keepdims=True))
            + (weights + off) * (off * mixed).sum(axis=-1, keepdims=True)
            + off * (mixed + mean)
        )
        by_key, of_by_key = scores.swapaxes(-1, -2), of_scores.swapaxes(-1, -2)
        return {
            "v": (weights + off).swapaxes(-1, -2) @ (tol * up + above)
            + off.swapaxes(-1, -2) @ up,
            "weights": of_mixed,
            "scores": of_scores,
            "q": scale * (of_scores @ (k + lost.k) + scores @ (tol * k + lost.k)),
            "k": scale * (of_by_key @ (q + lost.q) + by_key @ (tol * q + lost.q)),
        }


@dataclass(frozen=True, slots=True)
class _Bound:
    """How far one gradient may be off."""

    bounds: _Bounds
    name: str

    def __call__(self, times: int) -> FloatArray:
        """Bound it with inputs off by so many times half of their last digits."""
        return self.bounds.all(times)[self.name]
