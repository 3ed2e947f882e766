"""A gradient goes back through a small attention, scaled and not scaled."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.attention import AttentionTrace, attend
from attnviz.core.derivation import Derivation, Rule, carry, collect, then
from attnviz.core.gradients import AttentionGradients, attend_backward
from attnviz.example.scaling.settings import LENGTHS, Scaling

_LARGEST = (8, 32)


@dataclass(frozen=True, slots=True)
class Back:
    """One attention, and the gradient that comes back through it.

    Attributes
    ----------
    attention : AttentionTrace
        The way forward, of one head.
    d_context : FloatArray of shape (T_q, d_v)
        Gradient of the loss by the context.
    gradients : AttentionGradients
        Of everything before it, of that head.
    """

    attention: AttentionTrace
    d_context: FloatArray
    gradients: AttentionGradients

    def sheet(self) -> Sheet:
        """Lay out both ways for derivations."""
        forth, back = self.attention.sheet(), self.gradients
        assert back.q is not None
        assert back.k is not None
        products = self.attention.weights[0] * back.weights[0]
        own = {
            "d_context": self.d_context,
            "d_v": back.v[0],
            "d_weights": back.weights[0],
            "d_mean": products.sum(axis=-1, keepdims=True),
            "d_scores": back.masked_scores[0],
            "d_q": back.q[0],
            "d_k": back.k[0],
        }
        return Sheet({**forth.matrices, **own}, forth.synonyms, GRADIENT_RULES)


def compute_back(settings: Scaling, *, is_scaled: bool) -> Back:
    """Compute a small attention and what comes back through it.

    Parameters
    ----------
    settings : Scaling
        Size of a key, loss and seed count.
    is_scaled : bool
        Whether scores are divided by √d_k.
    """
    length, n_keys, width = LENGTHS

    def take(name: str, rows: int, columns: int) -> FloatArray:
        whole = draw(settings.seed, f"scaling.gradient.{name}", _LARGEST)
        return whole[None, :rows, :columns]

    attention = attend(
        take("q", length, settings.gradient_size),
        take("k", n_keys, settings.gradient_size),
        take("v", n_keys, width),
        scale=None if is_scaled else 1.0,
    )
    d_context = _upstream(settings, (length, width))
    return Back(attention, d_context, attend_backward(d_context[None], trace=attention))


def _upstream(settings: Scaling, shape: tuple[int, int]) -> FloatArray:
    """Differentiate the loss by the context."""
    if settings.loss == "mean":
        return read_only(np.full(shape, 1 / (shape[0] * shape[1])))
    d_context = np.zeros(shape)
    d_context[settings.loss_row - 1, settings.loss_feature - 1] = 1
    return read_only(d_context)


def _products(
    sheet: Sheet, stage: str, index: Index, left: str, right: str, order: str
) -> Derivation:
    """Sum products over what both matrices share; `order` says where it stands."""
    i, j = index
    count = sheet.shape(left)[-1 if order[0] == "n" else -2]
    terms = [
        (
            _read(sheet, left, (i, n) if order[0] == "n" else (n, i)),
            _read(sheet, right, (n, j) if order[1] == "n" else (j, n)),
        )
        for n in range(count)
    ]
    return collect(stage, index, "sum_of_products", terms)


def _read(sheet: Sheet, name: str, place: tuple[int, int]) -> Operand:
    """Read a cell; what the attention has belongs to its only head."""
    is_of_head = len(sheet.shape(name)) > len(place)
    return sheet.operand(name, (0, *place) if is_of_head else place)


def _d_v(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _products(sheet, stage, index, "weights", "d_context", "tn")


def _d_weights(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _products(sheet, stage, index, "d_context", "v", "nt")


def _d_mean(sheet: Sheet, stage: str, index: Index) -> Derivation:
    row = index[0]
    terms = [
        (_read(sheet, "weights", (row, key)), _read(sheet, "d_weights", (row, key)))
        for key in range(sheet.shape("d_weights")[1])
    ]
    return collect(stage, index, "sum_of_products", terms)


def _d_scores(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("d_weights", index))
    work = then(work, "subtract", sheet.operand("d_mean", (index[0], 0)))
    return then(work, "multiply", sheet.operand("weights", (0, *index)))


def _d_q(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = _products(sheet, stage, index, "d_scores", "k", "nn")
    return then(work, "multiply", sheet.operand("scale"))


def _d_k(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = _products(sheet, stage, index, "d_scores", "q", "tn")
    return then(work, "multiply", sheet.operand("scale"))


GRADIENT_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "d_v": _d_v,
        "d_weights": _d_weights,
        "d_mean": _d_mean,
        "d_scores": _d_scores,
        "d_q": _d_q,
        "d_k": _d_k,
    }
)
