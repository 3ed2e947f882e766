"""One mask drawn by hand, as every library writes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.shapes import BoolArray
from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.attention.masks import causal_mask, padding_mask, window_mask
from attnviz.core.checks.case import attention_case
from attnviz.core.derivation.arithmetic import carry, then
from attnviz.core.derivation.pieces import Derivation
from attnviz.core.faults import masks
from attnviz.example.matrices import FAULTY
from attnviz.example.mistakes.laid import Laid
from attnviz.example.mistakes.programs import PROGRAMS
from attnviz.example.mistakes.running import run
from attnviz.example.mistakes.settings import MAX_SIDE, MistakeSettings
from attnviz.example.settings import Example

FAR_BELOW = -1e9
# One of them in terms of the first.
CONVENTION_LINES = """\
blocked = ~visible
kept = visible.astype(int)
far_below = np.where(visible, 0, -1e9)
ignored = ~visible.any(axis=0, keepdims=True)
"""


@dataclass(frozen=True, slots=True)
class Convention:
    """One way to write a mask.

    Attributes
    ----------
    matrix : str
        The matrix that shows it.
    numpy, torch : str
        The line that writes it.
    """

    matrix: str
    numpy: str
    torch: str


CONVENTIONS: Mapping[str, Convention] = MappingProxyType(
    {
        "visible": Convention(
            "seen",
            "s = np.where(visible, s, -np.inf)",
            "s = s.masked_fill(~visible, -torch.inf)",
        ),
        "sdpa": Convention(
            "seen",
            "attn_mask = visible",
            "F.scaled_dot_product_attention(q, k, v, attn_mask=visible)",
        ),
        "mha": Convention(
            "blocked",
            "attn_mask = ~visible",
            "nn.MultiheadAttention(d, H)(x, x, x, attn_mask=~visible)",
        ),
        "additive": Convention(
            "mask",
            "s = s + np.where(visible, 0, -np.inf)",
            "s = s + torch.zeros_like(s).masked_fill(~visible, -torch.inf)",
        ),
        "far_below": Convention(
            "far_below",
            "s = s + np.where(visible, 0, -1e9)",
            "s = s.masked_fill(~visible, -1e9)",
        ),
        "key_padding": Convention(
            "ignored",
            "key_padding_mask = ~visible.any(axis=0)",
            "nn.MultiheadAttention(d, H)(x, x, x, key_padding_mask=pad)",
        ),
        "keep": Convention(
            "kept",
            "s = s - (1 - keep) * 1e9",
            "s = s.masked_fill(keep == 0, -torch.inf)",
        ),
    }
)


def drawn_mask(settings: MistakeSettings) -> BoolArray:
    """Build the mask of a kind, with the cells that were changed by hand."""
    len_q, len_k = settings.n_queries, settings.n_keys
    made: Mapping[str, Callable[[], BoolArray]] = {
        "causal_last": lambda: causal_mask(len_q, len_k),
        "causal_first": lambda: causal_mask(len_q, len_k, offset=0),
        "padding": lambda: padding_mask(np.arange(len_k) < max(1, len_k - 1)),
        "window": lambda: window_mask(len_q, len_k, left=1, right=1, offset=0),
        "none": lambda: np.ones((len_q, len_k), dtype=bool),
    }
    visible = np.broadcast_to(made[settings.kind](), (len_q, len_k)).copy()
    for row, column in settings.flips:
        if row < len_q and column < len_k:
            visible[row, column] ^= True
    return visible


def draw_conventions(settings: MistakeSettings) -> Laid:
    """Write the drawn mask in seven ways, and read it right and the other way round.

    The scores are drawn; values are the identity, so that C is A.
    """
    visible = drawn_mask(settings)
    len_q, len_k = visible.shape
    scores = draw(0, "mask.scores", (MAX_SIDE, MAX_SIDE))[:len_q, :len_k]
    keys = np.eye(len_k)
    case = attention_case(scores[None], keys[None], keys[None], visible=visible)
    wrong = masks.remasked(case, ~case.visible)
    given = {"q": case.q, "k": case.k, "v": case.v, "visible": case.visible}
    program = PROGRAMS["P09"]
    spoilt = run(program.faulty, {**given, "d_k": len_k})
    blocked = (~visible).astype(float)
    found = dict(case.answer.sheet().matrices)
    found |= spoilt.values
    found |= {
        "seen": visible.astype(float),
        "blocked": blocked,
        "kept": visible.astype(float),
        "far_below": np.where(visible, 0.0, FAR_BELOW),
        "ignored": (~visible.any(axis=0, keepdims=True)).astype(float),
        f"{FAULTY}weights": wrong.weights,
    }
    rules = {
        **spoilt.rules,
        "blocked": _blocked,
        "kept": _kept,
        "far_below": _far_below,
        "ignored": _ignored,
    }
    labels = {
        "query": Example(length=len_q).tokens,
        "key": Example(length=len_k).tokens,
    }
    return Laid(found, rules, labels)


def damage(visible: BoolArray) -> tuple[int, int]:
    """Count keys that may not be seen but are, and queries that see none any more.

    Parameters
    ----------
    visible : BoolArray of shape (T_q, T_k)
        The mask, which is read the other way round.
    """
    return int((~visible).sum()), int(visible.all(axis=-1).sum())


def _blocked(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, Operand("number", (), 1.0))
    return then(work, "subtract", sheet.operand("seen", index))


def _kept(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return carry(stage, index, sheet.operand("seen", index))


def _far_below(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("blocked", index))
    return then(work, "multiply", Operand("number", (), FAR_BELOW))


def _ignored(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Take the smallest of a column: 1 only if no query may see the key."""
    column = [(row, index[1]) for row in range(sheet.shape("blocked")[0])]
    least = min(column, key=lambda place: sheet.value("blocked", place))
    return carry(stage, index, sheet.operand("blocked", least))
