"""Matrices that a preset writes down number by number, or that a reader brings."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.attention.multi_head import MultiHeadParameters

_NONE: Mapping[str, FloatArray] = MappingProxyType({})

# The widths d, d_k and d_v that an example has where no matrix asks for others.
USUAL_WIDTHS = (8, 4, 4)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes that matrices ask of an example, under the names it has for them.

    Attributes
    ----------
    n_queries : int
        Number of positions.
    key_length : int
        Number of keys from elsewhere; 0 where each position is a key too.
    n_heads, d_model, d_k, d_v : int
        Sizes H, d, d_k and d_v.
    """

    n_queries: int
    key_length: int
    n_heads: int
    d_model: int
    d_k: int
    d_v: int


@dataclass(frozen=True, slots=True)
class FixedMatrices:
    """Inputs and projections.

    Attributes
    ----------
    x : FloatArray of shape (T, d)
        Inputs.
    w_q, w_k : FloatArray of shape (H, d, d_k)
        Query and key projections.
    w_v : FloatArray of shape (H, d, d_v)
        Value projections.
    w_o : FloatArray of shape (H·d_v, d), or None
        Output projection. None where nothing joins the heads.
    x_k : FloatArray of shape (T_k, d), or None
        Inputs of keys and values, if those come from elsewhere.
    labels, key_labels : tuple of str
        Words at the positions and, with `x_k`, at the keys; empty for those of the
        text, or for x₁, x₂, … and y₁, y₂, ….
    scoring : mapping of str to FloatArray
        Learned parts of the bilinear and the additive score that are written down, by
        their names in `ScoringMatrices`; the seed gives the others.
    claimed : FloatArray or None
        Weights, of any shape, that someone computed from all this.
    """

    x: FloatArray
    w_q: FloatArray
    w_k: FloatArray
    w_v: FloatArray
    w_o: FloatArray | None = None
    x_k: FloatArray | None = None
    labels: tuple[str, ...] = ()
    key_labels: tuple[str, ...] = ()
    scoring: Mapping[str, FloatArray] = field(default_factory=lambda: _NONE)
    claimed: FloatArray | None = None

    def __post_init__(self) -> None:
        """Lock every array: all who look at them share them."""
        _lock(self, "x", "w_q", "w_k", "w_v", "w_o", "x_k", "claimed")

    @property
    def parameters(self) -> MultiHeadParameters:
        """The projections as the multi-head layer takes them.

        Where nothing joins the heads, zeros stand in for an output that nobody sees.
        """
        w_o = self.w_o
        if w_o is None:
            heads, d_model, _ = self.w_q.shape
            w_o = np.zeros((heads * self.w_v.shape[-1], d_model))
        return MultiHeadParameters(self.w_q, self.w_k, self.w_v, w_o)

    @property
    def sizes(self) -> Sizes:
        """What an example must be like to show these matrices."""
        n_heads, d_model, d_k = self.w_q.shape
        n_keys = 0 if self.x_k is None else len(self.x_k)
        return Sizes(len(self.x), n_keys, n_heads, d_model, d_k, self.w_v.shape[-1])


@dataclass(frozen=True, slots=True)
class GivenMatrices:
    """Queries, keys and values, with no inputs that they come from.

    Attributes
    ----------
    q : FloatArray of shape (H, T_q, d_k)
        Queries; those of a single head may come without its axis.
    k : FloatArray of shape (H, T_k, d_k)
        Keys, likewise.
    v : FloatArray of shape (H, T_k, d_v)
        Values, likewise.
    is_cross : bool
        Whether the keys are other positions than the queries.
    labels, key_labels : tuple of str
        Words at the queries and, with `is_cross`, at the keys; may be empty.
    scoring : mapping of str to FloatArray
        Learned parts of the score, likewise.
    has_fractions : bool
        Whether weights and context are simple fractions.
    claimed : FloatArray or None
        Weights, of any shape, that someone computed from all this.
    """

    q: FloatArray
    k: FloatArray
    v: FloatArray
    is_cross: bool = False
    labels: tuple[str, ...] = ()
    key_labels: tuple[str, ...] = ()
    scoring: Mapping[str, FloatArray] = field(default_factory=lambda: _NONE)
    has_fractions: bool = False
    claimed: FloatArray | None = None

    def __post_init__(self) -> None:
        """Lock every array, with an axis for its heads."""
        _lock(self, "q", "k", "v", "claimed")
        for name in "qkv":
            matrix = getattr(self, name)
            if matrix.ndim == 2:
                object.__setattr__(self, name, matrix[None])

    @property
    def sizes(self) -> Sizes:
        """What an example must be like to show these matrices; d is taken as d_k."""
        heads, queries, d_k = self.q.shape
        keys, d_v = self.v.shape[1:]
        return Sizes(queries, keys if self.is_cross else 0, heads, d_k, d_k, d_v)


@dataclass(frozen=True, slots=True)
class GivenWeights:
    """Attention weights with nothing that they come from.

    Attributes
    ----------
    weights : FloatArray of shape (H, T_q, T_k)
        Weights.
    is_cross : bool
        Whether the keys are other positions than the queries.
    labels, key_labels : tuple of str
        Words at the queries and, with `is_cross`, at the keys; may be empty.
    """

    weights: FloatArray
    is_cross: bool = False
    labels: tuple[str, ...] = ()
    key_labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Lock the array: all who look at it share it."""
        _lock(self, "weights")

    @property
    def sizes(self) -> Sizes:
        """What an example must be like to show these weights."""
        heads, queries, keys = self.weights.shape
        return Sizes(queries, keys if self.is_cross else 0, heads, *USUAL_WIDTHS)


Fixed = FixedMatrices | GivenMatrices | GivenWeights


def looking_heads(
    length: int,
    *looks: dict[tuple[int, int], float],
    labels: tuple[str, ...] = (),
) -> FixedMatrices:
    """Construct heads in which chosen positions look at chosen others.

    One-hot inputs and W_K = I make W_Q the table of the scores, up to √d_k; W_V = I
    makes the context of a head its weights, and W_O takes their mean.

    Parameters
    ----------
    length : int
        Number of positions T, and of features d, d_k and d_v.
    *looks : dict of (int, int) to float
        For each head, scaled scores by (query, key); all others are 0.
    labels : tuple of str, optional
        Words at the positions.

    Returns
    -------
    matrices : FixedMatrices
        One head for each of `looks`.
    """
    eye = np.eye(length)
    heads = len(looks)
    w_q = np.zeros((heads, length, length))
    for head, scores in enumerate(looks):
        for place, score in scores.items():
            w_q[(head, *place)] = score * length**0.5
    each = np.broadcast_to(eye, w_q.shape)
    w_o = np.tile(eye, (heads, 1)) / heads
    return FixedMatrices(eye, w_q, each, each, w_o, labels=labels)


def proportional_weights(shares: npt.ArrayLike, v: npt.ArrayLike) -> GivenMatrices:
    """Construct queries and keys whose weights are simple fractions.

    With Q = √d_k · I and k_j the logarithms of column j, the scaled scores are the
    logarithms of the table, so each weight is its share of the row.

    Parameters
    ----------
    shares : array_like of shape (T, T)
        Positive numbers N.
    v : array_like of shape (T, d_v)
        Values.

    Returns
    -------
    matrices : GivenMatrices
        With A = N over its row sums.
    """
    table = np.asarray(shares, dtype=float)
    q = len(table) ** 0.5 * np.eye(len(table))
    return GivenMatrices(
        q, np.log(table).T, np.asarray(v, dtype=float), has_fractions=True
    )


def sines(start: float, *shape: int) -> FloatArray:
    """Write down numbers that anybody can: the sines of start, start + 1 and so on.

    Examples
    --------
    >>> sines(0, 2, 2).round(4)
    array([[0.    , 0.8415],
           [0.9093, 0.1411]])
    """
    table: FloatArray = np.sin(np.arange(math.prod(shape)) + start).reshape(shape)
    return table


def _lock(record: Fixed, *names: str) -> None:
    for name in names:
        matrix = getattr(record, name)
        if matrix is not None:
            locked = read_only(np.asarray(matrix, dtype=float))
            object.__setattr__(record, name, locked)
