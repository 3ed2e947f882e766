"""Colours by role: the one place where a colour is written down."""

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Shades:
    """One colour in both themes.

    Attributes
    ----------
    light, dark : str
        Hexadecimal colours on the light and on the dark page.
    """

    light: str
    dark: str


PAGE = Shades("#ffffff", "#14181f")
NEGATIVE = Shades("#8b97a8", "#64748b")
HIDDEN = Shades("#eef0f4", "#222832")

# Fills of cells. Q, K and V are Okabe and Ito's blue, vermilion and bluish green, which
# stay apart for colour-blind readers.
ROLES = MappingProxyType(
    {
        "x": Shades("#33425a", "#c9d3e2"),
        "q": Shades("#0072b2", "#56b4e9"),
        "k": Shades("#d55e00", "#ff8a3d"),
        "v": Shades("#009e73", "#2fd6a3"),
        "s": Shades("#7b3fa0", "#c08fe0"),
        "c": Shades("#b07d00", "#e3b341"),
        "n": Shades("#b3365f", "#f07ca0"),
    }
)

# The same hues where they are letters: 4.5:1 or more against the page.
TEXT = MappingProxyType(
    {
        "x": Shades("#33425a", "#c9d3e2"),
        "q": Shades("#006aa6", "#56b4e9"),
        "k": Shades("#b54f00", "#ff8a3d"),
        "v": Shades("#007d5b", "#2fd6a3"),
        "s": Shades("#7b3fa0", "#c08fe0"),
        "c": Shades("#8a6200", "#e3b341"),
        "n": Shades("#b3365f", "#f07ca0"),
    }
)


def css_variables() -> str:
    """Write all colours as CSS variables for both themes."""
    named = {
        "--page": PAGE,
        "--hidden": HIDDEN,
        "--role-negative": NEGATIVE,
        **{f"--role-{role}": shades for role, shades in ROLES.items()},
        **{f"--text-{role}": shades for role, shades in TEXT.items()},
    }
    light = "".join(f"{name}:{shades.light};" for name, shades in named.items())
    dark = "".join(f"{name}:{shades.dark};" for name, shades in named.items())
    return f":root{{{light}}}[data-bs-theme=dark]{{{dark}}}"
