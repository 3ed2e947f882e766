"""Page: masks, mistakes, and what gives them away."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui

from attnviz.components.page.edit_bar import edit_bar
from attnviz.components.page.export_menu import Exports, export_menu, export_server
from attnviz.components.page.inspector import (
    explain,
    follow_inspector,
    inspector,
    inspector_words,
)
from attnviz.components.page.later import bring_later
from attnviz.components.page.page_head import page_head
from attnviz.components.page.prose import folded, readings
from attnviz.components.page.tables import tables_content, tables_fold
from attnviz.components.page.tries import tries
from attnviz.components.page.view import View, figures_page, render_view
from attnviz.components.sidebar.controls import Controls
from attnviz.core.derivation import Derivation, derive
from attnviz.example.document import Codec
from attnviz.example.mistakes.guessing import N_CHOICES
from attnviz.example.mistakes.settings import MISTAKE_SETTINGS, MistakeSettings
from attnviz.example.settings import Example
from attnviz.export.data import page_data, plain_settings
from attnviz.pages.mistakes.controls import follow_controls, section_tabs
from attnviz.pages.mistakes.script import shown_script
from attnviz.pages.mistakes.sections import lay_out, show
from attnviz.pages.mistakes.shown import Answers, Shown
from attnviz.pages.mistakes.worksheet import shown_worksheet
from attnviz.pages.page import Opening, Page, PageState
from attnviz.text.cells import Cell

TRIES = (
    "mistake=P03",
    "mistake=P01.queries_as_keys",
    "mistake=P08",
    "sec=guess&gs=7",
    "sec=split",
)


@module.ui
def mistakes_ui(opening: Opening) -> ui.TagChild:
    """Lay out all sections; only the open one has numbers."""
    tr, language = opening.tr, opening.language
    start: MistakeSettings = opening.settings("mistakes")
    now = show(start, opening.document.example)
    return figures_page(
        "view",
        page_head(
            tr("mistakes.heading"),
            ui.span(),
            (tr("mistakes.question"),),
            section_tabs(tr, start),
            ui.div(
                tries("mistakes", TRIES, tr, language),
                export_menu("export", tr),
                class_="page-aside",
            ),
        ),
        *lay_out(start, now, tr, language),
        tables_fold(tr),
        folded(tr("mistakes.reading"), "mistakes"),
        inspector(tr, edit_bar(tr)),
        edits=True,
        first=now.view(tr, language),
        derivation=inspector_words(_explain(now, None), now.names, head=now.head),
    )


def _explain(now: Shown, cell: Cell | None) -> Derivation | None:
    return explain(cell or now.start, partial(derive, now.trace))


@module.server
def mistakes_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    opening: Opening,
    controls: Controls,
    restored: Callable[[], MistakeSettings | None],
) -> Callable[[], PageState]:
    """Feed the open section."""
    tr, language = opening.tr, opening.language
    bring_later(input, readings(language, ["mistakes"]))
    answers: reactive.Value[Answers] = reactive.value({}, name="answers")
    settings = follow_controls(
        input, session, opening.settings("mistakes"), restored, controls.steering
    )

    @reactive.calc
    def shown() -> Shown:
        return show(settings(), controls.chosen().example, answers())

    _follow_answers(input, settings, answers)

    @render_view
    def view() -> View:
        return shown().view(tr, language)

    @render.ui
    def told() -> ui.TagChild:
        return shown().told(tr, language)

    follow_inspector(
        input,
        session,
        lambda cell: _explain(shown(), cell),
        lambda: shown().names,
        head=lambda: shown().head,
    )

    @render.ui
    def tables() -> ui.TagChild:
        req(input.settled())
        # Only an open table needs pandas: see components/page/tables.py.
        from attnviz.pages.mistakes.tables import shown_tables

        with reactive.isolate():
            frames = shown_tables(shown())
        return tables_content(frames, input.decimals(), tr)

    export_server(
        "export",
        page="mistakes",
        exports=Exports(
            name=lambda: shown().file_name,
            script=lambda: partial(shown_script, shown()),
            data=lambda: page_data(
                "mistakes",
                shown().screen,
                _depends(settings(), controls.chosen().example),
            ),
            worksheet=lambda writer: shown_worksheet(shown(), writer),
        ),
        tr=tr,
    )
    return lambda: PageState(settings())


def _follow_answers(
    input: Inputs,
    settings: Callable[[], MistakeSettings],
    answers: reactive.Value[Answers],
) -> None:
    """Take the first answer to each question of the visit."""

    def follow(place: int) -> None:
        @reactive.effect
        @reactive.event(input[f"choose_{place + 1}"])
        def choose() -> None:
            now = settings()
            asked = now.guess_seed, now.guess_round
            if asked not in answers():
                # Of another sequence no score is kept.
                kept = {one: at for one, at in answers().items() if one[0] == asked[0]}
                answers.set({**kept, asked: place})

    for place in range(N_CHOICES):
        follow(place)


def _depends(settings: MistakeSettings, example: Example) -> dict[str, object]:
    return {**asdict(settings), "example": plain_settings(example)}


MISTAKES = Page(
    "mistakes",
    mistakes_ui,
    mistakes_server,
    Codec(MISTAKE_SETTINGS, lambda preset: MistakeSettings()),
    group="labs",
)
