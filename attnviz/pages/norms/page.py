"""Page: Layer Normalization, position by position."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui
from shiny.types import SilentCancelOutputException, SilentException

from attnviz.components.page.checks import checks_live, checks_strip
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
from attnviz.components.page.stepper import Step, stepper
from attnviz.components.page.tables import tables_content, tables_fold
from attnviz.components.page.view import (
    View,
    figure,
    figure_row,
    figures_page,
    live,
    render_view,
    sentences,
    written,
)
from attnviz.components.sidebar.controls import Controls
from attnviz.core.checks import Check, check_layer_norm
from attnviz.core.derivation import Derivation, derive
from attnviz.core.errors import SettingError
from attnviz.example.document import Codec
from attnviz.example.norms import (
    NORM_SETTINGS,
    NormExample,
    NormExampleTrace,
    compute_norm,
    norm_start,
    sources_of,
)
from attnviz.example.settings import Example
from attnviz.export.data import PageData, page_data, plain_settings
from attnviz.pages.norms.captions import norm_origin, norm_sentences
from attnviz.pages.norms.controls import (
    WITHOUT_TENSOR,
    batch_controls_ui,
    norm_controls_server,
    norm_controls_ui,
)
from attnviz.pages.norms.figures import norm_figures
from attnviz.pages.norms.script import norm_script
from attnviz.pages.norms.worksheet import norm_worksheet
from attnviz.pages.page import Opening, Page, PageState
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell
from attnviz.text.checks import Note
from attnviz.text.notes import norm_note

# The cell that is explained when the page opens.
START = Cell("norm_normalized", 0, 0)
PREFIX = "norm_"
CHECKS = ("norm_mean", "norm_mean_square", "norm_own_position", "norm_loop")

NORM_STEPS = (
    Step(
        ("norm_normalized", "norm_mean", "norm_variance"),
        ("norm_input",),
        lights="normalized",
    ),
    Step(
        ("norm_output", "output_mean", "output_variance"),
        ("norm_normalized", "gamma", "beta"),
        lights="output",
    ),
)

# A trace with the example and the settings that it comes from.
_OnScreen = tuple[NormExampleTrace, Example, NormExample]


@module.ui
def norms_ui(opening: Opening) -> ui.TagChild:
    """Lay out the stages from x to y, and the comparison with BatchNorm."""
    tr, language, start = opening.tr, opening.language, opening.settings("norms")
    now = _outcome(opening.document.example, start)
    first = derivation = None
    # Settings that do not fit get a sentence as soon as the server speaks.
    if isinstance(now, NormExampleTrace):
        document = opening.document
        of = norm_origin(document.preset, document.example, start, tr)
        first = _view(now, start, tr, of=of)
        derivation = inspector_words(_explain(now, None), now.screen().names)
    return figures_page(
        "view",
        page_head(
            tr("norms.heading"),
            written("norm"),
            (tr("warning.random"), tr("norms.warning")),
            stepper(tr),
            checks_strip(CHECKS, tr, language),
            ui.div(export_menu("export", tr), class_="page-aside"),
        ),
        norm_controls_ui("controls", tr, start),
        figure_row(
            figure(
                "norm",
                live("shape.norm", class_="figure-shape"),
                formulas=[written("norm_normalized")],
            ),
            figure("norm_output", formulas=[written("norm_output")]),
        ),
        ui.h2(tr("norms.batch"), class_="section"),
        batch_controls_ui("controls", tr, start),
        ui.p(live("norms.disturbed"), class_="finding", role="status"),
        figure_row(figure("disturbance", tr("norms.disturbance_note"))),
        tables_fold(tr),
        folded(tr("norms.reading"), "norms"),
        inspector(tr),
        steps=NORM_STEPS,
        first=first,
        derivation=derivation,
    )


def _outcome(
    example: Example, settings: NormExample
) -> NormExampleTrace | SettingError:
    try:
        return compute_norm(example, settings)
    except SettingError as error:
        return error


def _without_numbers(tr: Translate) -> View:
    """Show a page that has nothing to normalize, and says so."""
    checks = [
        Check(name.removeprefix(PREFIX), "not applicable", None, None, None)
        for name in CHECKS
    ]
    why = {check.id: Note(tr("check.why.no_rows")) for check in checks}
    return View({}, checks_live(checks, tr, prefix=PREFIX, notes=why))


def _view(
    now: NormExampleTrace,
    settings: NormExample,
    tr: Translate,
    *,
    of: str,
) -> View:
    """Gather all that the page shows; `of` says what a picture of it comes from."""
    norm = now.norm
    checks = check_layer_norm(
        norm.x, norm.output, gamma=norm.gamma, beta=norm.beta, eps=norm.eps
    )
    return View(
        figures=norm_figures(now),
        live={
            **checks_live(checks, tr, prefix=PREFIX),
            **sentences({"export.of": of, **norm_sentences(now, settings, tr)}),
        },
        start=START,
    )


def _explain(now: NormExampleTrace, cell: Cell | None) -> Derivation | None:
    return explain(cell or START, partial(derive, now))


@module.server
def norms_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    opening: Opening,
    controls: Controls,
    restored: Callable[[], NormExample | None],
) -> Callable[[], PageState]:
    """Feed figures, checks and tables from one trace."""
    tr = opening.tr
    bring_later(input, readings(opening.language, ["norms"]))

    @reactive.calc
    def outcome() -> NormExampleTrace | SettingError:
        return _outcome(controls.chosen().example, settings())

    @reactive.calc
    def trace() -> NormExampleTrace:
        now = outcome()
        if isinstance(now, SettingError):
            # The last good picture stays.
            raise SilentCancelOutputException
        return now

    def misfit() -> SettingError | None:
        now = outcome()
        return now if isinstance(now, SettingError) else None

    settings = norm_controls_server(
        "controls",
        preset=lambda: controls.chosen().preset,
        misfit=misfit,
        offered=lambda: sources_of(controls.chosen().example),
        restored=restored,
        start=opening.settings("norms"),
        steering=controls.steering,
        tr=tr,
    )

    on_screen: reactive.Value[_OnScreen | None] = reactive.value(None, name="on_screen")

    @render_view
    def view() -> View:
        error = misfit()
        with reactive.isolate():
            is_bare = on_screen() is None
        # A number that was mistyped leaves the last good picture; that of another
        # example would contradict the sentence of this one.
        if error is not None and (is_bare or error.reason in WITHOUT_TENSOR):
            on_screen.set(None)
            return _without_numbers(tr)
        now, chosen = trace(), controls.chosen()
        on_screen.set((now, chosen.example, settings()))
        of = norm_origin(chosen.preset, chosen.example, settings(), tr)
        return _view(now, settings(), tr, of=of)

    follow_inspector(
        input,
        session,
        lambda cell: _explain(trace(), cell),
        lambda: trace().screen().names,
        lambda derivation: norm_note(trace(), derivation, tr),
    )

    @render.ui
    def tables() -> ui.TagChild:
        req(input.settled())
        # Only an open table needs pandas: see components/page/tables.py.
        from attnviz.pages.norms.tables import norm_tables

        with reactive.isolate():
            frames = norm_tables(trace())
        return tables_content(frames, input.decimals(), tr)

    _offer_exports(on_screen, lambda: controls.chosen().name, tr)
    return lambda: PageState(settings())


def _offer_exports(
    on_screen: Callable[[], _OnScreen | None], name: Callable[[], str], tr: Translate
) -> None:
    """Let a reader take along what stands on the page, whatever was mistyped since."""

    def drawn() -> _OnScreen:
        now = on_screen()
        if now is None:
            raise SilentException
        return now

    export_server(
        "export",
        page="norms",
        exports=Exports(
            name=name,
            script=lambda: partial(norm_script, drawn()[0]),
            data=lambda: _data(*drawn()),
            worksheet=lambda writer: norm_worksheet(drawn()[0], writer),
        ),
        tr=tr,
    )


def _data(now: NormExampleTrace, example: Example, settings: NormExample) -> PageData:
    """Collect the numbers, with all that they depend on."""
    depends = {**asdict(settings), "example": plain_settings(example)}
    return page_data("norms", now.screen(), depends)


NORMS = Page("norms", norms_ui, norms_server, Codec(NORM_SETTINGS, norm_start))
