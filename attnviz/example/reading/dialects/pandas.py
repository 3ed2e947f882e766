"""Frames as pandas prints them: columns that go on further down, and a last line."""

import re

_WRAP = re.compile(r"[ \t]\\[ \t]*$")
_FOOTER = re.compile(
    r"^[ \t]*(?:\[\d+ rows x \d+ columns\]|(?:Name: .*, )?dtype: \w+|shape: \(.*\))"
    r"[ \t]*\n?",
    re.M,
)
MARK = re.compile(rf"{_WRAP.pattern}|{_FOOTER.pattern}", re.M)
ALL = 'pd.set_option("display.max_rows", None, "display.max_columns", None)'


def strip(text: str) -> str:
    """Put columns side by side, and take off the last line."""
    lines: list[str] = []
    frame: list[list[str]] = []
    goes_on = False
    at = 0
    for line in _FOOTER.sub("\n", text).split("\n"):
        cells = _WRAP.sub("", line).split()
        if _WRAP.search(line) or (goes_on and at == 0 and cells):
            head = [["", *cells]] if not frame else []
            if frame:
                frame[0] += cells
            frame += head
            goes_on, at = bool(_WRAP.search(line)), 1
        elif at and cells:
            if at < len(frame):
                frame[at] += cells[1:]
            else:
                frame.append(cells)
            at += 1
        elif not cells and goes_on:
            at = 0
        else:
            lines += ["\t".join(row) for row in frame] + [line]
            frame, goes_on, at = [], False, 0
    return "\n".join([*lines, *("\t".join(row) for row in frame)])
