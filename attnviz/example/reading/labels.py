"""Words at rows and columns, cleaned as typed tokens are, from anyone."""

from collections.abc import Iterable
from functools import cache

from attnviz.example.reading.characters import JOINERS
from attnviz.example.sources.tokens import clean_label

LABELLED = ("query", "key")
_LONGEST = 40
_WHITE = str.maketrans({"\n": "↵", "\t": "⇥"})
# Marks of subword vocabularies for a blank before a word: SentencePiece's and BPE's.
_BLANK = "▁"


def clean_labels(words: Iterable[object]) -> tuple[str, ...]:
    r"""Make words fit to be shown and exported.

    Parameters
    ----------
    words : iterable of object
        From anyone.

    Returns
    -------
    labels : tuple of str
        As many: without what cannot be seen or written, marks of subwords readable.
        Empty if one of them is no text.

    Examples
    --------
    >>> clean_labels(["Ġcat", "##s", "ä½łå¥½", "a\x00b"])
    ('␣cat', '##s', '你好', 'ab')
    """
    texts = list(words)
    if not all(isinstance(text, str) for text in texts):
        return ()
    return tuple(_readable(str(text)) for text in texts)


def _readable(word: str) -> str:
    """Make one word fit to be shown and exported; never empty."""
    word = _from_bytes(word[: 4 * _LONGEST]).translate(_WHITE)
    if word[:1] in (" ", _BLANK):
        word = f"␣{word[1:]}"
    visible = clean_label(word.replace(_BLANK, " "))
    return visible.strip(JOINERS)[:_LONGEST] or "∅"


def read_labels(sent: object) -> dict[str, tuple[str, ...]]:
    """Take the words at queries and keys, if that is what they are.

    Parameters
    ----------
    sent : object
        From anyone.

    Returns
    -------
    labels : dict of str to tuple of str
        What can be shown; labels are no reason to refuse numbers.
    """
    if not isinstance(sent, dict):
        return {}
    return {
        axis: labels
        for axis in LABELLED
        if isinstance(sent.get(axis), list) and (labels := clean_labels(sent[axis]))
    }


def _from_bytes(word: str) -> str:
    """Read a token of a byte-level vocabulary, if it is one and whole."""
    known = _byte_of()
    if word.isascii() or not all(char in known for char in word):
        return word
    try:
        return bytes(known[char] for char in word).decode()
    except UnicodeDecodeError:
        return word


@cache
def _byte_of() -> dict[str, int]:
    """Give the byte behind each character of a byte-level vocabulary (GPT-2's)."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    pairs = [(chr(byte), byte) for byte in shown]
    return dict(pairs + [(chr(256 + at), byte) for at, byte in enumerate(hidden)])
