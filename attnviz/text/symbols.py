"""Symbols of sizes and settings, as small pieces of HTML."""

from types import MappingProxyType

from htmltools import HTML

_SYMBOLS = MappingProxyType(
    {
        "length": "T",
        "key_length": "T<sub>k</sub>",
        "d_model": "d",
        "d_k": "d<sub>k</sub>",
        "d_v": "d<sub>v</sub>",
        "n_heads": "H",
        "n_padding": "pad",
        "window_left": "w<sub>←</sub>",
        "window_right": "w<sub>→</sub>",
        "temperature": "τ",
        "seed": "seed",
        "divisor": "√d<sub>k</sub>",
        "gamma": "γ",
        "beta": "β",
        "eps": "ε",
        "n_samples": "m",
    }
)


def symbol(name: str) -> HTML:
    """Give the symbol of a setting.

    Parameters
    ----------
    name : str
        Name of the setting in code.

    Returns
    -------
    symbol : HTML
        The chapter's symbol in italics.
    """
    return HTML(f'<i class="symbol" aria-hidden="true">{_SYMBOLS[name]}</i>')
