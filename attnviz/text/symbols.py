"""Symbols of sizes and settings, as small pieces of HTML."""

from html import escape

from htmltools import HTML


def symbol(plain: str) -> HTML:
    """Set the symbol of a setting.

    Parameters
    ----------
    plain : str
        The chapter's symbol in plain characters; a subscript follows a low line.

    Examples
    --------
    >>> str(symbol("d_k"))
    '<i class="symbol" aria-hidden="true">d<sub>k</sub></i>'
    """
    base, _, sub = plain.partition("_")
    lowered = f"<sub>{escape(sub)}</sub>" if sub else ""
    return HTML(f'<i class="symbol" aria-hidden="true">{escape(base)}{lowered}</i>')
