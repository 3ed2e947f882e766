"""Tables drawn with lines and bars: Markdown, boxes, tall brackets."""

import re

BARS = "|│┃║┆┊"
MARK = re.compile(
    rf"[{BARS}⎡⎢⎣⎛⎜⎝]|^[ \t]*[-=]{{2,}}(?:[ \t]+[-=]{{2,}})+[ \t]*$", re.M
)
ALL = "pl.Config.set_tbl_rows(-1); pl.Config.set_tbl_cols(-1)"
_RULE = re.compile(r"[\s|+:=─━═╌╍┄┅│┃║┆┊┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╇╈┡┩╔╗╚╝╠╣╦╩╬╞╡╪╭╮╰╯-]+")
TALL = "⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠"
_BLANKS = str.maketrans(dict.fromkeys(TALL, " "))
_BAR = re.compile(rf"(?<!\\)[{BARS}]")
_KINDS = re.compile(r"(?:---|[fiu]\d+|str|bool|list\[\w+\])")
_EMPHASIS = re.compile(r"^(\*\*|__|\*|_|`|\$)(?=[-+.\d\w])(.+)\1$")


def strip(text: str) -> str:
    """Take off the drawing; cells between bars stand between tabs."""
    lines = []
    for line in text.split("\n"):
        bare = line.translate(_BLANKS)
        if bare != line:
            if bare.strip():
                lines.append(bare)
        elif not line.strip() or not _RULE.fullmatch(line):
            lines.append(_cells(line) if _is_row(line) else line)
    return "\n".join(line for line in lines if line != _DROPPED)


_DROPPED = "\x04"


def _is_row(line: str) -> bool:
    return len(_BAR.findall(line)) >= 2 or " | " in line


def _cells(line: str) -> str:
    bare = line.strip()
    if _BAR.match(bare):
        bare = bare[1:]
    if _BAR.search(bare[-1:]):
        bare = bare[:-1]
    cells = [_EMPHASIS.sub(r"\2", cell.strip()) for cell in _BAR.split(bare)]
    if len(cells) == 1:  # one pair of bars around a whole row is a bracket
        return cells[0]
    words = [cell for cell in cells if cell]
    if words and all(map(_KINDS.fullmatch, words)):  # what kinds polars has in columns
        return _DROPPED
    return "\t".join(cells)
