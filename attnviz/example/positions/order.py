"""Does order matter? One example twice, the second time with its tokens moved."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.shapes import FloatArray, IntArray, read_only
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.errors import SettingError
from attnviz.example.choices.masks import MaskKind, mask_of_kind
from attnviz.example.choices.positions import (
    POSITION_KINDS,
    POSITION_RULES,
    PositionKind,
    added_positions,
    bias_of,
    turn_of,
)
from attnviz.example.choices.scores import score_of
from attnviz.example.compute import ExampleTrace, compute
from attnviz.example.positions.rounding import rounding_among
from attnviz.example.positions.settings import PositionsSettings
from attnviz.example.settings import Example
from attnviz.example.sources.drawn import MAX_LENGTH
from attnviz.example.sources.fixed import GivenMatrices, GivenWeights

Tried = tuple[PositionKind, MaskKind]
TRIED_MASKS: tuple[MaskKind, ...] = ("none", "causal")


@dataclass(frozen=True, slots=True)
class OrderTrace:
    """Two runs of one example; read-only.

    Attributes
    ----------
    order : tuple of int
        Which token stands at each place of the second run.
    original, moved : ExampleTrace
        The runs.
    back : FloatArray of shape (H, T, d_v)
        What the second run gives each token, Πᵀ·C(ΠX).
    change : FloatArray of shape (H, T, d_v)
        Second minus first.
    largest : mapping of (PositionKind, MaskKind) to float
        Largest magnitude of the change in the shown head, for every kind of positions
        and mask that can be.
    """

    order: tuple[int, ...]
    original: ExampleTrace
    moved: ExampleTrace
    back: FloatArray
    change: FloatArray
    largest: Mapping[Tried, float]

    @property
    def places(self) -> tuple[int, ...]:
        """Where each token stands in the second run."""
        return tuple(np.argsort(self.order).tolist())

    def largest_change(self, head: int) -> float:
        """Give the largest magnitude of the change in a head."""
        return float(np.abs(self.change[head]).max())

    def rounding(self, head: int) -> float:
        """Tell up to which size a change in a head is rounding."""
        attention = self.original.attention
        scores = np.abs(attention.raw_scores[head]).max() * abs(attention.scale)
        # Scores that were rounded move shares of the values.
        steepness = max(1.0, float(scores) / self.original.example.temperature)
        return steepness * rounding_among(attention.v[head])


def fit_order(settings: PositionsSettings, length: int) -> tuple[int, ...]:
    """Give the order of so many tokens.

    Parameters
    ----------
    settings : PositionsSettings
        An order, or the number of a shuffle.
    length : int
        Number of tokens.

    Returns
    -------
    order : tuple of int
        Which token stands at each place. One more token leaves the others in order.
    """
    if not settings.order:
        keys = draw(settings.order_seed, "order", (MAX_LENGTH,))[:length]
        return tuple(np.argsort(keys).tolist())
    kept = [token for token in settings.order if token < length]
    return (*kept, *range(len(kept), length))


def why_not(
    kind: PositionKind, example: Example, settings: PositionsSettings
) -> SettingError | None:
    """Say why positions of a kind cannot be, if so.

    Parameters
    ----------
    kind : PositionKind
        How positions are told apart.
    """
    rule = POSITION_RULES[kind]
    length = len(example.tokens)
    if rule.table is not None and isinstance(example.fixed, GivenMatrices):
        return SettingError("no_inputs")
    if kind == "sinusoidal" and example.d_model % 2:
        return SettingError("odd_width", got=example.d_model)
    if kind == "learned" and length > settings.trained_length:
        return SettingError(
            "beyond_trained", got=length, trained=settings.trained_length
        )
    if rule.turn is not None and example.d_k % 2:
        return SettingError("odd_pairs", got=example.d_k)
    return None


def compute_order(
    example: Example, settings: PositionsSettings, head: int
) -> OrderTrace:
    """Attend twice, and compare.

    Parameters
    ----------
    head : int
        The shown head.

    Raises
    ------
    SettingError
        If the example is no self-attention, or has no such positions.
    """
    if isinstance(example.fixed, GivenWeights):
        raise SettingError("order_of_weights")
    if example.is_cross:
        raise SettingError("order_of_cross")
    error = why_not(example.positions, example, settings)
    if error is not None:
        raise error
    order = fit_order(settings, len(example.tokens))
    encoding = settings.encoding(example)
    original = compute(example, encoding=encoding)
    moved = compute(example, order, encoding)
    back = read_only(moved.attention.context[:, np.argsort(order)])
    change = read_only(back - original.attention.context)
    tried = _try_all(original, order, settings, head)
    if example.mask in TRIED_MASKS:
        shown = float(np.abs(change[head]).max())
        tried[example.positions, example.mask] = shown
    return OrderTrace(order, original, moved, back, change, tried)


def _try_all(
    original: ExampleTrace,
    order: tuple[int, ...],
    settings: PositionsSettings,
    head: int,
) -> dict[Tried, float]:
    """Measure the change of one head for every kind of positions and mask, at once."""
    example = original.example
    kinds = [kind for kind in POSITION_KINDS if not why_not(kind, example, settings)]
    runs = np.array([range(len(order)), order])
    met = [_meeting(kind, original, runs, head) for kind in kinds]
    length = len(order)
    masks = [
        mask_of_kind(mask, length, length, example.mask_parameters)
        for mask in TRIED_MASKS
    ]
    shape = (len(TRIED_MASKS), len(kinds), 2)
    scoring = original.scoring
    context = attend(
        *(np.broadcast_to(one, (*shape, *one.shape[2:])) for one in _stacked(met)),
        visible=np.broadcast_to(
            np.stack(masks)[:, None, None], (*shape, length, length)
        ),
        bias=np.broadcast_to(
            np.stack([_bias(kind, original, head) for kind in kinds])[:, None],
            (*shape, length, length),
        ),
        scale=example.scale,
        temperature=example.temperature,
        score=None if scoring is None else score_of(example.scoring, scoring),
    ).context
    back = context[:, :, 1][:, :, np.argsort(order)]
    largest = np.abs(back - context[:, :, 0]).max(axis=(-2, -1))
    return {
        (kind, mask): float(largest[row, column])
        for row, mask in enumerate(TRIED_MASKS)
        for column, kind in enumerate(kinds)
    }


_Met = tuple[FloatArray, FloatArray, FloatArray]


def _stacked(met: list[_Met]) -> _Met:
    """Put queries, keys and values of all kinds together."""
    q, k, v = (np.stack(rows) for rows in zip(*met, strict=True))
    return q, k, v


def _meeting(
    kind: PositionKind, original: ExampleTrace, runs: IntArray, head: int
) -> _Met:
    """Give queries, keys and values of one head in both runs, as they meet."""
    turn = turn_of(kind, original.encoding)
    x, parameters = original.x, original.parameters
    if x is None or parameters is None:
        q, k, v = (getattr(original, letter)[head][runs] for letter in "qkv")
        return turn(q), turn(k), v
    encoding, seed = original.encoding, original.example.seed
    table = added_positions(kind, *x.shape, seed=seed, encoding=encoding)
    inputs = x[runs]
    if table is not None:
        factor = np.sqrt(x.shape[-1]) if encoding.is_scaled else 1.0
        inputs = factor * inputs + table
    q, k = (turn(inputs @ w[head]) for w in (parameters.w_q, parameters.w_k))
    return q, k, inputs @ parameters.w_v[head]


def _bias(kind: PositionKind, original: ExampleTrace, head: int) -> FloatArray:
    length = len(original.tokens)
    seed = original.example.seed
    bias = bias_of(kind, original.n_heads, length, length, seed=seed)
    return np.zeros((length, length)) if bias is None else bias[head]
