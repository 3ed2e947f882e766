"""The section of the mistakes: one of them, beside the right computation."""

from collections.abc import Mapping

from htmltools import Tag
from shiny import ui

from attnviz.components.page.view import figure, figure_row, live
from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.matrices import FAULTY, GAP
from attnviz.example.mistakes.settings import MistakeSettings
from attnviz.example.mistakes.trace import MistakeTrace, mistake_on_screen
from attnviz.example.settings import Example
from attnviz.pages.mistakes.captions import mistake_sentences
from attnviz.pages.mistakes.controls import mistake_controls
from attnviz.pages.mistakes.figures import mistake_figures
from attnviz.pages.mistakes.shown import Code, Shown
from attnviz.pages.mistakes.told import told
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell

SIDES = ("right", "faulty", "difference")
# What the lines call the results.
_VARIABLES: Mapping[str, str] = {
    "weights": "a",
    "context": "c",
    "norm_output": "y",
    "code": "p",
    "turned": "turned",
    "slopes": "slopes",
    "counts": "counts",
    "split": "heads",
    "merged": "joined",
}


def mistakes_ui(tr: Translate, start: MistakeSettings) -> list[Tag]:
    """Lay out the section."""
    captions = {
        "right": ui.span(tr("mistakes.right"), class_="side is-right"),
        "faulty": ui.span(tr("mistakes.faulty"), class_="side is-faulty"),
        "difference": ui.span(
            tr("mistakes.difference"), " ", live("mistakes.gap"), class_="side"
        ),
    }
    return [
        mistake_controls(tr, start),
        ui.p(
            ui.tags.b(
                live("mistakes.id", class_="mistake-id"), " ", live("mistakes.name")
            ),
            " ",
            live("mistakes.found"),
            class_="finding mistake-finding",
            role="status",
        ),
        figure_row(*[figure(side, captions[side]) for side in SIDES]),
    ]


def show_mistake(settings: MistakeSettings, example: Example) -> Shown:
    """Make the mistake that is chosen."""
    trace, shown_on = mistake_on_screen(settings.mistake, settings.shown_on, example)
    names = tuple(
        f"{prefix}{name}"
        for prefix, side in (
            ("", trace.right),
            (FAULTY, trace.faulty),
            (GAP, trace.gap),
        )
        for name in side
        if name not in ("weight_sum", "output_mean", "output_variance")
    )
    return Shown(
        section="mistakes",
        trace=trace,
        screen=trace.screen(),
        figures=mistake_figures(trace),
        start=_start(trace),
        say=lambda tr, language: mistake_sentences(
            trace, settings, shown_on, tr, language
        ),
        told=lambda tr, language: told(trace, tr),
        code=Code(
            trace.numbers.given,
            (
                ("mistakes.right", trace.program.right, _variables(trace.right)),
                ("mistakes.faulty", trace.program.faulty, _variables(trace.faulty)),
            ),
        ),
        file_name=trace.id,
        tables=names,
        head=trace.head,
    )


def _variables(results: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    return {
        _VARIABLES[name]: value for name, value in results.items() if name in _VARIABLES
    }


def _start(trace: MistakeTrace) -> Cell:
    """Explain a faulty number first, one that differs."""
    name = next(iter(trace.faulty))
    if name == "split":
        return Cell(f"{FAULTY}split_1", 1, 0)
    return Cell(f"{FAULTY}{name}", 0, 0, trace.head)
