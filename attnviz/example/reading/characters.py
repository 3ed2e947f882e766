"""Characters that look like others or like nothing: what they are taken for."""

import unicodedata

# Joiners hold emoji and words of some scripts together, so they stay.
JOINERS = "\u200c\u200d"
# Kinds of characters that nobody sees, and no file should carry.
UNSEEN = frozenset({"Cc", "Cf", "Cs"})
_MINUS = "\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d"
_FULL_WIDTH = {chr(ord("０") + digit): str(digit) for digit in range(10)}
_LOOKALIKES = dict.fromkeys(_MINUS, "-") | _FULL_WIDTH | {"．": ".", "\x85": "\n"}
_USUAL = frozenset(map(chr, range(0x20, 0x7F))) | {"\n", "\t"}


def plain_characters(text: str) -> str:
    r"""Write blanks, minus signs and digits plainly, and drop what cannot be seen.

    Examples
    --------
    >>> plain_characters("\ufeff0.5\u20090.5"), plain_characters("−１．5\u200b")
    ('0.5 0.5', '-1.5')
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.translate({ord(char): _plain(char) for char in set(text) - _USUAL})


def _plain(char: str) -> str:
    if char in JOINERS:
        return char
    if char in _LOOKALIKES:
        return _LOOKALIKES[char]
    kind = unicodedata.category(char)
    if kind in {"Zl", "Zp"}:
        return "\n"
    if kind == "Zs" or char in "\v\f":
        return " "
    return "" if kind in UNSEEN else char
