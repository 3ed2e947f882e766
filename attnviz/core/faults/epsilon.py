"""The ε that a normalization was made with, and where it stands."""

import math
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.faults._solving import roundest, weight_noise
from attnviz.core.faults.fault import Solved
from attnviz.core.layers.norms import NormTrace

# What libraries and papers use, the usual first.
_IN_USE = (1e-5, 1e-6, 1e-12, 1e-8, 1e-3, 1e-7, 1e-4, 1e-9, 1e-10, 0.0)


@dataclass(frozen=True, slots=True)
class Form:
    """A way to normalize.

    Attributes
    ----------
    centred : bool
        Whether the mean is subtracted.
    ddof : int
        What is taken from d where squared deviations are divided.
    outside : bool
        Whether ε is added to the root instead of under it.
    """

    centred: bool = True
    ddof: int = 0
    outside: bool = False

    def deviations(self, x: FloatArray) -> FloatArray:
        """Give what is divided."""
        return x - x.mean(axis=-1, keepdims=True) if self.centred else x

    def square(self, x: FloatArray) -> FloatArray:
        """Give the variance, or the mean square, of each position."""
        total = np.square(self.deviations(x)).sum(axis=-1, keepdims=True)
        variance: FloatArray = total / (x.shape[-1] - self.ddof)
        return variance

    def output(self, trace: NormTrace, eps: float) -> FloatArray:
        """Normalize with this ε."""
        x = trace.x.astype(np.float64, copy=False)
        square = self.square(x)
        root = np.sqrt(square) + eps if self.outside else np.sqrt(square + eps)
        with np.errstate(divide="ignore", invalid="ignore"):
            divided = np.where(root == 0, 0, self.deviations(x) / root)
        output: FloatArray = trace.gamma * divided + trace.beta
        return output

    def bounds(self, trace: NormTrace, output: FloatArray) -> tuple[float, float]:
        """Find the smallest and the largest ε that the digits of an output allow."""
        x = trace.x.astype(np.float64, copy=False)
        slope = trace.gamma * self.deviations(x)
        noise = weight_noise(output) + 4e-16 * np.abs(trace.beta)
        size = np.square(slope).sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = (slope * (output - trace.beta)).sum(axis=-1, keepdims=True) / size
            error = (np.abs(slope) * noise).sum(axis=-1, keepdims=True) / size
            ends = [
                self._epsilon(self.square(x), 1 / (factor + off))
                for off in (error, -error)
            ]
        telling = (size > 0) & (factor > 0) & (error < factor / 4)
        low, high = (np.where(telling, end, np.nan) for end in ends)
        if not telling.any():
            return math.nan, math.nan
        return float(np.nanmax(low)), float(np.nanmin(high))

    def _epsilon(self, square: FloatArray, root: FloatArray) -> FloatArray:
        inside: FloatArray = root - np.sqrt(square)
        if not self.outside:
            inside = inside * (root + np.sqrt(square))
        return inside


def solve_epsilon(
    trace: NormTrace, output: FloatArray, form: Form | None = None
) -> Solved | None:
    """Find the ε of an output.

    Parameters
    ----------
    trace : NormTrace
        The right computation.
    output : FloatArray of shape (..., d)
        What someone computed.
    form : Form, optional
        The way it was normalized; the right one if left out.

    Returns
    -------
    solved : Solved or None
        ``eps``: one that is in use if the digits allow it; None where no ε fits.
    """
    form = form or Form()
    if trace.x.shape[-1] <= form.ddof:
        return None
    low, high = form.bounds(trace, output)
    if not high >= max(low, 0.0):
        return None
    used = next((eps for eps in _IN_USE if low <= eps <= high), None)
    eps = roundest((low + high) / 2, (high - low) / 2) if used is None else used
    if eps < 0:
        return None
    # What is in use is not made up to fit.
    return Solved(form.output(trace, eps), {"eps": eps}, int(used is None))


def other_epsilon(trace: NormTrace, eps: float = 1e-12) -> FloatArray:
    """Normalize rightly with another ε.

    Parameters
    ----------
    trace : NormTrace
        The right computation.
    eps : float, default=1e-12
        The other ε.

    Returns
    -------
    output : FloatArray of shape (..., d)
        Differs most where the spread is small.
    """
    return Form().output(trace, eps)
