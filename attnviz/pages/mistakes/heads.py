"""The section on heads: patterns, what they carry, their mean, and dropout."""

from collections.abc import Callable, Mapping

from htmltools import Tag
from shiny import ui

from attnviz.components.page.view import figure, figure_row, live
from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.diagnosis import HeadPattern
from attnviz.example.mistakes.head_views import (
    drop,
    look_at_heads,
    same_output,
    weigh_values,
)
from attnviz.example.mistakes.laid import Laid
from attnviz.example.mistakes.settings import MistakeSettings
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.figures.matrix import FigureSpec, matrix_figure
from attnviz.figures.panels import panel
from attnviz.pages.mistakes.controls import chooser, slider
from attnviz.pages.mistakes.figures import line_up
from attnviz.pages.mistakes.shown import (
    Code,
    Shown,
    Told,
    explanation,
)
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell
from attnviz.text.numbers import brief

FIGURES = ("all_heads", "carried", "mean_of_heads", "same", "dropout")


def heads_ui(tr: Translate, start: MistakeSettings) -> list[Tag]:
    """Lay out the section."""
    return [
        ui.div(
            chooser("head_view", tr, start),
            chooser("head_source", tr, start).add_class("for-source"),
            slider("rate", tr, start).add_class("for-rate"),
            {"data-live": "heads.view", "data-part": "mistakes"},
            class_="toolbar mistake-controls",
        ),
        ui.p(live("heads.found"), class_="finding", role="status"),
        figure_row(*[figure(name, tr(f"mistakes.figure.{name}")) for name in FIGURES]),
    ]


def show_heads(settings: MistakeSettings, example: Example) -> Shown:
    """Make what is chosen of the section."""
    make: Mapping[str, Callable[[], Shown]] = {
        "patterns": lambda: _patterns(settings, example),
        "contribution": lambda: _contribution(example),
        "mean": lambda: _mean(settings, example),
        "same": _same,
        "dropout": lambda: _dropout(settings.rate),
    }
    return make[settings.head_view]()


def _looked(
    settings: MistakeSettings, example: Example
) -> tuple[Laid, tuple[HeadPattern, ...]]:
    is_own = settings.head_source == "constructed"
    return look_at_heads(None if is_own else compute_shown(example))


def _patterns(settings: MistakeSettings, example: Example) -> Shown:
    laid, patterns = _looked(settings, example)
    screen = laid.screen()
    weights = screen.matrices["weights"]
    names = _names(weights)

    def told(tr: Translate, language: str) -> ui.TagChild:
        return _table(patterns, tr)

    return _shown(
        "patterns",
        laid,
        {"all_heads": line_up(screen, names)},
        Cell("weights_1", 1, 1),
        _lines({"a": weights}, "mean = a.mean(0)", {"mean": weights.mean(axis=0)}),
        tuple(names),
        told,
        found="patterns" if patterns else "no_shares",
    )


def _names(weights: FloatArray) -> list[str]:
    """Name the weights of each head."""
    return [f"weights_{place}" for place in range(1, len(weights) + 1)]


def _table(patterns: tuple[HeadPattern, ...], tr: Translate) -> Tag:
    """List what each head looks like, with the thresholds of the labels."""
    heads = ("head", "label", "entropy", "largest", "column", "diagonal")
    rows = []
    for place, one in enumerate(patterns, start=1):
        numbers = (one.entropy, one.largest, one.column, one.diagonal)
        written = ["–" if number is None else brief(number) for number in numbers]
        if one.key is not None:
            written[2] += f" (k{one.key + 1})"
        if one.offset is not None:
            written[3] += f" ({one.offset:+d})".replace("-", "−")
        label = tr(f"mistakes.label.{one.label}")
        rows.append(
            ui.tags.tr(
                ui.tags.th(str(place), scope="row"),
                *[ui.tags.td(text) for text in (label, *written)],
            )
        )
    titles = [ui.tags.th(tr(f"mistakes.heads.{head}"), scope="col") for head in heads]
    return ui.div(
        ui.tags.table(
            ui.tags.thead(ui.tags.tr(*titles)),
            ui.tags.tbody(*rows),
            class_="conventions",
        ),
        ui.p(tr("mistakes.heads.thresholds")),
        class_="mistake-model",
    )


def _contribution(example: Example) -> Shown:
    laid = weigh_values(compute_shown(example))
    if laid is None:
        return _patterns(MistakeSettings(head_source="example"), example)
    screen = laid.screen()
    drawn = [
        panel(screen, "weights", shows_rows=True, band=1),
        panel(screen, "value_norm", track=1),
        panel(screen, "contribution", track=1, band=1),
    ]
    matrices = screen.matrices
    lines = "norm = np.sqrt((v ** 2).sum(-1))[:, None, :]\ncarried = np.abs(a) * norm"
    return _shown(
        "contribution",
        laid,
        {"carried": matrix_figure(drawn)},
        Cell("contribution", 0, 0, 0),
        _lines(
            {"a": matrices["weights"], "v": matrices["v"]},
            lines,
            {"carried": matrices["contribution"]},
        ),
        ("weights", "value_norm", "contribution"),
    )


def _mean(settings: MistakeSettings, example: Example) -> Shown:
    laid, _ = _looked(settings, example)
    screen = laid.screen()
    weights, mean = screen.matrices["weights"], screen.matrices["head_mean"]
    names = _names(weights)
    return _shown(
        "mean",
        laid,
        {"mean_of_heads": line_up(screen, ["head_mean", *names])},
        Cell("head_mean", 1, 0),
        _lines({"a": weights}, "mean = a.mean(0)", {"mean": mean}),
        ("head_mean", *names),
        found="mean" if len(names) > 1 else "one",
    )


def _same() -> Shown:
    laid = same_output()
    screen = laid.screen()
    names = ("weights", "v", "context")
    drawn = [
        panel(screen, "weights", shows_rows=True, band=1, is_whole=False),
        panel(screen, "v", track=1),
        panel(screen, "context", track=1, band=1),
    ]
    matrices = screen.matrices
    return _shown(
        "same",
        laid,
        {"same": matrix_figure(drawn)},
        Cell("context", 1, 0, 0),
        _lines(
            {"a": matrices["weights"], "v": matrices["v"]},
            "c = a @ v",
            {"c": matrices["context"]},
        ),
        names,
    )


def _dropout(rate: float) -> Shown:
    laid = drop(rate)
    screen = laid.screen()
    drawn = [
        panel(screen, "weights"),
        panel(screen, "keep", band=1, is_whole=True),
        panel(screen, "dropped", track=1, band=1),
        panel(screen, "dropped_sum", track=2, band=1, is_narrow=True),
        panel(screen, "chance", track=3, band=1, is_narrow=True),
        panel(screen, "dropped_mean", track=1),
    ]
    matrices = screen.matrices
    lines = "dropped = a * keep / (1 - rate)\nmean = (chance @ dropped)[None]"
    return _shown(
        "dropout",
        laid,
        {"dropout": matrix_figure(drawn)},
        Cell("dropped", 4, 0),
        _lines(
            {
                "a": matrices["weights"][0],
                "keep": matrices["keep"],
                "rate": rate,
                "chance": matrices["chance"],
            },
            lines,
            {"dropped": matrices["dropped"], "mean": matrices["dropped_mean"]},
        ),
        ("weights", "keep", "dropped", "dropped_sum", "chance", "dropped_mean"),
    )


def _lines(
    given: Mapping[str, object], lines: str, results: Mapping[str, FloatArray]
) -> Code:
    return Code(given, (("mistakes.section.heads", f"{lines}\n", results),))


def _shown(
    view: str,
    laid: Laid,
    figures: Mapping[str, FigureSpec],
    start: Cell,
    code: Code,
    tables: tuple[str, ...],
    told: Told | None = None,
    *,
    found: str = "",
) -> Shown:
    return Shown(
        section="heads",
        trace=laid,
        screen=laid.screen(),
        figures=figures,
        start=start,
        say=lambda tr, language: {
            "heads.found": tr(f"mistakes.heads.{found or view}.found")
        },
        told=told or explanation(f"mistakes.heads.{view}.why"),
        code=code,
        file_name=f"heads-{view}",
        tables=tables,
        head=0,
        states={"heads.view": view},
    )
