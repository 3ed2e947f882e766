"""Page: is what I computed right, and which mistake is it if not."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Self

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui
from shiny.types import SilentException

from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.page.checks import checks_strip
from attnviz.components.page.export_menu import Exports, export_menu, export_server
from attnviz.components.page.head_picker import follow_head, head_picker
from attnviz.components.page.inspector import (
    follow_inspector,
    inspector,
    inspector_words,
)
from attnviz.components.page.later import bring_later
from attnviz.components.page.page_head import page_head
from attnviz.components.page.prose import folded, readings
from attnviz.components.page.tables import tables_content, tables_fold
from attnviz.components.page.tries import tries
from attnviz.components.page.view import (
    View,
    figure,
    figure_row,
    figures_page,
    render_view,
)
from attnviz.components.sidebar.controls import Chosen, Controls
from attnviz.core.errors import SettingError
from attnviz.example.address import write_example
from attnviz.example.check.settings import CHECK_SETTINGS, CheckSettings, check_start
from attnviz.example.check.trace import CheckTrace, empty_trace
from attnviz.example.document import Codec
from attnviz.export.data import page_data, plain_settings
from attnviz.pages.check.asking import Asking, follow_asking, made_text, with_inputs
from attnviz.pages.check.desk import comma_buttons, desk
from attnviz.pages.check.figures import check_screen
from attnviz.pages.check.script import check_script
from attnviz.pages.check.taking import inputs_menu, offer_inputs
from attnviz.pages.check.verdict import empty_panel, verdict_panel
from attnviz.pages.check.view import CHECKS, check_note, check_view, explain_cell
from attnviz.pages.check.words import read_words
from attnviz.pages.check.work import Said, follow_work
from attnviz.pages.check.worksheet import check_worksheet
from attnviz.pages.page import Opening, Page, PageState
from attnviz.text.catalog import Translate

READINGS = ("check",)
# What to try: a mistake, a result that tells nothing apart, a convention, and rows.
TRIES = (
    "p=five&m=causal&cm=P02.unscaled",
    "p=five&m=causal&cm=P03.after_softmax",
    "p=five&m=causal&cm=P04.multiplied",
    "p=five&m=causal&cm=P09.inverted",
    "p=identity&cm=right",
)


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands on the page: a judgement, or the inputs while there is none.

    Attributes
    ----------
    trace : callable
        Reads it; None where not even inputs are there.
    """

    trace: Callable[[], CheckTrace | None]

    @classmethod
    def of(cls, asking: Asking, said: Callable[[], Said]) -> Self:
        """Follow what is asked, and what is said of it."""

        @reactive.calc
        def trace() -> CheckTrace | None:
            now = said().trace
            if now is not None:
                return now
            try:
                return empty_trace(asking.chosen().example, asking.settings())
            except SettingError:
                return None

        return cls(trace)

    def now(self) -> CheckTrace:
        """Read it, where something is there."""
        now = self.trace()
        if now is None:
            raise SilentException
        return now

    def n_heads(self) -> int:
        """Read how many tables can be looked at."""
        now = self.trace()
        return 1 if now is None else now.n_heads

    def first_head(self) -> int:
        """Read the number of the first of them."""
        now = self.trace()
        return 0 if now is None else now.first


@module.ui
def check_ui(opening: Opening) -> ui.TagChild:
    """Lay out the field for a result, the verdict, and the three matrices."""
    tr, language, document = opening.tr, opening.language, opening.document
    settings = opening.settings("check")
    chosen = with_inputs(Chosen(document.preset, document.example))
    text, trace = "", None
    # What cannot be gets a sentence as soon as the server speaks.
    try:
        text = made_text(chosen.example, settings)
        trace = empty_trace(chosen.example, settings)
    except SettingError:
        pass
    first = derivation = None
    if trace is not None:
        first = check_view(trace, 0, chosen, tr)
        names = check_screen(trace, tr).names
        derivation = inspector_words(explain_cell(trace, 0, None), names, head=0)
    return figures_page(
        "view",
        page_head(
            tr("check.heading"),
            ui.span(),
            (tr("mine.question"), tr("warning.random")),
            tries("check", TRIES, tr, language),
            inputs_menu(tr),
            head_picker(tr),
            checks_strip(CHECKS, tr, language),
            ui.div(export_menu("export", tr), class_="page-aside"),
        ),
        ui.div(
            desk(settings, text, tr),
            ui.output_ui("verdict", class_="verdict-place"),
            {"data-above": ""},
            class_="check-desk",
        ),
        figure_row(
            figure("inputs", tr("mine.inputs_shown")),
            figure("check", tr("mine.sides")),
            class_="is-heart",
        ),
        tables_fold(tr),
        folded(tr("mine.reading"), "check"),
        inspector(tr),
        first=first,
        derivation=derivation,
    )


@module.server
def check_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    opening: Opening,
    controls: Controls,
    restored: Callable[[], CheckSettings | None],
) -> Callable[[], PageState]:
    """Judge what is put down, and show it beside what it should be."""
    tr, language = opening.tr, opening.language
    bring_later(input, readings(language, READINGS))
    asking = follow_asking(
        input, session, controls, restored, opening.settings("check")
    )
    said = follow_work(asking.question)

    shown = Shown.of(asking, said)
    head = follow_head(
        input, shown.n_heads, lambda: None, shown.first_head, controls.steering
    )

    @render_view
    def view() -> View:
        now = shown.trace()
        if now is None:
            return View({}, {})
        return check_view(now, head(), asking.chosen(), tr)

    follow_inspector(
        input,
        session,
        lambda cell: explain_cell(shown.now(), head(), cell),
        lambda: check_screen(shown.now(), tr).names,
        lambda derivation: check_note(shown.now(), derivation, tr),
        head,
        shown.first_head,
    )
    _tell(output, asking, said, tr, language)

    @render.ui
    def tables() -> ui.TagChild:
        req(input.settled())
        # Only an open table needs pandas: see components/page/tables.py.
        from attnviz.pages.check.tables import check_tables

        with reactive.isolate():
            frames = check_tables(check_screen(shown.now(), tr), head())
        return tables_content(frames, input.decimals(), tr)

    offer_inputs(session, asking.chosen, asking.settings, tr)
    _offer_exports(shown.now, head, asking, tr)
    return lambda: PageState(asking.settings())


def _tell(
    output: Outputs,
    asking: Asking,
    said: Callable[[], Said],
    tr: Translate,
    language: str,
) -> None:
    """Say what was understood, what it is, and what is in the way."""

    @render.ui
    def verdict() -> ui.TagChild:
        now = said()
        if now.trace is None or now.trace.judgement is None:
            return empty_panel(tr)
        chosen = asking.chosen()
        query = {"lang": language, **write_example(chosen.example, chosen.preset)}
        is_stale = now.problem is not None
        judgement = now.trace.judgement
        return verdict_panel(judgement, tr, language, query, is_stale=is_stale)

    @render.ui
    def read() -> ui.TagChild:
        now = said()
        if now.brought is None:
            return None
        judgement = None if now.trace is None or now.problem else now.trace.judgement
        told = read_words(now.brought, judgement, tr)
        asked = comma_buttons(tr) if len(now.brought.commas) > 1 else None
        return ui.TagList(*[ui.p(text, class_="hint") for text in told], asked)

    @render.text
    def problem() -> str:
        return problem_sentence(asking.problem() or said().problem, tr)


def _offer_exports(
    shown: Callable[[], CheckTrace],
    head: Callable[[], int],
    asking: Asking,
    tr: Translate,
) -> None:
    """Let a reader take along what stands on the page."""

    def depends() -> dict[str, object]:
        example = plain_settings(asking.chosen().example)
        return {**asdict(asking.settings()), "example": example}

    export_server(
        "export",
        page="check",
        exports=Exports(
            name=lambda: asking.chosen().name,
            script=lambda: partial(check_script, shown()),
            data=lambda: page_data("check", shown().screen(), depends()),
            worksheet=lambda writer: check_worksheet(shown(), head(), writer),
        ),
        tr=tr,
    )


CHECK = Page(
    "check",
    check_ui,
    check_server,
    Codec(CHECK_SETTINGS, check_start),
    group="practice",
)
