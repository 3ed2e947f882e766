"""The matrices of a trace by the names they have on screen."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, as_floats
from attnviz.core.attention.multi_head import MultiHeadParameters, MultiHeadTrace
from attnviz.core.attention.scaled_dot_product import AttentionTrace
from attnviz.core.derivation.pieces import Derivation, Index, Operand
from attnviz.core.errors import ShapeError
from attnviz.core.layers.norms import NormTrace

_ATTENTION_NAMES = {"visible": "mask", "exp": "exp_scores"}
_NORM_NAMES = {
    "x": "norm_input",
    "mean": "norm_mean",
    "variance": "norm_variance",
    "normalized": "norm_normalized",
    "output": "norm_output",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything a trace holds, by the names on screen.

    Attributes
    ----------
    matrices : mapping of str to FloatArray
        The arrays; single settings have no axes.
    synonyms : mapping of str to str
        Fields of the trace that have another name on screen.
    rules : mapping of str to Rule
        How the cells of further matrices come about, beyond the rules of the core.
    """

    matrices: Mapping[str, FloatArray]
    synonyms: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, "Rule"] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        """Tell whether there is a matrix of that name."""
        return name in self.matrices

    def shape(self, name: str) -> tuple[int, ...]:
        """Give the shape of a matrix."""
        return self.matrices[name].shape

    def value(self, name: str, index: Index = ()) -> float:
        """Read one cell."""
        return float(self.matrices[name][index])

    def given(self, stage: str, index: Index) -> Derivation:
        """End a chain: nothing in the trace leads to this cell."""
        value = self.value(stage, index)
        return Derivation(stage, index, "given", (), value, (), value)

    def operand(
        self, name: str, index: Index = (), within: tuple[int, ...] = ()
    ) -> Operand:
        """Read the cell that a computation over a larger shape meets.

        Parameters
        ----------
        name : str
            Matrix to read.
        index : tuple of int
            Place in the computation: first along the axes of `within`, then along the
            last axes of the matrix itself.
        within : tuple of int
            Shape over which the matrix is spread: axes it lacks or has once are
            broadcast, and heads are shared in order 0, 0, 1, 1, ….

        Returns
        -------
        operand : Operand
            The number with its own place in the matrix.
        """
        shape = self.shape(name)
        n_shared = len(shape) - (len(index) - len(within))
        first = len(within) - n_shared
        shared = (
            place * size // full
            for place, size, full in zip(
                index[first : len(within)],
                shape[:n_shared],
                within[first:],
                strict=True,
            )
        )
        own = (*shared, *index[len(within) :])
        return Operand(name, own, self.value(name, own))

    def locate(self, stage: str, index: Index) -> tuple[str, Index]:
        """Check a stage and a place, and give both their usual form.

        Parameters
        ----------
        stage : str
            Name on screen, or field of the trace.
        index : tuple of int
            Place in that matrix.

        Returns
        -------
        stage, index : str, tuple of int
            The name on screen, and the place in plain whole numbers.

        Raises
        ------
        ValueError
            If there is no such stage.
        ShapeError
            If there is no such place.
        """
        name = self.synonyms.get(stage, stage)
        if name not in self.matrices:
            raise ValueError(
                f"derive: `stage` needs one of {', '.join(sorted(self.matrices))}; "
                f"got {stage!r}"
            )
        shape = self.shape(name)
        try:
            place = tuple(map(operator.index, index))
            is_there = all(
                0 <= each < size for each, size in zip(place, shape, strict=True)
            )
        except (TypeError, ValueError):
            is_there = False
        if not is_there:
            raise ShapeError(
                f"derive: `index` needs a place in {name} of shape {shape}, counted "
                f"from 0; got {index}"
            )
        return name, place


Rule = Callable[[Sheet, str, Index], Derivation]
"""Derives the cell at a place of a stage."""


class LaidOut(Protocol):
    """A trace that lays itself out."""

    def sheet(self) -> Sheet:
        """Give all matrices by the names on screen, and the rules beyond the core."""
        ...


def lay_out(
    trace: AttentionTrace | MultiHeadTrace | NormTrace,
    *,
    x_q: npt.ArrayLike | None = None,
    x_k: npt.ArrayLike | None = None,
    x_v: npt.ArrayLike | None = None,
    parameters: MultiHeadParameters | None = None,
) -> Sheet:
    """Collect the matrices of a trace and of what it was computed from.

    Parameters
    ----------
    trace : AttentionTrace, MultiHeadTrace or NormTrace
        What was computed.
    x_q, x_k, x_v : array_like, optional
        Inputs of a MultiHeadTrace.
    parameters : MultiHeadParameters, optional
        Projections of a MultiHeadTrace.

    Returns
    -------
    sheet : Sheet
        All matrices by the names on screen.

    Raises
    ------
    ShapeError
        If a NormTrace does not have one mean a position.
    """
    if isinstance(trace, NormTrace):
        return Sheet(_norm(trace), _NORM_NAMES)
    if isinstance(trace, AttentionTrace):
        return Sheet(_attention(trace), _ATTENTION_NAMES)
    matrices = _attention(trace.attention) | {
        "q": trace.q,
        "k": trace.k,
        "v": trace.v,
        "joined": trace.joined,
        "output": trace.output,
    }
    if parameters is not None:
        matrices |= projections(parameters)
    return Sheet(matrices | _inputs(x_q, x_k, x_v), _ATTENTION_NAMES)


def projections(parameters: MultiHeadParameters) -> dict[str, FloatArray]:
    """Name the projections of a layer, and the biases it has.

    Parameters
    ----------
    parameters : MultiHeadParameters
        The projections.

    Returns
    -------
    matrices : dict of str to FloatArray
        By the names on screen.
    """
    return _arrays(parameters, {})


def _arrays(
    trace: AttentionTrace | NormTrace | MultiHeadParameters, names: Mapping[str, str]
) -> dict[str, FloatArray]:
    """Take every field that holds numbers as an array under its name on screen."""
    fields = {name: getattr(trace, name) for name in trace.__slots__}
    return {
        names.get(name, name): np.asarray(value)
        for name, value in fields.items()
        if not isinstance(value, str | None)
    }


def _attention(trace: AttentionTrace) -> dict[str, FloatArray]:
    matrices = _arrays(trace, _ATTENTION_NAMES)
    matrices["mask"] = np.where(trace.visible, 0.0, -np.inf)
    matrices["d_k"] = np.array(float(trace.q.shape[-1]))
    return matrices


def _norm(trace: NormTrace) -> dict[str, FloatArray]:
    if trace.per != "position":
        raise ShapeError(
            "derive: `trace` needs one mean a position, as layer_norm takes it: "
            f"{trace.x.shape[:-1]}; got one a {trace.per}, {trace.mean.shape}"
        )
    return _arrays(trace, _NORM_NAMES) | {"d": np.array(float(trace.x.shape[-1]))}


def _inputs(
    x_q: npt.ArrayLike | None, x_k: npt.ArrayLike | None, x_v: npt.ArrayLike | None
) -> dict[str, FloatArray]:
    """Name the inputs: one x for self-attention, more for cross-attention."""
    named = {"x" if x_k is None else "x_q": x_q, "x_k": x_k, "x_v": x_v}
    return {
        name: as_floats("derive", **{name: value})[0]
        for name, value in named.items()
        if value is not None
    }
