"""The one catalogue of matrices: what each is called, how coloured, along which axes.

Whoever writes a symbol, colours a number, names a row or reads a title asks here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from attnviz.example.sources.drawn import MAX_HEADS, MAX_LENGTH, MAX_WIDTH


class Axis(NamedTuple):
    """Its size in symbols, and the most it may have."""

    symbol: str
    most: int


# By what one index counts.
AXES: Mapping[str, Axis] = MappingProxyType(
    {
        "head": Axis("H", MAX_HEADS),
        "query": Axis("T_q", MAX_LENGTH),
        "key": Axis("T_k", MAX_LENGTH),
        "position": Axis("T", MAX_LENGTH),
        "sample": Axis("m", MAX_HEADS),
        "d": Axis("d", MAX_WIDTH),
        "d_k": Axis("d_k", MAX_WIDTH),
        "d_v": Axis("d_v", MAX_WIDTH),
        "unit": Axis("d_a", MAX_WIDTH),
        "joined": Axis("H·d_v", MAX_HEADS * MAX_WIDTH),
        "d_ff": Axis("d_ff", MAX_WIDTH),
        "statistic": Axis("1", 1),
    }
)
Kind = Literal["signed", "weights"]
# What stands below each other where there is one number for each.
_DOWN = ("query", "key", "position", "unit")


@dataclass(frozen=True, slots=True)
class Matrix:
    """What there is to know of a matrix besides its numbers.

    Attributes
    ----------
    base, sub, sup : str
        Letter, subscript and superscript of its symbol.
    axes : tuple of str
        What each axis counts, of AXES; none for a single setting.
    role : str
        Colour of the quantity.
    entry : str
        Letter of one of its numbers, where that is another than the matrix's.
    kind : {"signed", "weights"}
        Scale of its colours: centred at 0, or fixed at [0, 1].
    edits : tuple of str
        Axes along which a reader finds a number to change; none where it follows from
        others.
    """

    base: str
    axes: tuple[str, ...] = ()
    role: str = "x"
    sub: str = ""
    sup: str = ""
    entry: str = ""
    kind: Kind = "signed"
    edits: tuple[str, ...] = ()

    @property
    def is_per_head(self) -> bool:
        """Whether each head, or each layer, has its own."""
        return self.axes[:1] in (("head",), ("layer",))

    @property
    def is_column(self) -> bool:
        """Whether it has one number a row."""
        return self.axes[-1:] == ("statistic",) or (
            len(self.axes) == 1 and self.axes[0] in _DOWN
        )

    @property
    def is_row(self) -> bool:
        """Whether it has one number a column."""
        return len(self.axes) == 1 and not self.is_column

    @property
    def sides(self) -> tuple[str, str]:
        """What rows and columns count where it is drawn."""
        if len(self.axes) > 1:
            return self.axes[-2], self.axes[-1]
        (axis,) = self.axes
        return ("statistic", axis) if self.is_row else (axis, "statistic")

    @property
    def plain(self) -> str:
        """The symbol in plain characters, such as W_Q."""
        return f"{self.base}{self.sub and f'_{self.sub}'}{self.sup and f'^{self.sup}'}"

    @property
    def cell(self) -> "Matrix":
        """The symbol of one of its numbers."""
        return replace(self, base=self.entry) if self.entry else self


def _given(
    base: str, axes: tuple[str, ...], role: str = "x", sub: str = "", entry: str = ""
) -> Matrix:
    """Describe a matrix whose numbers a reader may change."""
    return Matrix(base, axes, role, sub, entry=entry, edits=axes)


_TABLE = ("head", "query", "key")
_STATISTIC = ("head", "query", "statistic")

# In the order of the computation.
MATRICES: Mapping[str, Matrix] = MappingProxyType(
    {
        "x": _given("X", ("query", "d"), entry="x"),
        "x_k": _given("X", ("key", "d"), sub="K", entry="x"),
        "x_v": Matrix("X", ("key", "d"), sub="V", entry="x"),
        "positions": Matrix("P", ("query", "d"), entry="p"),
        "key_positions": Matrix("P", ("key", "d"), sub="K", entry="p"),
        "inputs": Matrix("X+P", ("query", "d"), entry="(x+p)"),
        "key_inputs": Matrix("X+P", ("key", "d"), sub="K", entry="(x+p)"),
        "w_q": _given("W", ("head", "d", "d_k"), "q", "Q"),
        "w_k": _given("W", ("head", "d", "d_k"), "k", "K"),
        "w_v": _given("W", ("head", "d", "d_v"), "v", "V"),
        "b_q": Matrix("b", ("head", "d_k"), "q", "Q"),
        "b_k": Matrix("b", ("head", "d_k"), "k", "K"),
        "b_v": Matrix("b", ("head", "d_v"), "v", "V"),
        "q": _given("Q", ("head", "query", "d_k"), "q", entry="q"),
        "k": _given("K", ("head", "key", "d_k"), "k", entry="k"),
        "v": _given("V", ("head", "key", "d_v"), "v", entry="v"),
        "cos": Matrix("cos", ("position", "d_k")),
        "sin": Matrix("sin", ("position", "d_k")),
        "q_turned": Matrix("Q′", ("head", "query", "d_k"), "q", entry="q′"),
        "k_turned": Matrix("K′", ("head", "key", "d_k"), "k", entry="k′"),
        "score_w": Matrix("W", ("d_k", "d_k"), "s"),
        "q_w": Matrix("QW", ("head", "query", "d_k"), "q", entry="qW"),
        "score_w_q": Matrix("W", ("unit", "d_k"), "s", "q"),
        "score_w_k": Matrix("W", ("unit", "d_k"), "s", "k"),
        "score_v": Matrix("v", ("unit",), "s"),
        "score_hidden": Matrix("U", (*_TABLE, "unit"), "s", entry="u"),
        "raw_scores": Matrix("QKᵀ", _TABLE, "s"),
        "bias": Matrix("B", _TABLE, "s"),
        "scores": Matrix("S", _TABLE, "s"),
        "mask": Matrix("M", _TABLE, "s", edits=("query", "key")),
        "masked_scores": Matrix("S", _TABLE, "s", sup="M"),
        "row_max": Matrix("max", _STATISTIC, "s"),
        "exp_scores": Matrix("e", _TABLE, "s"),
        "row_sum": Matrix("Σe", _STATISTIC, "s"),
        "weights": Matrix("A", _TABLE, "s", kind="weights"),
        "weight_sum": Matrix("Σa", _STATISTIC, "s"),
        "dropout": Matrix("D", _TABLE, "s"),
        "context": Matrix("C", ("head", "query", "d_v"), "c"),
        "joined": Matrix("[C]", ("query", "joined"), "c"),
        "w_o": _given("W", ("joined", "d"), "c", "O"),
        "b_o": Matrix("b", ("d",), "c", "O"),
        "output": Matrix("O", ("query", "d"), "c"),
        "norm_input": Matrix("x", ("position", "d")),
        "norm_mean": Matrix("μ", ("position",)),
        "norm_variance": Matrix("v", ("position",)),
        "norm_normalized": Matrix("x̂", ("position", "d"), "n"),
        "gamma": Matrix("γ", ("d",), "n"),
        "beta": Matrix("β", ("d",), "n"),
        "norm_output": Matrix("y", ("position", "d"), "n"),
        "output_mean": Matrix("μ", ("position",), sub="y"),
        "output_variance": Matrix("v", ("position",), sub="y"),
        "batch": Matrix("x", ("sample", "position", "d")),
        "disturbed": Matrix("x′", ("sample", "position", "d")),
        "layer_after_mean": Matrix("μ′", ("position",)),
        "layer_after_variance": Matrix("v′", ("position",)),
        "layer_after": Matrix("x̂′", ("position", "d"), "n"),
        "batch_mean": Matrix("μ", ("d",), sub="BN"),
        "batch_variance": Matrix("v", ("d",), sub="BN"),
        "batch_before": Matrix("x̂", ("position", "d"), "n", "BN"),
        "batch_after_mean": Matrix("μ′", ("d",), sub="BN"),
        "batch_after_variance": Matrix("v′", ("d",), sub="BN"),
        "batch_after": Matrix("x̂′", ("position", "d"), "n", "BN"),
        "layer_change": Matrix("Δ", ("position", "d"), "n", "LN"),
        "batch_change": Matrix("Δ", ("position", "d"), "n", "BN"),
        "scale": Matrix("scale"),
        "softcap": Matrix("cap"),
        "temperature": Matrix("τ"),
        "eps": Matrix("ε"),
        "d": Matrix("d"),
        "d_k": Matrix("d", sub="k"),
        "base": Matrix("base"),
        "2i": Matrix("2i"),
        "position": Matrix("p"),
        "first_position": Matrix("p", sub="1"),
        "slope": Matrix("slope"),
        "distance": Matrix("−|i−j|"),
        "count": Matrix("m·T"),
        "rounding": Matrix("rounding"),
    }
)
EDITABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: matrix.edits for name, matrix in MATRICES.items() if matrix.edits}
)
# What stands before the name of a matrix that a decoder's second attention has too, and
# of the gradient of one.
CROSS, GRADIENT = "cross_", "grad_"
# What gradients of norms are worked out with; a layer has several norms.
_BESIDE_NORMS = ("norm_shift", "norm_along")
# Names that addresses of the first version use.
_FORMER = MappingProxyType({"exp": "exp_scores"})
# What queries have of their own where keys come from elsewhere.
SIDED = ("x", "positions", "inputs")


@cache
def catalogue(
    *, is_cross: bool = False, is_turned: bool = False
) -> Mapping[str, Matrix]:
    """Give all matrices as they are called in one kind of example.

    Parameters
    ----------
    is_cross : bool, default=False
        Whether keys come from elsewhere: queries' inputs are then X_Q.
    is_turned : bool, default=False
        Whether positions turn queries and keys before they meet.

    Returns
    -------
    matrices : mapping of str to Matrix
        By name.
    """
    named = dict(MATRICES)
    if is_cross:
        named |= {name: replace(named[name], sub="Q") for name in SIDED}
    if is_turned:
        named["q_w"] = replace(named["q_w"], base="Q′W", entry="q′W")
        named["raw_scores"] = replace(named["raw_scores"], base="Q′K′ᵀ")
    return MappingProxyType(named)


@lru_cache(maxsize=256)
def find(name: str) -> tuple[str, int | None]:
    """Tell which matrix a name means: weights_2 are those of the second head.

    Parameters
    ----------
    name : str
        Name of a matrix, or of one of its slices, counted from 1.

    Returns
    -------
    name, place : str, int or None
        One of MATRICES if it is known, and the slice counted from 0, if it is one.

    Examples
    --------
    >>> find("weights_2"), find("w_o"), find("score_hidden_3")
    (('weights', 1), ('w_o', None), ('score_hidden', 2))
    """
    name = _FORMER.get(name, name)
    whole, _, number = name.rpartition("_")
    plain = whole.removeprefix(GRADIENT).removeprefix(CROSS)
    is_whole = plain in MATRICES or plain in _BESIDE_NORMS
    if name not in MATRICES and is_whole and number.isdecimal():
        return whole, int(number) - 1
    return name, None
