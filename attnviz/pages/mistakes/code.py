"""Right and faulty code beside each other, with what differs marked."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from htmltools import Tag
from shiny import ui

from attnviz.text.catalog import Translate

# Names, numbers, signs.
_PIECES = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\s+|.")


# Characters of a line that do not fit beside another.
_LONG = 46


def code_pair(right: str, faulty: str, tr: Translate) -> Tag:
    """Set two texts side by side, line by line.

    Parameters
    ----------
    right, faulty : str
        The lines that run.
    """
    longest = max(map(len, (right + faulty).splitlines()))
    rows = aligned(right.splitlines(), faulty.splitlines())
    return ui.div(
        *[
            ui.tags.pre(
                ui.tags.code(*[_line(row[side], row[1 - side], side) for row in rows]),
                aria_label=tr(f"mistakes.code.{kind}"),
                class_=f"code is-{kind}",
                tabindex="0",
            )
            for side, kind in enumerate(("right", "faulty"))
        ],
        class_=f"code-pair{' is-long' if longest > _LONG else ''}",
    )


def aligned(first: list[str], second: list[str]) -> list[tuple[str, str]]:
    """Pair the lines of two texts; an empty one stands where there is no other.

    Examples
    --------
    >>> aligned(["a = 1", "b = 2"], ["b = 3"])
    [('a = 1', ''), ('b = 2', 'b = 3')]
    """
    rows: list[tuple[str, str]] = []
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for tag, from_1, to_1, from_2, to_2 in matcher.get_opcodes():
        left, right = first[from_1:to_1], second[from_2:to_2]
        if tag == "equal":
            rows += zip(left, right, strict=True)
        else:
            rows += _alike(left, right)
    return rows


def _alike(left: list[str], right: list[str]) -> list[tuple[str, str]]:
    """Pair lines that assign the same variable, in order."""
    rows, rest = [], list(right)
    for line in left:
        target = line.partition(" = ")[0]
        place = next(
            (k for k, one in enumerate(rest) if one.startswith(f"{target} = ")), None
        )
        if place is None:
            rows.append((line, ""))
            continue
        rows += [("", one) for one in rest[:place]]
        rows.append((line, rest[place]))
        rest = rest[place + 1 :]
    return rows + [("", one) for one in rest]


def _line(own: str, other: str, side: int) -> Tag:
    if own == other:
        return ui.span(own, "\n", class_="code-line")
    if not own:
        return ui.span("\n", class_="code-line is-missing")
    marked = _marked(own, other) if other else [own]
    return ui.span(*marked, "\n", class_="code-line is-changed")


def _marked(own: str, other: str) -> Iterable[ui.TagChild]:
    """Mark what the other line does not have; a name or a number is one piece."""
    pieces, others = _PIECES.findall(own), _PIECES.findall(other)
    matcher = SequenceMatcher(None, pieces, others, autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        text = "".join(pieces[start:end])
        if tag == "equal":
            yield text
        elif text:
            yield ui.tags.mark(text)
