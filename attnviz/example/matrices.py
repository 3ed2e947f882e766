"""The one catalogue of matrices: what each is called, how coloured, along which axes.

Whoever writes a symbol, colours a number, names a row or reads a title asks here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from attnviz.example.choices.positions import MOST_POSITIONS, N_BUCKETS
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
        "place": Axis("T", MAX_LENGTH),
        "key_place": Axis("T", MAX_LENGTH),
        "last_query": Axis("T_q", MAX_LENGTH),
        "p": Axis("p", MOST_POSITIONS),
        "other_p": Axis("p′", MOST_POSITIONS),
        "m": Axis("m", MOST_POSITIONS),
        "n": Axis("n", MOST_POSITIONS),
        "feature": Axis("d", MAX_WIDTH),
        "sample": Axis("m", MAX_HEADS),
        "d": Axis("d", MAX_WIDTH),
        "d_k": Axis("d_k", MAX_WIDTH),
        "d_v": Axis("d_v", MAX_WIDTH),
        "unit": Axis("d_a", MAX_WIDTH),
        "bucket": Axis("n_b", N_BUCKETS),
        "joined": Axis("H·d_v", MAX_HEADS * MAX_WIDTH),
        "divisor": Axis("4", 4),
        "component": Axis("d_k", 1024),
        "vector": Axis("2^d_k", 16),
        "size": Axis("11", 11),
        "line": Axis("10", 10),
        "d_ff": Axis("d_ff", MAX_WIDTH),
        "statistic": Axis("1", 1),
        "row": Axis("n", MAX_LENGTH),
        "column": Axis("m", MAX_WIDTH),
    }
)
Kind = Literal["signed", "weights"]
# What stands below each other where there is one number for each.
_DOWN = ("query", "key", "position", "unit", "line")


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
    is_whole : bool
        Whether its numbers count something, and need no decimals.
    """

    base: str
    axes: tuple[str, ...] = ()
    role: str = "x"
    sub: str = ""
    sup: str = ""
    entry: str = ""
    kind: Kind = "signed"
    edits: tuple[str, ...] = ()
    is_whole: bool = False

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
        "bucket_values": Matrix("b", ("head", "statistic", "bucket"), "s"),
        "bias": Matrix("B", _TABLE, "s"),
        "scores": Matrix("S", _TABLE, "s"),
        "mask": Matrix("M", _TABLE, "s", edits=("query", "key"), is_whole=True),
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
        # What somebody computed: a page calls it as its kind is called.
        "expected": Matrix("A", _TABLE, "s"),
        "given": Matrix("A", _TABLE, "s"),
        "difference": Matrix("ΔA", _TABLE, "s"),
        "row_q": Matrix("q", ("query", "component"), "q"),
        "row_k": Matrix("K", ("key", "component"), "k", entry="k"),
        "row_raw": Matrix("qKᵀ", ("query", "key"), "s", entry="q·k"),
        "divisor": Matrix("c", ("divisor", "statistic")),
        "divided": Matrix("S", ("divisor", "key"), "s", entry="s"),
        "divided_max": Matrix("max", ("divisor", "statistic"), "s"),
        "divided_exp": Matrix("e", ("divisor", "key"), "s"),
        "divided_sum": Matrix("Σe", ("divisor", "statistic"), "s"),
        "shares": Matrix("A", ("divisor", "key"), "s", entry="a", kind="weights"),
        "jacobian_raw": Matrix("J", ("key", "key"), "s", sub="÷1"),
        "jacobian": Matrix("J", ("key", "key"), "s", sub="÷√d_k"),
        "signs": Matrix("±1", ("vector", "d_k"), "x"),
        "sign_scores": Matrix("q·k", ("vector", "vector"), "s"),
        "curve_largest": Matrix("max a", ("divisor", "size"), "s"),
        "curve_largest_error": Matrix("SE", ("divisor", "size"), "s", sub="a"),
        "curve_norm": Matrix("‖J‖", ("divisor", "size"), "s"),
        "curve_norm_error": Matrix("SE", ("divisor", "size"), "s", sub="J"),
        "d_context": Matrix("dC", ("query", "d_v"), "c"),
        "d_v": Matrix("dV", ("key", "d_v"), "v"),
        "d_weights": Matrix("dA", ("query", "key"), "s"),
        "d_mean": Matrix("Σa·da", ("query", "statistic"), "s"),
        "d_scores": Matrix("dS", ("query", "key"), "s"),
        "d_q": Matrix("dQ", ("query", "d_k"), "q"),
        "minus": Matrix("−1"),
        "second_exp": Matrix("e", _TABLE, "s", "2"),
        "second_sum": Matrix("Σe", _STATISTIC, "s", "2"),
        "column_max": Matrix("max", ("head", "statistic", "key"), "s"),
        "column_sum": Matrix("Σe", ("head", "statistic", "key"), "s"),
        "first_weights": Matrix("A", _TABLE, "s", "1", kind="weights"),
        "seen": Matrix("visible", ("query", "key")),
        "blocked": Matrix("~visible", ("query", "key")),
        "kept": Matrix("keep", ("query", "key")),
        "far_below": Matrix("M", ("query", "key"), "s", "−10⁹"),
        "ignored": Matrix("pad", ("statistic", "key")),
        "renormalized": Matrix("A/Σ", _TABLE, "s", kind="weights"),
        "renormalized_gap": Matrix("ΔA", _TABLE, "s"),
        "column_total": Matrix("Σ↓", ("head", "statistic", "key"), "s"),
        "by_token": Matrix("X", ("head", "unit", "d_k"), sub="t"),
        "head_product": Matrix("CW", ("head", "query", "d"), "c"),
        "value_norm": Matrix("‖v‖", ("head", "statistic", "key"), "v"),
        "contribution": Matrix("|a|‖v‖", _TABLE, "s"),
        "head_mean": Matrix("Ā", ("query", "key"), "s", kind="weights"),
        "keep": Matrix("D", ("unit", "key")),
        "dropped": Matrix("aD", ("unit", "key"), "s", kind="weights"),
        "dropped_sum": Matrix("Σ", ("unit",), "s"),
        "chance": Matrix("P", ("unit",)),
        "dropped_mean": Matrix("E", ("statistic", "key"), "s"),
        "samples": Matrix("X", ("head", "position", "d")),
        "steps": Matrix("X", ("head", "sample", "d"), sub="t"),
        "alone": Matrix("C", ("query", "d_v"), "c", "1"),
        "alone_gap": Matrix("ΔC", ("query", "d_v"), "c"),
        "faulty_alone_gap": Matrix("ΔC", ("query", "d_v"), "c", sup="✗"),
        "first_context": Matrix("C", ("head", "query", "d_v"), "c"),
        "whole": Matrix("X", ("position", "joined")),
        "split": Matrix("X", ("head", "position", "d_k")),
        "parts": Matrix("C", ("head", "position", "d_v"), "c"),
        "merged": Matrix("[C]", ("position", "joined"), "c"),
        "angles": Matrix("angle", ("position", "d")),
        "code": Matrix("P", ("position", "d"), entry="p"),
        "rows": Matrix("X", ("position", "d"), entry="x"),
        "turned": Matrix("X′", ("position", "d"), entry="x′"),
        "slopes": Matrix("slope", ("unit",), "s"),
        "counts": Matrix("n", ("unit",)),
        "second_max": Matrix("max", _STATISTIC, "s", "2"),
        "number": Matrix("n"),
        "cost_elements": Matrix("N", ("line",), "s", is_whole=True),
        "cost_work": Matrix("F", ("line",), "s", is_whole=True),
        "cost_totals": Matrix("Σ", ("line",), "s", is_whole=True),
        "size_batch": Matrix("m"),
        "size_length": Matrix("T"),
        "size_d_model": Matrix("d"),
        "size_n_heads": Matrix("H"),
        "size_n_kv_heads": Matrix("H", sub="kv"),
        "size_d_k": Matrix("d", sub="k"),
        "size_d_v": Matrix("d", sub="v"),
        "size_d_ff": Matrix("d", sub="ff"),
        "order_original": Matrix("C", ("head", "query", "d_v"), "c"),
        "order_permuted": Matrix("ΠᵀC", ("head", "query", "d_v"), "c", "π"),
        "order_change": Matrix("ΔC", ("head", "query", "d_v"), "c"),
        "position_table": Matrix("P", ("p", "feature"), entry="p"),
        "position_gram": Matrix("PPᵀ", ("p", "other_p")),
        "scaled_x": Matrix("√d·X", ("query", "d"), entry="(√d·x)"),
        "sum_positions": Matrix("P", ("query", "d"), entry="p"),
        "sum_inputs": Matrix("X+P", ("query", "d"), entry="(x+p)"),
        "x_norm": Matrix("‖x‖", ("query",)),
        "p_norm": Matrix("‖p‖", ("query",)),
        "query_cos": Matrix("cos", ("m", "d_k")),
        "query_sin": Matrix("sin", ("m", "d_k")),
        "key_cos": Matrix("cos", ("n", "d_k")),
        "key_sin": Matrix("sin", ("n", "d_k")),
        "rotary_queries": Matrix("q′", ("m", "d_k"), "q"),
        "rotary_keys": Matrix("k′", ("n", "d_k"), "k"),
        "rotary_scores": Matrix("s", ("m", "n"), "s"),
        "bias_scores": Matrix("S", ("head", "last_query", "key"), "s"),
        "position_bias": Matrix("B", ("head", "last_query", "key"), "s"),
        "biased_scores": Matrix(
            "S+B", ("head", "last_query", "key"), "s", entry="(s+b)"
        ),
        "scale": Matrix("scale"),
        "softcap": Matrix("cap"),
        "temperature": Matrix("τ"),
        "eps": Matrix("ε"),
        "d": Matrix("d"),
        "d_k": Matrix("d", sub="k"),
        "root_d": Matrix("√d"),
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
# What faulty code makes of them, and how far that is from the right one.
FAULTY, GAP = "faulty_", "gap_"
_SPOILT = (
    *("q", "k", "v", "scores", "mask", "masked_scores", "row_max", "exp_scores"),
    *("second_exp", "row_sum", "second_sum", "column_max", "column_sum"),
    *("first_weights", "weights", "weight_sum", "context", "norm_mean"),
    *("norm_variance", "norm_normalized", "norm_output", "output_mean"),
    *("output_variance", "angles", "code", "turned", "slopes", "split", "merged"),
    *("counts", "second_max", "first_context"),
)
_COMPARED = (
    *("weights", "weight_sum", "context", "norm_output", "output_mean"),
    *("output_variance", "code", "turned", "slopes", "split", "merged"),
    "counts",
)
MATRICES = MappingProxyType(
    {
        **MATRICES,
        **{
            f"{FAULTY}{name}": replace(MATRICES[name], sup="✗", edits=())
            for name in _SPOILT
        },
        **{
            f"{GAP}{name}": replace(
                MATRICES[name], base=f"Δ{MATRICES[name].base}", kind="signed", entry=""
            )
            for name in _COMPARED
        },
    }
)
EDITABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: matrix.edits for name, matrix in MATRICES.items() if matrix.edits}
)
# Of the keys' gradient, on the page where d_k is that and not their size.
D_K = Matrix("dK", ("key", "d_k"), "k")
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
