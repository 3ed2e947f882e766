"""The settings of the example on screen, and their limits."""

import math
from dataclasses import dataclass, replace
from types import MappingProxyType

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.choices.masks import (
    MASK_KINDS,
    MASK_PARAMETERS,
    ChosenMask,
    MaskKind,
    choose_mask,
    mask_of_kind,
)
from attnviz.example.choices.positions import (
    POSITION_KINDS,
    POSITION_RULES,
    PositionKind,
)
from attnviz.example.choices.scores import SCORING_KINDS, ScoringKind
from attnviz.example.edits import EDITS, Edit, apply_edits, settle_edits
from attnviz.example.own import OwnData
from attnviz.example.own.data import FIRST_GROUP, GROUPS, MEAN
from attnviz.example.own.shapes import MAX_LAYERS
from attnviz.example.setting import (
    COUNTED,
    FLAG,
    REAL,
    TEXT,
    WHOLE,
    Setting,
    Settings,
    check_settings,
)
from attnviz.example.sources.drawn import MAX_HEADS, MAX_LENGTH, MAX_WIDTH
from attnviz.example.sources.fixed import USUAL_WIDTHS, Fixed, FixedMatrices, Sizes
from attnviz.example.sources.tokens import split_tokens
from attnviz.example.sources.written import FIXED_NAMES, fixed_matrices

RANDOM, OWN = "random", "own"
MATRIX_SOURCES = (RANDOM, OWN, *FIXED_NAMES)
MAX_CHARACTERS = 2000
MAX_SEED = 9999

# In the order in which an address and a comparison name them.
SETTINGS: Settings = MappingProxyType(
    {
        "text": Setting("t", TEXT, "positions", decided="shape"),
        "length": Setting(
            "n", WHOLE, "positions", "T", limits=(1, MAX_LENGTH), decided="shape"
        ),
        "key_text": Setting("kt", TEXT, "more", decided="shape"),
        "key_length": Setting(
            "kn", WHOLE, "more", "T_k", limits=(0, MAX_LENGTH), decided="shape"
        ),
        "d_model": Setting(
            "d", WHOLE, "sizes", "d", limits=(1, MAX_WIDTH), decided="shape"
        ),
        "d_k": Setting(
            "dk", WHOLE, "sizes", "d_k", limits=(1, MAX_WIDTH), decided="shape"
        ),
        "d_v": Setting(
            "dv", WHOLE, "sizes", "d_v", limits=(1, MAX_WIDTH), decided="shape"
        ),
        "n_heads": Setting(
            "h", WHOLE, "sizes", "H", limits=(1, MAX_HEADS), decided="shape"
        ),
        "mask": Setting("m", TEXT, "mask", choices=MASK_KINDS),
        "n_padding": Setting("pad", WHOLE, "mask", "pad", limits=(0, MAX_LENGTH - 1)),
        "window_left": Setting("wl", WHOLE, "mask", "w_←", limits=(0, MAX_LENGTH - 1)),
        "window_right": Setting("wr", WHOLE, "mask", "w_→", limits=(0, MAX_LENGTH - 1)),
        "scoring": Setting("sc", TEXT, "more", choices=SCORING_KINDS),
        "positions": Setting(
            "pos", TEXT, "more", choices=POSITION_KINDS, control="position_kind"
        ),
        "starts_at_one": Setting("p1", FLAG, "more", choices=(False, True)),
        "is_tied": Setting(
            "tie", FLAG, "more", choices=(False, True), decided="numbers"
        ),
        "is_scaled": Setting("s", FLAG, "scores", "√d_k", choices=(False, True)),
        "temperature": Setting(
            "tau", REAL, "scores", "τ", limits=(0.1, 10.0), step=0.1
        ),
        "seed": Setting(
            "seed", WHOLE, "random", "seed", limits=(0, MAX_SEED), decided="numbers"
        ),
        "layer": Setting(
            "ly", COUNTED, "own", choices=tuple(range(MAX_LAYERS)), decided="shape"
        ),
        "head_group": Setting("hg", TEXT, "own", choices=GROUPS, decided="shape"),
        "edits": Setting("e", EDITS, "edits"),
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
    starts_at_one : bool
        Whether positions count from 1, as the chapter writes p₁ … p_T, or from 0.
    is_tied : bool
        Whether random queries and keys share one projection, W_K = W_Q.
    is_scaled : bool
        Whether dot products are divided by √d_k; other scores never are.
    temperature : float
        Divisor of the scores just before the softmax.
    seed : int
        Seed of all that is random.
    matrices : str
        "random", the name of matrices that a preset writes down, or "own".
    layer : int
        Which layer is shown of weights that the reader brought, counted from 0.
    head_group : str
        Which of its heads: a number for each eight of them, or "mean".
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
    starts_at_one: bool = False
    is_tied: bool = False
    is_scaled: bool = True
    temperature: float = 1.0
    seed: int = 0
    matrices: str = RANDOM
    layer: int = 0
    head_group: str = FIRST_GROUP
    edits: tuple[Edit, ...] = ()
    own: OwnData | None = None

    def __post_init__(self) -> None:
        """Refuse whatever cannot be shown.

        Raises
        ------
        SettingError
            If a number is out of its limits, a choice is unknown or lacks its
            matrices, a text has no token
            or too many, sizes differ from those of fixed matrices, or these would be
            tied, positions do not fit, or a query would see no key.
        """
        check_settings(self, SETTINGS)
        if self.matrices not in MATRIX_SOURCES:
            raise SettingError("unknown_choice", name="matrices")
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
    def mask_parameters(self) -> dict[str, int]:
        """The settings that the rules of masks depend on."""
        return {name: getattr(self, name) for name in MASK_PARAMETERS}

    @property
    def fixed(self) -> Fixed | None:
        """The matrices of a preset or of the reader; None where they are random."""
        if self.own is not None:
            return self.own.fixed_at(self.layer, self.head_group)
        return None if self.matrices == RANDOM else fixed_matrices(self.matrices)

    @property
    def first_head(self) -> int:
        """How many heads of a larger layer there are before the first one shown."""
        group = self.head_group
        return 0 if group == MEAN else (int(group) - 1) * MAX_HEADS

    @property
    def first_position(self) -> int:
        """The number of the first position."""
        return int(self.starts_at_one)

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
    def divisor(self) -> float:
        """What raw scores are divided by on their way to the softmax."""
        return self.usual_divisor if self.is_scaled else self.temperature

    @property
    def usual_divisor(self) -> float:
        """What they are divided by where the scaling is on."""
        is_dot = self.scoring == "dot"
        return self.temperature * (math.sqrt(self.d_k) if is_dot else 1)

    @property
    def brought_weights(self) -> FloatArray | None:
        """Weights that came with the matrices they should follow from, if any did."""
        return getattr(self.fixed, "claimed", None)

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
        visible = mask_of_kind(self.mask, *sizes, self.mask_parameters)
        return bool(visible[place])

    def drawn_cells(self, kind: MaskKind) -> int:
        """Count the cells that are drawn by hand where a kind has them otherwise."""
        if not any(edit.name == "mask" for edit in self.edits):
            return 0
        sizes = len(self.tokens), len(self.key_tokens)
        visible = mask_of_kind(kind, *sizes, self.mask_parameters)
        return int((apply_edits(self.edits, "mask", visible) != visible).sum())

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
            self.mask_parameters,
            is_cross=self.is_cross,
            edits=self.edits,
        )


def is_decided(example: Example, name: str) -> bool:
    """Tell whether matrices that are written down settle a setting."""
    return example.fixed is not None and bool(SETTINGS[name].decided)


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
    if e.is_tied:
        raise SettingError("fixed_tied")
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
    rule = POSITION_RULES[example.positions]
    if rule.table is not None and not has_inputs:
        raise SettingError("no_inputs")
    if rule.turn is not None and example.d_k % 2:
        raise SettingError("odd_pairs", got=example.d_k)
