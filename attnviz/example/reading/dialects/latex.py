r"""Matrices as LaTeX sets them: bmatrix and its like, array, tabular."""

import re
from itertools import pairwise

MARK = re.compile(r"\\begin\{")
_EDGE = re.compile(
    r"\\(begin|end)\{([a-zA-Z]*matrix\*?|array|tabular[x*]?|cases|aligned)\}"
)
_COLUMNS = re.compile(r"^\s*(?:\[[^\]]*\]\s*)?(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})+")
_ROW_END = re.compile(r"\\\\(?:\[[^\]]*\])?|\\(?:tabularnewline|cr)\b")
_RULES = re.compile(
    r"\\(?:[ht]line|hline|toprule|midrule|bottomrule|displaystyle|small|"
    r"(?:cline|cmidrule(?:\([^)]*\))?|phantom|label|vspace)\{[^{}]*\})"
)
_FRACTION = re.compile(
    r"([-+]?) ?\\[td]?frac\s*(?:\{\s*([-+]?\d+)\s*\}\s*\{\s*(\d+)\s*\}|(\d)\s*(\d))"
)
_POWER = re.compile(r" ?\\(?:times|cdot)\s*10\s*\^\s*\{?\s*(-?\d+)\s*\}?")
_DOTS = re.compile(r"\\(?:[cvdl]?dots|hdots)\b")
_COLOUR = re.compile(r"\\(?:cell)?color(?:\[[^\]]*\])?\{[^{}]*\}")
_WRAPPER = re.compile(r"\\[a-zA-Z]+\*?\s*\{([^{}]*)\}")
_BRACKET = re.compile(
    r"\\(?:left|right|[bB]ig+[lrm]?)\s*(?:\\[{}|]|\\?[a-z]*(?:vert|angle)|[\[\]().|])"
)
_SPACE = re.compile(r"\\[,;:! ]|\\q?quad\b|~|\\(?:limits|nonumber)\b")
_LEFTOVER = re.compile(r"\\[a-zA-Z]+\*?|\$|\\[\[\]()]|\{,\}|[{}]|\\(?=[%_&#])")


def strip(text: str) -> str:
    """Set every matrix in rows of cells between tabs, under what stands before it."""
    parts = []
    at = 0
    for opened, closed in pairwise(_EDGE.finditer(text)):
        if (opened[1], closed[1]) == ("begin", "end") and opened[2] == closed[2]:
            parts.append(_words(text[at : opened.start()]))
            parts.append(_rows(opened[2], text[opened.end() : closed.start()]))
            at = closed.end()
    return "\n".join([*parts, _words(text[at:])])


def _rows(kind: str, body: str) -> str:
    if kind.startswith(("array", "tabular")):
        body = _COLUMNS.sub("", body, count=1)
    lines = []
    for row in _ROW_END.split(_RULES.sub(" ", body)):
        cells = [_words(cell) for cell in re.split(r"(?<!\\)&", row.replace("\n", " "))]
        if any(cells):
            lines.append("\t".join(cells))
    return "\n".join(["", *lines, ""])


def _words(text: str) -> str:
    """Give what a piece of LaTeX says in plain characters."""
    text = _COLOUR.sub("", _BRACKET.sub("", _RULES.sub("", text)))
    text = text.replace("{,}", ",").replace("{.}", ".").replace(r"\infty", "∞")
    text = _DOTS.sub("...", text)
    text = _POWER.sub(r"e\1", text)
    text = _FRACTION.sub(
        lambda part: f"{part[1]}{part[2] or part[4]}/{part[3] or part[5]}", text
    )
    for _ in range(3):
        text = _WRAPPER.sub(r"\1", text)
    return _LEFTOVER.sub("", _SPACE.sub(" ", text)).strip(" ")
