"""Cut a typed sentence into tokens, whatever its script."""

import re
import unicodedata

# Scripts written without spaces: Han, kana and bopomofo, with their punctuation and
# full-width forms. Each of their characters is a token of its own.
_UNSPACED = (
    r"[\u2e80-\u2fdf\u3001-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf"
    r"\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff]"
)
_MARKS = r"[\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef]*"
_TOKEN = re.compile(rf"{_UNSPACED}{_MARKS}|(?:(?!{_UNSPACED})\S)+")
_JOINERS = "\u200c\u200d"


def split_tokens(text: str) -> tuple[str, ...]:
    """Cut text at spaces, and runs of Chinese or Japanese into characters.

    Parameters
    ----------
    text : str
        Anything a person typed.

    Returns
    -------
    tokens : tuple of str
        In reading order. Control characters and invisible direction marks are left
        out; joiners inside emoji and words stay.

    Examples
    --------
    >>> split_tokens("GPT 很 有趣!")
    ('GPT', '很', '有', '趣', '!')
    >>> split_tokens("مرحبا بالعالم")
    ('مرحبا', 'بالعالم')
    """
    tokens = _TOKEN.findall(_visible(text))
    return tuple(token for token in tokens if token.strip(_JOINERS))


def clean_label(text: str) -> str:
    r"""Leave out of a word what a typed token could not have either.

    Examples
    --------
    >>> clean_label("a\0b \u202ec")
    'ab c'
    """
    return " ".join(_visible(text).split())


def _visible(text: str) -> str:
    composed = unicodedata.normalize("NFC", text)
    return "".join(
        " " if unicodedata.category(char) in {"Zs", "Zl", "Zp"} else char
        for char in composed
        if char in _JOINERS
        or char.isspace()
        or unicodedata.category(char) not in {"Cc", "Cf", "Cs"}
    )
