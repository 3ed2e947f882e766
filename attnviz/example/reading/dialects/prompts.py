"""What a console writes before a line: prompts, and numbers of inputs and outputs."""

import re

_PROMPT = re.compile(
    r"""^[ \t]*(?:
        (?:>>>|julia>|>>|octave:\d+>|\#>|\#\#|>)(?=\s|$)   # Python, Julia, R, …
      | (?:In|Out)\s?\[\d+\]\s*(?::=|:|=)(?://\w+=)?              # IPython, Mathematica
      | \(%[io]\d+\)                                              # Maxima
    )[ ]?""",
    re.M | re.X,
)
MARK = _PROMPT
# Python's prompt inside a statement; elsewhere dots say that something was left out.
_FURTHER = re.compile(r"^[ \t]*\.\.\.[ \t]+(?=\S)", re.M)


def strip(text: str) -> str:
    """Take off prompts."""
    if ">>>" in text:
        text = _FURTHER.sub("", text)
    return _PROMPT.sub("", text)
