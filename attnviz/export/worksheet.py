"""A sheet of paper with the state on screen: places to fill in, and their key."""

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
from htmltools import HTML, Tag, TagChild, tags

from attnviz.core.example import ExampleTrace
from attnviz.core.norm_example import NormExampleTrace
from attnviz.core.shapes import BoolArray, FloatArray
from attnviz.export.exercise import (
    DECIMALS,
    MOST,
    AttentionExercise,
    NormExercise,
    attention_exercise,
    norm_exercise,
)

_RESULT = 4
_STYLE = Path(__file__).with_suffix(".css")
_FONT = Path(__file__).parents[2] / "www" / "stix-two-math.woff2"
_SYMBOLS = MappingProxyType(
    {
        "x": "X",
        "x_k": "X<sub>K</sub>",
        "inputs": "X + P",
        "key_inputs": "X<sub>K</sub> + P",
        "w_q": "W<sub>Q</sub>",
        "w_k": "W<sub>K</sub>",
        "w_v": "W<sub>V</sub>",
        "q": "Q",
        "k": "K",
        "v": "V",
        "q_turned": "Q′",
        "k_turned": "K′",
        "score_w": "W",
        "score_w_q": "W<sub>q</sub>",
        "score_w_k": "W<sub>k</sub>",
        "score_v": "v",
        "bias": "B",
        "scores": "S",
        "weights": "A",
        "context": "C",
    }
)


@dataclass(frozen=True, slots=True)
class Writer:
    """In which language a sheet is written, and whether with the answers.

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


def attention_worksheet(trace: ExampleTrace, head: int, writer: Writer) -> str:
    """Write the sheet of the Attention page.

    Parameters
    ----------
    trace : ExampleTrace
        The example on screen.
    head : int
        The head on screen, counted from 0.
    writer : Writer
        Language, and whether it is the key.

    Returns
    -------
    document : str
        A whole HTML document without scripts; where the example is too large for
        paper, it says so.
    """
    exercise = attention_exercise(trace, head)
    if exercise is None:
        return _document("attention", [_too_large(writer)], writer)
    which = writer.words("export.sheet.head", head=head + 1, heads=trace.n_heads)
    steps = [
        _given(trace, exercise, writer),
        _score(trace, exercise, writer),
        _weights(trace, exercise, writer),
        _context(trace, exercise, writer),
    ]
    if exercise.norm is not None:
        steps.append(_norm(exercise.norm, writer))
    return _document("attention", [tags.p(which, class_="notes"), *steps], writer)


def norm_worksheet(trace: NormExampleTrace, writer: Writer) -> str:
    """Write the sheet of the Layer norm page.

    Parameters
    ----------
    trace : NormExampleTrace
        The normalization on screen.
    writer : Writer
        Language, and whether it is the key.

    Returns
    -------
    document : str
        As `attention_worksheet`.
    """
    exercise = norm_exercise(trace.norm, trace.tokens)
    if exercise is None:
        return _document("norms", [_too_large(writer)], writer)
    x = _matrix("x", exercise.norm.x, writer, rows=exercise.tokens, decimals=DECIMALS)
    given = _section(writer.words("export.sheet.given"), "", [x], writer)
    return _document("norms", [given, _norm(exercise, writer)], writer)


def _given(trace: ExampleTrace, exercise: AttentionExercise, writer: Writer) -> Tag:
    """Write what is given, and the queries with one row left open."""
    names = {"x": trace.tokens, "inputs": trace.tokens, "q": trace.tokens}
    keys = dict.fromkeys(("x_k", "key_inputs", "k", "v"), trace.key_tokens)
    shown = [
        _matrix(
            name,
            np.atleast_2d(matrix),
            writer,
            rows=(names | keys).get(name, ()),
            decimals=DECIMALS,
        )
        for name, matrix in exercise.given.items()
    ]
    if trace.parameters is None:
        return _section(writer.words("export.sheet.given"), "", shown, writer)
    open_row = np.zeros(exercise.q.shape, dtype=np.bool_)
    open_row[exercise.row] = True
    q = _matrix("q", exercise.q, writer, rows=trace.tokens, blank=open_row)
    title = writer.words("export.sheet.query", row=exercise.row + 1)
    return _section(title, writer.formula("query"), [*shown, q], writer)


def _score(trace: ExampleTrace, exercise: AttentionExercise, writer: Writer) -> Tag:
    """Write the scores with one of them left open."""
    a, e = exercise.attention, trace.example
    shown = []
    if e.positions == "rotary":
        shown.append(_matrix("q_turned", a.q, writer, rows=trace.tokens))
        shown.append(_matrix("k_turned", a.k, writer, rows=trace.key_tokens))
    elif trace.parameters is not None:
        shown.append(_matrix("k", exercise.k, writer, rows=trace.key_tokens))
    if a.bias is not None:
        shown.append(_matrix("bias", a.bias, writer, rows=trace.tokens))
    blank = np.zeros(a.scores.shape, dtype=np.bool_)
    blank[exercise.row, exercise.key] = True
    shown.append(
        _matrix(
            "scores",
            a.scores,
            writer,
            rows=trace.tokens,
            columns=trace.key_tokens,
            blank=blank,
            hidden=~a.visible,
        )
    )
    title = writer.words(
        "export.sheet.score", row=exercise.row + 1, column=exercise.key + 1
    )
    return _section(title, _score_rule(trace, writer), shown, writer, _notes(trace))


def _score_rule(trace: ExampleTrace, writer: Writer) -> str:
    """Write the rule of the score: a formula, or words where there is none."""
    e = trace.example
    if e.scoring != "dot":
        return str(tags.span(writer.words(f"scoring.{e.scoring}")))
    return writer.formula("scores" if e.scale is None else "scores_unscaled")


def _notes(trace: ExampleTrace) -> list[str]:
    """Say what the formula does not."""
    e = trace.example
    notes = [] if e.scale is None else ["undivided"]
    notes += [kind for kind in ("rotary", "alibi") if e.positions == kind]
    return notes if trace.visible.all() else [*notes, "hidden"]


def _weights(trace: ExampleTrace, exercise: AttentionExercise, writer: Writer) -> Tag:
    """Write the stages of one row, all of them open."""
    a, row = exercise.attention, exercise.row
    stages = np.stack([a.masked_scores[row], a.exp_scores[row], a.weights[row]])
    sums = np.array([a.row_max[row], a.row_sum[row], [a.weights[row].sum()]])
    temperature = trace.example.temperature
    start = "S + M" if temperature == 1 else "S/τ + M"
    table = _table(
        np.concatenate([stages, sums], axis=-1),
        writer,
        rows=[start, "exp", "A"],
        columns=[*_numbered(trace.key_tokens), "max, Σ"],
        blank=np.ones((3, stages.shape[1] + 1), dtype=np.bool_),
        decimals=_RESULT,
    )
    title = writer.words("export.sheet.weights", row=row + 1)
    return _section(
        title,
        writer.formula("weights"),
        [table],
        writer,
        [] if temperature == 1 else ["temperature"],
        temperature=f"{temperature:g}",
    )


def _context(trace: ExampleTrace, exercise: AttentionExercise, writer: Writer) -> Tag:
    """Write values and contexts, with one context left open."""
    a, row, feature = exercise.attention, exercise.row, exercise.feature
    blank = np.zeros(a.context.shape, dtype=np.bool_)
    blank[row, feature] = True
    shown = [_matrix("context", a.context, writer, rows=trace.tokens, blank=blank)]
    if trace.parameters is not None:
        shown.insert(0, _matrix("v", exercise.v, writer, rows=trace.key_tokens))
    title = writer.words("export.sheet.context", row=row + 1, column=feature + 1)
    return _section(title, writer.formula("context"), shown, writer)


def _norm(exercise: NormExercise, writer: Writer) -> Tag:
    """Write one position, with its statistics and results left open."""
    norm, row = exercise.norm, exercise.row
    width = norm.x.shape[-1]
    given = _table(
        np.stack([norm.x[row], norm.gamma, norm.beta]),
        writer,
        rows=[f"x {row + 1} {exercise.tokens[row]}", "γ", "β"],
        decimals=DECIMALS,
    )
    statistics = _table(
        np.array([[norm.mean[row]], [norm.variance[row]]]),
        writer,
        rows=["μ", "v"],
        blank=np.ones((2, 1), dtype=np.bool_),
        decimals=_RESULT,
    )
    results = _table(
        np.stack([norm.normalized[row], norm.output[row]]),
        writer,
        rows=["x̂", "y"],
        blank=np.ones((2, width), dtype=np.bool_),
        decimals=_RESULT,
    )
    title = writer.words("export.sheet.norm", row=row + 1)
    eps = np.format_float_positional(norm.eps, trim="-")
    shown = [given, statistics, results, tags.p(f"ε = {eps}", class_="notes")]
    return _section(title, writer.formula("norm"), shown, writer)


def _too_large(writer: Writer) -> Tag:
    return tags.p(writer.words("export.sheet.large", most=MOST))


def _section(
    title: str,
    formula: str,
    content: Iterable[TagChild],
    writer: Writer,
    notes: Sequence[str] = (),
    **values: str,
) -> Tag:
    said = [writer.words(f"export.sheet.{note}", **values) for note in notes]
    return tags.section(
        tags.h2(tags.span(title), tags.span(HTML(formula))),
        tags.div(*content, class_="matrices"),
        tags.p(" ".join(said), class_="notes") if said else None,
    )


def _matrix(
    name: str,
    values: FloatArray,
    writer: Writer,
    *,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    blank: BoolArray | None = None,
    hidden: BoolArray | None = None,
    decimals: int = _RESULT,
) -> Tag:
    """Set a matrix under its symbol and shape."""
    shape = "×".join(map(str, values.shape))
    caption = tags.caption(HTML(_SYMBOLS[name]), " ", tags.small(shape))
    table = _table(
        values,
        writer,
        rows=_numbered(rows),
        columns=_numbered(columns),
        blank=blank,
        hidden=hidden,
        decimals=decimals,
    )
    table.insert(0, caption)
    return table


def _table(
    values: FloatArray,
    writer: Writer,
    *,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    blank: BoolArray | None = None,
    hidden: BoolArray | None = None,
    decimals: int,
) -> Tag:
    """Set numbers in a table; those in question are left open or marked."""
    no = np.zeros(values.shape, dtype=np.bool_)
    flags = zip(
        (no if blank is None else blank).tolist(),
        (no if hidden is None else hidden).tolist(),
        strict=True,
    )
    labels: Sequence[str | None] = rows or [None] * len(values)
    body = [
        tags.tr(
            None if label is None else tags.th(label, scope="row"),
            *[
                _cell(number, is_blank, is_hidden, writer.is_key, decimals)
                for number, is_blank, is_hidden in zip(numbers, *flag, strict=True)
            ],
        )
        for label, numbers, flag in zip(labels, values.tolist(), flags, strict=True)
    ]
    corner = [tags.th()] if rows else []
    heads = [tags.th(label, scope="col") for label in columns]
    head = tags.thead(tags.tr(*corner, *heads)) if columns else None
    return tags.table(head, tags.tbody(*body))


def _cell(
    number: float, is_blank: bool, is_hidden: bool, is_key: bool, decimals: int
) -> Tag:
    kinds = ["hidden"] if is_hidden else []
    if is_blank:
        kinds.append("answer" if is_key else "blank")
    text = "" if is_blank and not is_key else _written(number, decimals)
    return tags.td(text, class_=" ".join(kinds) or None)


def _written(number: float, decimals: int) -> str:
    text = f"{number:z.{decimals}f}".replace("-", "−")
    return text.replace("inf", "∞")


def _numbered(tokens: Sequence[str]) -> list[str]:
    return [f"{place} {token}" for place, token in enumerate(tokens, start=1)]


def _document(kind: str, content: Iterable[TagChild], writer: Writer) -> str:
    """Put a whole document together."""
    words = writer.words
    title = words(f"export.sheet.{kind}")
    if writer.is_key:
        title = f"{title} · {words('export.sheet.key')}"
    person: list[TagChild] = []
    if not writer.is_key:
        for field in ("name", "date"):
            person += [words(f"export.sheet.{field}"), tags.span()]
    warnings = f"{words('warning.random')} {words('warning.causes')}"
    page = tags.html(
        tags.head(
            tags.meta(charset="utf-8"),
            tags.meta(name="viewport", content="width=device-width,initial-scale=1"),
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


@cache
def _style() -> str:
    """Read the style, with the font of the formulas in it: a sheet may be kept."""
    font = base64.b64encode(_FONT.read_bytes()).decode("ascii")
    return _STYLE.read_text("utf-8").replace("FONT", font)
