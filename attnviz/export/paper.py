"""The pieces of a sheet of paper: sections, tables with open places, the document."""

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from pathlib import Path
from types import MappingProxyType

import numpy as np
from htmltools import HTML, Tag, TagChild, tags

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.example.screen import Screen

# How a sheet is to be delivered: it runs nothing and loads nothing.
HEADERS = MappingProxyType(
    {
        "content-security-policy": (
            "default-src 'none'; style-src 'unsafe-inline'; font-src data:"
        ),
        "cache-control": "no-store",
    }
)
_RESULT = 4
# What a place to fill in is called, on the sheet and in the key.
_OPEN = ("blank", "answer")
_STYLE = Path(__file__).with_suffix(".css")
_FONT = Path(__file__).parents[2] / "www" / "fonts" / "stix-two-math.woff2"


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes a sheet in one language, with the answers or with open places.

    Attributes
    ----------
    words : callable
        Gives words by key, with the values of their placeholders.
    formula : callable
        Gives the MathML of a formula by name.
    is_key : bool
        Whether the places to fill in are filled in.
    """

    words: Callable[..., str]
    formula: Callable[[str], str]
    is_key: bool

    def section(
        self,
        title: str,
        formula: str,
        content: Iterable[TagChild],
        notes: Sequence[str] = (),
        **values: str,
    ) -> Tag:
        """Put matrices under a title and a formula; notes are named by their keys."""
        said = [self.words(f"export.sheet.{note}", **values) for note in notes]
        return tags.section(
            tags.h2(tags.span(title), tags.span(HTML(formula))),
            tags.div(*content, class_="matrices"),
            tags.p(" ".join(said), class_="notes") if said else None,
        )

    def matrix(
        self,
        screen: Screen,
        name: str,
        values: FloatArray,
        *,
        blank: BoolArray | None = None,
        hidden: BoolArray | None = None,
        decimals: int = _RESULT,
    ) -> HTML:
        """Set numbers under the symbol of a matrix and its shape, tokens numbered."""
        matrix = screen.matrix(name)
        sub = f"<sub>{matrix.sub}</sub>" if matrix.sub else ""
        shape = "×".join(map(str, values.shape))
        rows, columns = (numbered(screen.labels.get(a, ())) for a in matrix.sides)
        return self.table(
            np.atleast_2d(values),
            caption=f"<caption>{matrix.base}{sub} <small>{shape}</small></caption>",
            rows=rows,
            columns=columns,
            blank=blank,
            hidden=hidden,
            decimals=decimals,
        )

    def table(
        self,
        values: FloatArray,
        *,
        caption: str = "",
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
        blank: BoolArray | None = None,
        hidden: BoolArray | None = None,
        decimals: int = _RESULT,
    ) -> HTML:
        """Set numbers in a table; those in question are left open or marked."""
        no = np.zeros(values.shape, dtype=np.bool_)
        kinds = (
            np.where(no if hidden is None else hidden, "hidden ", "").astype(object)
            + np.where(no if blank is None else blank, _OPEN[self.is_key], "")
        ).tolist()
        head = "".join(f'<th scope="col">{escape(label)}</th>' for label in columns)
        if head and rows:
            head = f"<th></th>{head}"
        heads = [f'<th scope="row">{escape(label)}</th>' for label in rows]
        body = "".join(
            f"<tr>{label}{''.join(map(partial(_cell, decimals), numbers, row))}</tr>"
            for label, numbers, row in zip(
                heads or [""] * len(values), values.tolist(), kinds, strict=True
            )
        )
        thead = f"<thead><tr>{head}</tr></thead>" if head else ""
        return HTML(f"<table>{caption}{thead}<tbody>{body}</tbody></table>")

    def document(self, kind: str, content: Iterable[TagChild]) -> str:
        """Put a whole document together, in the language of its words."""
        words = self.words
        title = words(f"export.sheet.{kind}")
        if self.is_key:
            title = f"{title} · {words('export.sheet.key')}"
        person: list[TagChild] = []
        if not self.is_key:
            for field in ("name", "date"):
                person += [words(f"export.sheet.{field}"), tags.span()]
        warnings = f"{words('warning.random')} {words('warning.causes')}"
        page = tags.html(
            tags.head(
                tags.meta(charset="utf-8"),
                tags.meta(
                    name="viewport", content="width=device-width,initial-scale=1"
                ),
                tags.title(f"{title} · attnviz"),
                tags.style(HTML(_style())),
            ),
            tags.body(
                tags.header(tags.h1(title), tags.div(*person, class_="person")),
                tags.p(words("export.sheet.rounded"), class_="notes"),
                *content,
                tags.footer(tags.p(warnings, class_="notes")),
            ),
            lang=words("export.sheet.language"),
        )
        return f"<!doctype html>\n{page}\n"


def numbered(tokens: Sequence[str]) -> list[str]:
    """Count tokens from 1, as the pages do.

    Returns
    -------
    labels : list of str
        Such as "2 cat".

    Examples
    --------
    >>> numbered(["the", "cat"])
    ['1 the', '2 cat']
    """
    return [f"{place} {token}" for place, token in enumerate(tokens, start=1)]


def _cell(decimals: int, number: float, kind: str) -> str:
    text = "" if kind.endswith(_OPEN[0]) else _written(number, decimals)
    return f'<td class="{kind.strip()}">{text}</td>' if kind else f"<td>{text}</td>"


def _written(number: float, decimals: int) -> str:
    text = f"{number:z.{decimals}f}".replace("-", "−")
    return text.replace("inf", "∞")


@cache
def _style() -> str:
    """Read the style, with the font of the formulas in it: a sheet may be kept."""
    font = base64.b64encode(_FONT.read_bytes()).decode("ascii")
    return _STYLE.read_text("utf-8").replace("FONT", font)
