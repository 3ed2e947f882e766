"""The ways an example can score queries against keys."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.attention.scores import additive_scores, bilinear_scores

ScoringKind = Literal["dot", "bilinear", "additive"]
SCORING_KINDS: tuple[ScoringKind, ...] = get_args(ScoringKind)


@dataclass(frozen=True, slots=True)
class ScoringMatrices:
    """The learned parts of a score, one set for all heads; all are read-only.

    Attributes
    ----------
    w : FloatArray of shape (d_k, d_k)
        Matrix W of the bilinear score qᵀ W k.
    w_q, w_k : FloatArray of shape (d_a, d_k)
        Matrices of the additive score vᵀ tanh(W_q q + W_k k).
    v : FloatArray of shape (d_a,)
        Read-out of the additive score.
    """

    w: FloatArray
    w_q: FloatArray
    w_k: FloatArray
    v: FloatArray

    def __post_init__(self) -> None:
        """Lock every array: all who look at an example share them."""
        for field in fields(self):
            locked = read_only(np.asarray(getattr(self, field.name), dtype=float))
            object.__setattr__(self, field.name, locked)


def random_scoring(seed: int, d_k: int, *, largest: int) -> ScoringMatrices:
    """Draw matrices whose scores spread by about 1, as scaled dot products do.

    Parameters
    ----------
    seed : int
        The seed on screen.
    d_k : int
        Width of queries and keys, and of the hidden layer of the additive score.
    largest : int
        The largest width there can be.

    Returns
    -------
    matrices : ScoringMatrices
        W ~ N(0, 1/d_k²); W_q, W_k ~ N(0, 1/(2d_k)); v ~ N(0, 1/d_k).
    """
    square = (largest, largest)
    part = 1 / math.sqrt(2 * d_k)
    return ScoringMatrices(
        w=draw(seed, "score_w", square)[:d_k, :d_k] / d_k,
        w_q=part * draw(seed, "score_w_q", square)[:d_k, :d_k],
        w_k=part * draw(seed, "score_w_k", square)[:d_k, :d_k],
        v=draw(seed, "score_v", (largest,))[:d_k] / math.sqrt(d_k),
    )


@dataclass(frozen=True, slots=True)
class ScoringRule:
    """How one kind scores queries against keys.

    Attributes
    ----------
    parts : tuple of str
        The learned parts that it uses.
    score : callable or None
        Takes queries, keys and those parts; None for the dot product, which alone is
        divided by √d_k.
    """

    parts: tuple[str, ...] = ()
    score: Callable[..., FloatArray] | None = None


SCORING_RULES: Mapping[ScoringKind, ScoringRule] = MappingProxyType(
    {
        "dot": ScoringRule(),
        "bilinear": ScoringRule(("w",), bilinear_scores),
        "additive": ScoringRule(("w_q", "w_k", "v"), additive_scores),
    }
)


def score_of(
    kind: ScoringKind, matrices: ScoringMatrices
) -> Callable[[FloatArray, FloatArray], FloatArray] | None:
    """Choose the rule that scores queries against keys.

    Parameters
    ----------
    kind : ScoringKind
        How well a key matches a query.
    matrices : ScoringMatrices
        Its learned parts.

    Returns
    -------
    score : callable or None
        What `attend` takes; None for the dot product.
    """
    rule = SCORING_RULES[kind]
    if rule.score is None:
        return None
    return partial(rule.score, **{name: getattr(matrices, name) for name in rule.parts})


def moved_queries(q: FloatArray, matrices: ScoringMatrices) -> FloatArray:
    """Multiply queries by the matrix of the bilinear score.

    Parameters
    ----------
    q : FloatArray of shape (..., T_q, d_k)
        Queries as they meet the keys.
    matrices : ScoringMatrices
        The learned parts of the score.

    Returns
    -------
    moved : FloatArray of shape (..., T_q, d_k)
        Q·W, whose products with the keys are the scores.
    """
    return read_only(q @ matrices.w)
