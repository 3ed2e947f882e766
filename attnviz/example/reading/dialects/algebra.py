"""Lists in braces, of Mathematica and of C, and Maxima's boxes of brackets."""

import re

MARK = re.compile(r"\{[\s{]{0,40}[-+.\d]|^[ \t]*\[[ \t]+\][ \t]*$", re.M)
_DIMENSIONS = re.compile(r"(?<=\w)(?:\[\d*\])+(?=\s*=)")
_EMPTY = re.compile(r"^[ \t]*\[[ \t]+\][ \t]*\n", re.M)
_NUMBERS = re.compile(r"\{[\s{]{0,40}[-+.\d]")


def strip(text: str) -> str:
    """Write lists in square brackets."""
    text = _EMPTY.sub("", text)
    if _NUMBERS.search(text):
        text = _DIMENSIONS.sub("", text).replace("{", "[").replace("}", "]")
    return text
