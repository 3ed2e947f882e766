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
    strip : callable
        Takes the text and gives it in plain rows or brackets.
    prints_all : str
        The line after which its program leaves no number out; may be empty.
    """

    mark: re.Pattern[str]
    strip: Callable[[str], str]
    prints_all: str = ""


# In the order in which they are taken off.
DIALECTS = (
    Dialect(prompts.MARK, prompts.strip),
    Dialect(latex.MARK, latex.strip),
    Dialect(drawn.MARK, drawn.strip, drawn.PRINTS_ALL),
    Dialect(r_code.MARK, r_code.strip),
    Dialect(r.MARK, r.strip, "options(max.print = 1e6)"),
    Dialect(matlab.MARK, matlab.strip, matlab.PRINTS_ALL),
    Dialect(pandas.MARK, pandas.strip, pandas.PRINTS_ALL),
    Dialect(algebra.MARK, algebra.strip),
    Dialect(python.JAX, python.strip, python.PRINTS_ALL),
    Dialect(python.TENSORFLOW, python.strip, "tf.print(A, summarize=-1)"),
    Dialect(python.TORCH, python.strip, 'torch.set_printoptions(profile="full")'),
    Dialect(python.MARK, python.strip, python.PRINTS_ALL),
)


def strip_dialects(text: str) -> str:
    """Turn whatever a program has printed into plain rows or brackets."""
    for dialect in DIALECTS:
        if dialect.mark.search(text):
            text = dialect.strip(text)
    return text


def line_that_prints_all(text: str) -> str:
    """Give the line that makes the program of a text print every number."""
    spoken = (each for each in DIALECTS if each.prints_all and each.mark.search(text))
    dialect = next(spoken, None)
    return python.PRINTS_ALL if dialect is None else dialect.prints_all
