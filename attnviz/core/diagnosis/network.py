"""Say whether a position-wise network was computed rightly, and if not, why."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    FloatArray,
    as_floats,
    expect,
    quiet,
)
from attnviz.core.checks._result import without_batch
from attnviz.core.checks._rounding import Precision
from attnviz.core.diagnosis._comparing import Attempt, Part, compare, precision_of
from attnviz.core.diagnosis._reading import lost_digits
from attnviz.core.diagnosis.diagnosis import Diagnosis
from attnviz.core.faults import FAULTS
from attnviz.core.layers.network import (
    Activation,
    FeedForwardParameters,
    FeedForwardTrace,
)

_NAME = "diagnose_feed_forward"


@quiet
def diagnose_feed_forward(
    x: npt.ArrayLike,
    *,
    parameters: FeedForwardParameters,
    activated: npt.ArrayLike | None = None,
    output: npt.ArrayLike | None = None,
    activation: Activation = "relu",
) -> Diagnosis:
    """Check what a position-wise network gives, and name what others make of it.

    Parameters
    ----------
    x : array_like of shape (..., T, d)
        Positions.
    parameters : FeedForwardParameters
        The network.
    activated : array_like of shape (..., T, d_ff), optional
        Results to diagnose: the hidden layer after its activation.
    output : array_like of shape (..., T, d), optional
        Results to diagnose: what comes out. At least one must be given.
    activation : {"relu", "gelu", "gelu_tanh"}, default="relu"
        As in `feed_forward`.

    Returns
    -------
    diagnosis : Diagnosis
        Verdict, one check for each result under the name of its argument, and what
        explains them: another form of GELU is a convention.

    Raises
    ------
    ShapeError
        If arguments disagree about a dimension.
    TypeError
        If `parameters` is no FeedForwardParameters.
    ValueError
        If there is nothing to diagnose, or the activation has another name.

    Examples
    --------
    >>> from attnviz.core import FeedForwardParameters
    >>> line = FeedForwardParameters([[1.0]], [0.0], [[1.0]], [0.0])
    >>> bent = line.apply([[0.5], [-1.5]], "gelu_tanh").output
    >>> found = diagnose_feed_forward(
    ...     [[0.5], [-1.5]], parameters=line, output=bent, activation="gelu"
    ... )
    >>> found.verdict, found.candidates[0].variant
    ('convention', 'other_gelu')
    """
    expect(_NAME, "parameters", parameters, FeedForwardParameters)
    given = {"activated": activated, "output": output}
    results = {
        name: as_floats(_NAME, **{name: part})[0]
        for name, part in given.items()
        if part is not None
    }
    if not results:
        raise ValueError(
            f"{_NAME}: give a result, `activated` or `output`; got neither"
        )
    trace = parameters.apply(x, activation)
    p = parameters
    sources = trace.x, p.w_1, p.b_1, p.w_2, p.b_2
    bounds = {
        name: _Bound(trace, precision_of(part, *sources), name)
        for name, part in results.items()
    }
    parts = [
        Part(
            name,
            without_batch(part, getattr(trace, name).shape),
            getattr(trace, name),
            bounds[name].precision,
            bounds[name],
            check=name,
        )
        for name, part in results.items()
    ]
    return compare(
        _NAME,
        parts,
        lambda: _attempts(trace),
        inputs_printed=any(
            lost_digits(source, bound.precision.step) > 0
            for bound in bounds.values()
            for source in sources
        ),
    )


def _attempts(trace: FeedForwardTrace) -> Iterator[Attempt]:
    for fault in FAULTS:
        for variant in fault.variants:
            if variant.subject != "network":
                continue
            made = variant.run(trace)
            if made is not None:
                yield Attempt(fault, variant, made, variant.convention)


@dataclass(frozen=True, slots=True)
class _Bound:
    """How far one result of a network may be off."""

    trace: FeedForwardTrace
    precision: Precision
    name: str

    def __call__(self, times: int) -> FloatArray:
        """Bound it with inputs off by so many times half of their last digits."""
        p, own = self.trace.parameters, self.precision
        arrays = self.trace.x, p.w_1, p.b_1, p.w_2, p.b_2
        x, w_1, b_1, w_2, b_2 = (np.abs(a.astype(np.float64)) for a in arrays)
        of_x, of_w_1, of_b_1, of_w_2, of_b_2 = (
            times * lost_digits(part, own.step) if times else 0.0 for part in arrays
        )
        tol = own.tolerance
        hidden: FloatArray = tol * (x @ w_1 + b_1) + of_b_1
        hidden += (of_x * w_1.sum(axis=0)) + of_w_1 * x.sum(axis=-1, keepdims=True)
        hidden += x.shape[-1] * of_x * of_w_1
        # No activation is steeper than GELU at its steepest.
        size = np.abs(self.trace.activated)
        activated: FloatArray = 1.13 * hidden + tol * size
        if self.name == "activated":
            return activated
        output: FloatArray = activated @ (w_2 + of_w_2) + tol * (size @ w_2 + b_2)
        output += of_w_2 * size.sum(axis=-1, keepdims=True) + of_b_2
        return output
