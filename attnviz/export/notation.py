"""Two ways to write a formula: plain characters and LaTeX."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType

from attnviz.core.derivation import Operator
from attnviz.example.matrices import Matrix

# How tightly a piece of a formula holds together.
SUM, PRODUCT, ATOM = range(3)
Part = tuple[str, int]
# Sizes that are written without a power of ten.
_PLAIN = (1e-3, 1e6)


@dataclass(frozen=True, slots=True)
class Form:
    """How an operation is written.

    Attributes
    ----------
    needs : int
        How tightly its first part must hold together to go without brackets.
    gives : int
        How tightly the result holds together.
    template : str
        {0} is the first part, {1} and on the operands.
    """

    needs: int
    gives: int
    template: str


@dataclass(frozen=True, slots=True)
class Notation:
    """One way to write a formula.

    Attributes
    ----------
    symbol : callable
        Writes what the catalogue calls a matrix or a setting.
    forms : mapping of Operator to Form
        How each step is written.
    cell, bracket, times, square, maximum, hidden : str
        How a place in a matrix, a bracket, a product, a squared difference, a maximum
        and a hidden cell are written.
    infinity, power, minus, undefined : str
        How ±∞, powers of ten, a minus sign and NaN are written.
    """

    symbol: Callable[[Matrix], str]
    forms: Mapping[Operator, Form]
    cell: str
    bracket: str
    times: str
    square: str
    maximum: str
    hidden: str
    infinity: str
    power: str
    minus: str
    undefined: str

    def number(self, value: float, digits: int) -> Part:
        """Write a number with so many significant digits."""
        if math.isnan(value):
            return self.undefined, ATOM
        sign = self.minus if value < 0 else ""
        if math.isinf(value):
            return sign + self.infinity, SUM if sign else ATOM
        size = abs(value)
        is_plain = size == 0 or _PLAIN[0] <= size < _PLAIN[1]
        if is_plain:
            whole = math.floor(math.log10(size)) + 1 if size else 1
            text = f"{size:.{max(digits - whole, 0)}f}"
            text = text.rstrip("0").rstrip(".") if "." in text else text
        else:
            mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
            mantissa = mantissa.rstrip("0").rstrip(".")
            text = self.power.format(mantissa, int(exponent))
        return sign + text, SUM if sign else ATOM if is_plain else PRODUCT

    def held(self, part: Part) -> str:
        """Put a bracket around whatever could come apart."""
        text, tightness = part
        return text if tightness == ATOM else self.bracket.format(text)


TEXT = Notation(
    symbol=attrgetter("plain"),
    forms=MappingProxyType(
        {
            "add": Form(SUM, SUM, "{0} + {1}"),
            "subtract": Form(SUM, SUM, "{0} − {1}"),
            "multiply": Form(PRODUCT, PRODUCT, "{0} · {1}"),
            "divide": Form(PRODUCT, PRODUCT, "{0} / {1}"),
            "divide_by_root": Form(PRODUCT, PRODUCT, "{0} / √({1} + {2})"),
            "divide_by_power": Form(PRODUCT, PRODUCT, "{0} / {1}^({2} / {3})"),
            "soft_cap": Form(PRODUCT, PRODUCT, "{1} · tanh({0} / {1})"),
            "mask": Form(SUM, SUM, "{0} + {1}"),
            "exp": Form(SUM, ATOM, "exp({0})"),
            "tanh": Form(SUM, ATOM, "tanh({0})"),
            "sine": Form(SUM, ATOM, "sin({0})"),
            "cosine": Form(SUM, ATOM, "cos({0})"),
            "root": Form(ATOM, PRODUCT, "√{0}"),
            "reciprocal_root": Form(ATOM, PRODUCT, "1 / √{0}"),
            "relu": Form(SUM, ATOM, "max({0}, 0)"),
            "gelu": Form(SUM, ATOM, "GELU({0})"),
            "gelu_tanh": Form(SUM, ATOM, "GELU_tanh({0})"),
        }
    ),
    cell="{0}({1})",
    bracket="({0})",
    times=" · ",
    square="({0} − {1})²",
    maximum="max({0})",
    hidden="exp({0})",
    infinity="∞",
    power="{0}·10^{1}",
    minus="−",
    undefined="NaN",
)

# Letters, and words that are no products of letters, as LaTeX has them.
_LETTERS = MappingProxyType(
    {
        "QKᵀ": r"(Q K^{\top})",
        "Q′K′ᵀ": r"(Q' K'^{\top})",
        "x̂": r"\hat{x}",
        "[C]": r"\left[C\right]",
        "′": "'",
        "Σe": r"(\Sigma e)",
        "Σa": r"(\Sigma a)",
        "μ": r"\mu",
        "ε": r"\varepsilon",
        "γ": r"\gamma",
        "β": r"\beta",
        "τ": r"\tau",
        "Δ": r"\Delta",
        "max": r"\max",
        "cos": r"\cos",
        "sin": r"\sin",
        "scale": r"\mathrm{scale}",
        "cap": r"\mathrm{cap}",
        "base": r"\mathrm{base}",
        "slope": r"\mathrm{slope}",
        "·": r" \cdot ",
        "−": "-",
    }
)


def _latex(matrix: Matrix) -> str:
    """Write a symbol; it stands in braces if further subscripts may follow its own."""
    base = matrix.base
    for letter, name in _LETTERS.items():
        base = base.replace(letter, name)
    sub = f"_{{{matrix.sub}}}" if matrix.sub else ""
    sup = f"^{{{matrix.sup}}}" if matrix.sup else ""
    return f"{{{base}{sub}}}{sup}" if sub else f"{base}{sup}"


LATEX = Notation(
    symbol=_latex,
    forms=MappingProxyType(
        {
            "add": Form(SUM, SUM, "{0} + {1}"),
            "subtract": Form(SUM, SUM, "{0} - {1}"),
            "multiply": Form(PRODUCT, PRODUCT, r"{0} \cdot {1}"),
            "divide": Form(SUM, ATOM, r"\frac{{{0}}}{{{1}}}"),
            "divide_by_root": Form(SUM, ATOM, r"\frac{{{0}}}{{\sqrt{{{1} + {2}}}}}"),
            "divide_by_power": Form(SUM, ATOM, r"\frac{{{0}}}{{{1}^{{{2} / {3}}}}}"),
            "soft_cap": Form(
                SUM, PRODUCT, r"{1} \cdot \tanh\left(\frac{{{0}}}{{{1}}}\right)"
            ),
            "mask": Form(SUM, SUM, "{0} + {1}"),
            "exp": Form(SUM, ATOM, r"\exp\left({0}\right)"),
            "tanh": Form(SUM, ATOM, r"\tanh\left({0}\right)"),
            "sine": Form(SUM, ATOM, r"\sin\left({0}\right)"),
            "cosine": Form(SUM, ATOM, r"\cos\left({0}\right)"),
            "root": Form(SUM, ATOM, r"\sqrt{{{0}}}"),
            "reciprocal_root": Form(SUM, ATOM, r"\frac{{1}}{{\sqrt{{{0}}}}}"),
            "relu": Form(SUM, ATOM, r"\max\left({0}, 0\right)"),
            "gelu": Form(SUM, ATOM, r"\mathrm{{GELU}}\left({0}\right)"),
            "gelu_tanh": Form(SUM, ATOM, r"\mathrm{{GELU}}_{{\tanh}}\left({0}\right)"),
        }
    ),
    cell="{0}_{{{1}}}",
    bracket=r"\left({0}\right)",
    times=r" \cdot ",
    square=r"\left({0} - {1}\right)^2",
    maximum=r"\max\left({0}\right)",
    hidden=r"\exp\left({0}\right)",
    infinity=r"\infty",
    power=r"{0} \cdot 10^{{{1}}}",
    minus="-",
    undefined=r"\mathrm{NaN}",
)
