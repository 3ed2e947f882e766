"""The settings of the example on screen, and their limits."""

import math
from dataclasses import dataclass, replace
from types import MappingProxyType

from attnviz.core.errors import SettingError
from attnviz.example.choices.masks import (
    MASK_KINDS,
    ChosenMask,
    MaskKind,
    choose_mask,
    mask_of_kind,
)
from attnviz.example.choices.positions import ADDED, POSITION_KINDS, PositionKind
from attnviz.example.choices.scores import SCORING_KINDS, ScoringKind
from attnviz.example.edits import Edit, settle_edits
from attnviz.example.own import OwnData
from attnviz.example.sources.drawn import MAX_HEADS, MAX_LENGTH, MAX_WIDTH
from attnviz.example.sources.fixed import USUAL_WIDTHS, Fixed, FixedMatrices, Sizes
from attnviz.example.sources.tokens import split_tokens
from attnviz.example.sources.written import FIXED_NAMES, fixed_matrices

RANDOM, OWN = "random", "own"
MATRICES = (RANDOM, OWN, *FIXED_NAMES)
MAX_CHARACTERS = 2000

# Least and greatest value of every number a person may set.
LIMITS = MappingProxyType(
    {
        "length": (1, MAX_LENGTH),
        "key_length": (0, MAX_LENGTH),
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
_CHOICES = MappingProxyType(
    {
        "mask": MASK_KINDS,
        "scoring": SCORING_KINDS,
        "positions": POSITION_KINDS,
        "is_scaled": (False, True),
        "matrices": MATRICES,
    }
)


@dataclass(frozen=True, slots=True)
class Example:
    """Everything the numbers on screen depend on.

    Attributes
    ----------
    text : str
        Sentence whose tokens are the positions; empty for positions without words.
    length : int
        Number of positions T when there is no text.
    key_text : str
        Sentence whose tokens are the keys and values, in cross-attention.
    key_length : int
        Number of keys T_k when they are not words; 0 with no `key_text` is
        self-attention.
    d_model, d_k, d_v, n_heads : int
        Sizes d, d_k, d_v and H.
    mask : MaskKind
        Which keys are hidden.
    n_padding : int
        How many keys are padding; at least one is not.
    window_left, window_right : int
        Reach of the local window.
    scoring : ScoringKind
        How well a key matches a query.
    positions : PositionKind
        How positions are told apart.
    is_scaled : bool
        Whether dot products are divided by √d_k; other scores never are.
    temperature : float
        Divisor of the scores just before the softmax.
    seed : int
        Seed of all that is random.
    matrices : str
        "random", the name of matrices that a preset writes down, or "own".
    edits : tuple of Edit
        Numbers changed by hand, at most one a cell. Those outside the present sizes
        have no effect.
    own : OwnData or None
        The matrices that the reader brought, where `matrices` is "own".
    """

    text: str = ""
    length: int = 5
    key_text: str = ""
    key_length: int = 0
    d_model: int = USUAL_WIDTHS[0]
    d_k: int = USUAL_WIDTHS[1]
    d_v: int = USUAL_WIDTHS[2]
    n_heads: int = 2
    mask: MaskKind = "none"
    n_padding: int = 1
    window_left: int = 1
    window_right: int = 1
    scoring: ScoringKind = "dot"
    positions: PositionKind = "none"
    is_scaled: bool = True
    temperature: float = 1.0
    seed: int = 0
    matrices: str = RANDOM
    edits: tuple[Edit, ...] = ()
    own: OwnData | None = None

    def __post_init__(self) -> None:
        """Refuse whatever cannot be shown.

        Raises
        ------
        SettingError
            If a number is out of its limits, a choice is unknown or lacks its
            matrices, a text has no token
            or too many, sizes differ from those of fixed matrices, positions do not
            fit, or a query would see no key.
        """
        for name in LIMITS:
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise SettingError("unknown_choice", name=name)
        if (self.matrices == OWN) != (self.own is not None):
            raise SettingError("unknown_choice", name="own")
        _check_text(self.text)
        _check_text(self.key_text)
        object.__setattr__(self, "edits", settle_edits(self.edits))
        _check_fixed(self)
        _check_positions(self)
        self.choose_mask()

    @property
    def is_cross(self) -> bool:
        """Whether keys and values come from elsewhere."""
        return bool(self.key_text) or self.key_length > 0

    @property
    def fixed(self) -> Fixed | None:
        """The matrices of a preset or of the reader; None where they are random."""
        if self.own is not None:
            return self.own.fixed
        return None if self.matrices == RANDOM else fixed_matrices(self.matrices)

    @property
    def tokens(self) -> tuple[str, ...]:
        """One label a query: the words of the text, or x₁, x₂, …."""
        labels = self.fixed.labels if self.fixed else ()
        return _labels(self.text, labels, "x", self.length)

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """One label a key: the words of its text, or y₁, y₂, …."""
        if not self.is_cross:
            return self.tokens
        labels = self.fixed.key_labels if self.fixed else ()
        return _labels(self.key_text, labels, "y", self.key_length)

    @property
    def scale(self) -> float | None:
        """Factor of the raw scores; None for the chapter's 1/√d_k."""
        return None if self.scoring == "dot" and self.is_scaled else 1.0

    @property
    def claimed_scale(self) -> float | None:
        """Factor of the raw scores that the checks should find in the weights.

        None, the chapter's 1/√d_k, when the scaling of dot products is off: the
        checks then show what is missing.
        """
        if self.scoring != "dot":
            return 1 / self.temperature
        if not self.is_scaled:
            return None
        return 1 / (math.sqrt(self.d_k) * self.temperature)

    def change(self, edit: Edit) -> "Example":
        """Change one number by hand.

        Parameters
        ----------
        edit : Edit
            The cell and its number.

        Returns
        -------
        example : Example
            A cell of the mask that is again as its kind has it needs no edit, or
            another kind would keep it.

        Raises
        ------
        SettingError
            If there are too many edits, or a query would see no key.
        """
        others = [one for one in self.edits if (one.name, one.index) != edit.place]
        is_needed = edit.name != "mask" or edit.value != self._of_kind(edit.index)
        return replace(self, edits=(*others, *([edit] if is_needed else [])))

    def _of_kind(self, place: tuple[int, ...]) -> bool | None:
        """Tell whether the kind of mask shows a key, if there is such a place."""
        sizes = len(self.tokens), len(self.key_tokens)
        if any(at >= size for at, size in zip(place, sizes, strict=True)):
            return None
        visible = mask_of_kind(
            self.mask,
            *sizes,
            n_padding=self.n_padding,
            window_left=self.window_left,
            window_right=self.window_right,
        )
        return bool(visible[place])

    def choose_mask(self) -> ChosenMask:
        """Build the mask.

        Returns
        -------
        mask : ChosenMask
            Who may see whom, with what was drawn by hand.

        Raises
        ------
        SettingError
            If a query that is no padding would see no key.
        """
        return choose_mask(
            self.mask,
            len(self.tokens),
            len(self.key_tokens),
            is_cross=self.is_cross,
            n_padding=self.n_padding,
            window_left=self.window_left,
            window_right=self.window_right,
            edits=self.edits,
        )


def _labels(
    text: str, fixed: tuple[str, ...], letter: str, length: int
) -> tuple[str, ...]:
    """Take the words of a text, else as many fixed words, else count."""
    if text:
        return split_tokens(text)
    if len(fixed) == length:
        return fixed
    subscripts = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    return tuple(f"{letter}{i + 1}".translate(subscripts) for i in range(length))


def _number(name: str, value: object) -> float:
    """Require a number of the right kind within its limits."""
    least, most = LIMITS[name]
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise SettingError("not_a_number", name=name, least=least, most=most)
    if not least <= value <= most:
        raise SettingError("out_of_range", name=name, got=value, least=least, most=most)
    if name not in WHOLE:
        return value
    if value != int(value):
        raise SettingError("not_a_number", name=name, least=least, most=most)
    return int(value)


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
    e = example
    if e.fixed is None:
        return
    n_keys = len(e.key_tokens) if e.is_cross else 0
    sizes = Sizes(len(e.tokens), n_keys, e.n_heads, e.d_model, e.d_k, e.d_v)
    wanted = e.fixed.sizes
    if sizes == wanted:
        return
    if e.own is not None:
        raise SettingError("own_sizes")
    if replace(sizes, n_queries=wanted.n_queries) == wanted:
        raise SettingError("fixed_length", got=sizes.n_queries, wanted=wanted.n_queries)
    raise SettingError("fixed_sizes")


def _check_positions(example: Example) -> None:
    """Require inputs for positions that are added, and pairs for those that turn."""
    has_inputs = example.fixed is None or isinstance(example.fixed, FixedMatrices)
    if example.positions in ADDED and not has_inputs:
        raise SettingError("no_inputs")
    if example.positions == "rotary" and example.d_k % 2:
        raise SettingError("odd_pairs", got=example.d_k)
