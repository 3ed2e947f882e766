"""The example on screen: its settings, its limits, and everything computed from it."""

import math
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from attnviz.core.errors import SettingError
from attnviz.core.masks import causal_mask, combine_masks, padding_mask, window_mask
from attnviz.core.matrices import (
    FIXED_NAMES,
    MAX_HEADS,
    MAX_LENGTH,
    MAX_WIDTH,
    fixed_matrices,
    random_inputs,
    random_parameters,
)
from attnviz.core.multi_head import (
    MultiHeadParameters,
    MultiHeadTrace,
    multi_head_attend,
)
from attnviz.core.shapes import BoolArray, FloatArray, read_only
from attnviz.core.tokens import split_tokens

MaskKind = Literal["none", "causal", "padding", "causal_padding", "window"]
MASK_KINDS: tuple[MaskKind, ...] = get_args(MaskKind)
MATRICES = ("random", *FIXED_NAMES)
MAX_CHARACTERS = 2000

# Least and greatest value of every number a person may set.
LIMITS = MappingProxyType(
    {
        "length": (1, MAX_LENGTH),
        "d_model": (1, MAX_WIDTH),
        "d_k": (1, MAX_WIDTH),
        "d_v": (1, MAX_WIDTH),
        "n_heads": (1, MAX_HEADS),
        "n_padding": (0, MAX_LENGTH - 1),
        "window_left": (0, MAX_LENGTH - 1),
        "window_right": (0, MAX_LENGTH - 1),
        "temperature": (0.1, 10.0),
        "seed": (0, 9999),
    }
)
WHOLE = tuple(name for name in LIMITS if name != "temperature")


@dataclass(frozen=True, slots=True)
class Example:
    """Everything the numbers on screen depend on.

    Attributes
    ----------
    text : str
        Sentence whose tokens are the positions; empty for positions without words.
    length : int
        Number of positions T when there is no text.
    d_model, d_k, d_v, n_heads : int
        Sizes d, d_k, d_v and H.
    mask : MaskKind
        Which keys are hidden.
    n_padding : int
        How many positions at the end are padding; at least one position stays.
    window_left, window_right : int
        Reach of the local window.
    is_scaled : bool
        Whether scores are divided by √d_k.
    temperature : float
        Divisor of the scores just before the softmax.
    seed : int
        Seed of all that is random.
    matrices : str
        "random", or the name of matrices that a preset writes down.
    """

    text: str = ""
    length: int = 5
    d_model: int = 8
    d_k: int = 4
    d_v: int = 4
    n_heads: int = 2
    mask: MaskKind = "none"
    n_padding: int = 1
    window_left: int = 1
    window_right: int = 1
    is_scaled: bool = True
    temperature: float = 1.0
    seed: int = 0
    matrices: str = "random"

    def __post_init__(self) -> None:
        """Refuse whatever cannot be shown.

        Raises
        ------
        SettingError
            If a number is out of its limits, a choice is unknown, the text has no
            token or too many, or sizes differ from those of fixed matrices.
        """
        for name in LIMITS:
            _check_number(name, getattr(self, name))
        for name, choices in (("mask", MASK_KINDS), ("matrices", MATRICES)):
            if getattr(self, name) not in choices:
                raise SettingError("unknown_choice", name=name)
        _check_text(self.text)
        if self.matrices != "random":
            _check_fixed(self)

    @property
    def tokens(self) -> tuple[str, ...]:
        """One label a position: the words of the text, or x₁, x₂, …."""
        if self.text:
            return split_tokens(self.text)
        return tuple(f"x{_subscript(i + 1)}" for i in range(self.length))

    @property
    def claimed_scale(self) -> float | None:
        """Factor of the raw scores that the checks should find in the weights.

        None, the chapter's 1/√d_k, when scaling is off: the checks then show what is
        missing.
        """
        if not self.is_scaled:
            return None
        return 1 / (math.sqrt(self.d_k) * self.temperature)


@dataclass(frozen=True, slots=True)
class ExampleTrace:
    """All arrays of an example; read-only and shared by all who look at it.

    Attributes
    ----------
    example : Example
        The settings.
    tokens : tuple of str
        One label a position.
    key_valid : BoolArray of shape (T,)
        False where a position is padding.
    visible : BoolArray of shape (T, T)
        What each query may see.
    x : FloatArray of shape (T, d)
        Inputs.
    parameters : MultiHeadParameters
        The projections.
    heads : MultiHeadTrace
        Every stage from Q, K, V to the output.
    """

    example: Example
    tokens: tuple[str, ...]
    key_valid: BoolArray
    visible: BoolArray
    x: FloatArray
    parameters: MultiHeadParameters
    heads: MultiHeadTrace


@lru_cache(maxsize=32)
def compute(example: Example) -> ExampleTrace:
    """Compute everything an example shows.

    Parameters
    ----------
    example : Example
        The settings.

    Returns
    -------
    trace : ExampleTrace
        The same object for equal settings while it is remembered.
    """
    tokens = example.tokens
    if example.matrices == "random":
        x = random_inputs(example.seed, tokens, example.d_model)
        parameters = random_parameters(
            example.seed,
            n_heads=example.n_heads,
            d_model=example.d_model,
            d_k=example.d_k,
            d_v=example.d_v,
        )
    else:
        fixed = fixed_matrices(example.matrices)
        x, parameters = fixed.x, fixed.parameters
    key_valid = _key_valid(example, len(tokens))
    visible = _visible(example, key_valid)
    heads = multi_head_attend(
        x,
        parameters=parameters,
        visible=visible,
        scale=None if example.is_scaled else 1.0,
        temperature=example.temperature,
    )
    return ExampleTrace(
        example=example,
        tokens=tokens,
        key_valid=read_only(key_valid),
        visible=read_only(visible),
        x=x,
        parameters=parameters,
        heads=heads,
    )


def _check_number(name: str, value: object) -> None:
    """Require a number of the right kind within its limits."""
    least, most = LIMITS[name]
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise SettingError("not_a_number", name=name, least=least, most=most)
    if not least <= value <= most:
        raise SettingError("out_of_range", name=name, got=value, least=least, most=most)
    if name in WHOLE and value != int(value):
        raise SettingError("not_a_number", name=name, least=least, most=most)


def _check_text(text: str) -> None:
    """Require a text of few enough tokens; no text at all is fine."""
    if not text:
        return
    if len(text) > MAX_CHARACTERS:
        raise SettingError("long_text", got=len(text), most=MAX_CHARACTERS)
    n_tokens = len(split_tokens(text))
    if n_tokens == 0:
        raise SettingError("no_tokens")
    if n_tokens > MAX_LENGTH:
        raise SettingError("many_tokens", got=n_tokens, most=MAX_LENGTH)


def _check_fixed(example: Example) -> None:
    """Require the sizes that fixed matrices have."""
    fixed = fixed_matrices(example.matrices)
    n_heads, d_model, d_k = fixed.w_q.shape
    wanted = (len(fixed.x), n_heads, d_model, d_k, fixed.w_v.shape[-1])
    e = example
    if wanted != (len(e.tokens), e.n_heads, e.d_model, e.d_k, e.d_v):
        raise SettingError("fixed_sizes")


def _key_valid(example: Example, length: int) -> BoolArray:
    """Mark padding at the end, but never every position."""
    if example.mask not in ("padding", "causal_padding"):
        return np.ones(length, dtype=np.bool_)
    return np.arange(length) < max(1, length - example.n_padding)


def _visible(example: Example, key_valid: BoolArray) -> BoolArray:
    """Build the table of who may see whom."""
    length = len(key_valid)
    visible = combine_masks(
        np.ones((length, length), dtype=np.bool_), padding_mask(key_valid)
    )
    if example.mask in ("causal", "causal_padding"):
        return combine_masks(visible, causal_mask(length))
    if example.mask == "window":
        reach = window_mask(
            length, left=example.window_left, right=example.window_right
        )
        return combine_masks(visible, reach)
    return visible


def _subscript(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


EXAMPLES = MappingProxyType(
    {
        "five": Example(),
        "identity": Example(
            length=2, d_model=2, d_k=2, d_v=2, n_heads=1, matrices="identity"
        ),
        "constant_values": Example(
            length=5, d_model=4, d_k=3, d_v=2, n_heads=1, matrices="constant_values"
        ),
        "cat_videos": Example(
            text="People like watching funny cat videos",
            d_model=6,
            d_k=2,
            d_v=2,
            n_heads=1,
            mask="causal",
            matrices="zero_scores",
        ),
        "chinese": Example(text="小猫追着自己的影子跑"),
        "norm_rows": Example(
            length=3, d_model=4, d_k=4, d_v=4, n_heads=1, matrices="norm_rows"
        ),
    }
)
