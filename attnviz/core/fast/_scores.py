"""How dot products become exponents of two, tile by tile."""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.attention._settings import Settings, table_of
from attnviz.core.attention._visibility import hidden_by_bias

# Scores are kept in base 2: exp2 is the cheaper exponential.
_LOG2_E = 1 / math.log(2)


@dataclass(frozen=True, slots=True)
class Scores:
    """What happens to dot products on their way to the softmax, and to its weights.

    Attributes
    ----------
    settings : Settings
        Scale, soft-cap and temperature.
    bias : FloatArray of shape (..., T_q, T_k), or None
        What is added; −∞ hides.
    dropout : FloatArray of shape (..., T_q, T_k), or None
        Multiplier of the weights.
    hides : bool
        Whether the bias is −∞ somewhere.
    largest_bias, largest_dropout : float
        Largest size of what is added and hides nothing, and of a multiplier.
    """

    settings: Settings
    bias: FloatArray | None = None
    dropout: FloatArray | None = None
    hides: bool = False
    largest_bias: float = 0.0
    largest_dropout: float = 1.0

    @property
    def is_plain(self) -> bool:
        """Whether a factor of the queries is all there is to do."""
        return self.settings.softcap is None and self.bias is None

    @property
    def factor(self) -> float:
        """What the queries are multiplied by before they meet the keys."""
        return self.settings.scale * (self._last if self.is_plain else 1.0)

    def bound(self, dots: float) -> float:
        """Bound the size of all exponents by that of the dot products."""
        size = abs(self.settings.scale) * dots
        if self.settings.softcap is not None:
            size = min(size, self.settings.softcap)
        return (size + self.largest_bias) * self._last

    def at(self, index: tuple[int, ...]) -> "Scores":
        """Take what holds for one sample or one head."""
        return replace(
            self,
            bias=None if self.bias is None else self.bias[index],
            dropout=None if self.dropout is None else self.dropout[index],
        )

    def exponents(self, dots: FloatArray, rows: slice, keys: slice) -> FloatArray:
        """Finish a tile of dot products with queries that have had their factor."""
        if self.is_plain:
            return dots
        if self.settings.softcap is not None:
            dots = self.settings.softcap * np.tanh(dots / self.settings.softcap)
        if self.bias is not None:
            dots = dots + self.bias[..., rows, keys]
        dots *= self._last
        return dots

    def hide(
        self, visible: BoolArray | None, rows: slice, keys: slice
    ) -> BoolArray | None:
        """Hide what a bias of −∞ hides from a tile's mask."""
        if self.bias is None or not self.hides:
            return visible
        shown = ~np.isneginf(self.bias[..., rows, keys])
        return shown if visible is None else visible & shown

    def kept(self, rows: slice, keys: slice) -> FloatArray | float:
        """Give the factors of a tile's weights."""
        return 1.0 if self.dropout is None else self.dropout[..., rows, keys]

    @property
    def _last(self) -> float:
        return _LOG2_E / self.settings.temperature


def scores_of(
    operation: str,
    settings: Settings,
    bias: npt.ArrayLike | None,
    dropout: npt.ArrayLike | None,
    table: tuple[int, ...],
    dtype: npt.DTypeLike,
) -> Scores:
    """Spread bias and dropout over a table of that shape, without copies of it."""
    if bias is None and dropout is None:
        return Scores(settings)
    added = table_of(operation, "bias", bias, table, dtype)
    kept = table_of(operation, "dropout", dropout, table, dtype)
    hidden = hidden_by_bias(operation, added, table)
    scores = Scores(settings, hides=hidden is not None)
    if added is not None:
        shown = np.where(np.isneginf(added), 0, added)
        scores = replace(
            scores,
            bias=np.broadcast_to(added, table),
            largest_bias=float(np.abs(shown).max(initial=0)),
        )
    if kept is not None:
        scores = replace(
            scores,
            dropout=np.broadcast_to(kept, table),
            largest_dropout=float(np.abs(kept).max(initial=0)),
        )
    return scores
