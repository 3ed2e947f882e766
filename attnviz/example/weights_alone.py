"""Attention weights that a reader brings, without anything they come from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.arrays.sheet import Sheet
from attnviz.example.compute import ExampleTrace, compute
from attnviz.example.derivation import lay_out_weights
from attnviz.example.matrices import MATRICES, Matrix
from attnviz.example.own.data import MEAN
from attnviz.example.screen import Screen
from attnviz.example.settings import Example
from attnviz.example.sources.fixed import GivenWeights


@dataclass(frozen=True, slots=True)
class WeightsTrace:
    """Weights alone, and what can be said of them; all arrays are read-only.

    Attributes
    ----------
    example : Example
        The settings; of these, only lengths, heads and words play a part.
    tokens, key_tokens : tuple of str
        One label a query, and one a key.
    weights : FloatArray of shape (H, T_q, T_k)
        The weights, as given.
    weight_sum : FloatArray of shape (H, T_q, 1)
        Sum of each row, which should be 1.
    """

    example: Example
    tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    weights: FloatArray
    weight_sum: FloatArray

    def sheet(self) -> Sheet:
        """Lay out both matrices for derivations."""
        return lay_out_weights(self)

    def screen(self) -> Screen:
        """Name both matrices as they stand on screen."""
        labels = {"query": self.tokens, "key": self.key_tokens}
        return Screen(
            self.sheet().matrices,
            labels,
            names=self.names,
            first_head=self.example.first_head,
        )

    @property
    def names(self) -> Mapping[str, Matrix]:
        """The catalogue; the mean over heads has a bar over its letter."""
        if self.example.head_group != MEAN:
            return MATRICES
        return {**MATRICES, "weights": replace(MATRICES["weights"], base="Ā")}

    @property
    def n_heads(self) -> int:
        """Number of heads H."""
        return int(self.weights.shape[0])


Shown = ExampleTrace | WeightsTrace
"""What the Attention page can show."""


def compute_shown(example: Example) -> Shown:
    """Compute everything an example shows, be it weights alone.

    Parameters
    ----------
    example : Example
        The settings.

    Returns
    -------
    trace : ExampleTrace or WeightsTrace
        Read-only arrays.
    """
    given = example.fixed
    if not isinstance(given, GivenWeights):
        return compute(example)
    return WeightsTrace(
        example=example,
        tokens=example.tokens,
        key_tokens=example.key_tokens,
        weights=given.weights,
        weight_sum=read_only(given.weights.sum(axis=-1, keepdims=True)),
    )
