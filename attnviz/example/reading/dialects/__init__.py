"""How programs print matrices: each dialect is turned into plain rows or brackets.

A new one is a module with a function from text to text and a line in `DIALECTS`. What
it leaves is what every reader here knows: titles on lines of their own, rows of cells,
and nested square brackets; `SLICE` before the place of a table that is a slice of a
larger one.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from attnviz.example.reading.dialects import (
    algebra,
    drawn,
    latex,
    matlab,
    pandas,
    prompts,
    python,
    r,
    r_code,
)
from attnviz.example.reading.dialects.slices import SLICE

__all__ = ["DIALECTS", "SLICE", "line_that_prints_all", "strip_dialects"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to print matrices.

    Attributes
    ----------
    mark : re.Pattern
        What is found in every text of it.
    hints : tuple of str
        One of these is in every text of it; they are quickly looked for.
    strip : callable
        Takes the text and gives it in plain rows or brackets.
    prints_all : str
        The line after which its program leaves no number out; may be empty.
    """

    mark: re.Pattern[str]
    hints: tuple[str, ...]
    strip: Callable[[str], str]
    prints_all: str = ""

    def is_spoken(self, text: str) -> bool:
        """Tell whether a text is of this dialect."""
        is_likely = any(hint in text for hint in self.hints)
        return is_likely and self.mark.search(text) is not None


# In the order in which they are taken off.
DIALECTS = (
    Dialect(prompts.MARK, (">", "##", "In", "Out", "(%"), prompts.strip),
    Dialect(latex.MARK, ("\\begin",), latex.strip),
    Dialect(drawn.MARK, (*drawn.BARS, *drawn.TALL, "--", "=="), drawn.strip, drawn.ALL),
    Dialect(r_code.MARK, ("c(",), r_code.strip),
    Dialect(r.MARK, ("[1", "[,", ", , ", "[ reached"), r.strip, r.ALL),
    Dialect(matlab.MARK, matlab.HINTS, matlab.strip, matlab.ALL),
    Dialect(
        pandas.MARK, ("\\", " rows x ", "dtype: ", "shape: "), pandas.strip, pandas.ALL
    ),
    Dialect(algebra.MARK, ("{", "[ "), algebra.strip),
    Dialect(python.JAX, ("Array(", "jnp."), python.strip, python.ALL),
    Dialect(python.TENSORFLOW, ("tf.",), python.strip, python.ALL_OF_TENSORFLOW),
    Dialect(
        python.TORCH, ("tensor(", "torch.", "Param"), python.strip, python.ALL_OF_TORCH
    ),
    Dialect(python.MARK, python.HINTS, python.strip, python.ALL),
)


def strip_dialects(text: str) -> str:
    """Turn whatever a program has printed into plain rows or brackets."""
    for dialect in DIALECTS:
        if dialect.is_spoken(text):
            text = dialect.strip(text)
    return text


def line_that_prints_all(text: str) -> str:
    """Give the line that makes the program of a text print every number."""
    spoken = (each for each in DIALECTS if each.prints_all and each.is_spoken(text))
    dialect = next(spoken, None)
    return python.ALL if dialect is None else dialect.prints_all
