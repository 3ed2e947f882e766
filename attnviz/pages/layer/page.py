"""Page: what happens to one token on its way through a Transformer layer."""

from collections.abc import Callable
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
from attnviz.components.page.stepper import stepper
from attnviz.components.page.tables import tables_content, tables_fold
from attnviz.components.page.tries import tries
from attnviz.components.page.view import (
    View,
    figure,
    figure_row,
    figures_page,
    live,
    render_view,
)
from attnviz.components.sidebar.controls import Controls
from attnviz.core.checks import Check
from attnviz.core.derivation import Derivation, derive
from attnviz.core.errors import SettingError
from attnviz.example.document import Codec
from attnviz.example.layer.checks import CHECKS, check_layers
from attnviz.example.layer.settings import LAYER_SETTINGS, LayerExample, layer_start
from attnviz.example.layer.view import LayerView, look_at
from attnviz.example.settings import Example
from attnviz.pages.layer.captions import layer_live
from attnviz.pages.layer.controls import (
    layer_controls_server,
    layer_controls_ui,
    look_controls,
)
from attnviz.pages.layer.counter import parameter_counter
from attnviz.pages.layer.data import layer_data
from attnviz.pages.layer.figures import KINDS, first_name, layer_figures
from attnviz.pages.layer.line import line_live, stations_line
from attnviz.pages.layer.plots import depth_plots
from attnviz.pages.layer.script import layer_script
from attnviz.pages.layer.steps import LAYER_STEPS, TRIES
from attnviz.pages.layer.worksheet import layer_worksheet
from attnviz.pages.page import Opening, Page, PageState
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell
from attnviz.text.checks import Note

PREFIX = "layer_"
# Why an example has no layer: the picture of another one would contradict it.
WITHOUT_LAYER = ("no_inputs", "no_output", "layer_scoring", "layer_positions")


@module.ui
def layer_ui(opening: Opening) -> ui.TagChild:
    """Lay out the line of stations, the token's way, and the station that is open."""
    tr, language = opening.tr, opening.language
    start, example = opening.settings("layer"), opening.document.example
    now = _outcome(example, start)
    first = derivation = None
    if isinstance(now, LayerView):
        first = _view(now, opening.document.preset, tr)
        derivation = inspector_words(
            _explain(now, None), now.screen().names, head=now.settings.layer
        )
    return figures_page(
        "view",
        page_head(
            tr("layer.heading"),
            live("formula.page"),
            (tr("layer.question"), tr("warning.random")),
            stepper(tr),
            checks_strip([f"{PREFIX}{name}" for name in CHECKS], tr, language),
            ui.div(
                tries("layer", TRIES, tr, language),
                export_menu("export", tr),
                class_="page-aside",
            ),
        ),
        ui.p(live("layer.answer"), class_="finding", role="status"),
        ui.div(
            layer_controls_ui("controls", tr, start),
            look_controls(tr, start, example.tokens),
            class_="layer-bar",
        ),
        stations_line(tr, start.station),
        figure_row(
            figure("way", tr("layer.way")),
            *[figure(kind, tr(f"layer.open.{kind}")) for kind in KINDS],
        ),
        ui.p(
            live("layer.likeliest"),
            " ",
            live("layer.random", class_="hint"),
            class_="finding",
        ),
        figure_row(
            figure("depth", tr("layer.depth"), " ", live("layer.case")),
            figure("gradient_depth", tr("layer.gradient_depth")),
            class_="is-extra",
        ),
        parameter_counter(tr),
        tables_fold(tr),
        folded(tr("layer.reading"), "layer"),
        inspector(tr),
        steps=LAYER_STEPS,
        first=first,
        derivation=derivation,
    )


def _outcome(example: Example, settings: LayerExample) -> LayerView | SettingError:
    try:
        return look_at(example, settings)
    except SettingError as error:
        return error


def _misfit(now: LayerView | SettingError) -> SettingError | None:
    return now if isinstance(now, SettingError) else None


def _good(now: LayerView | SettingError) -> LayerView:
    """Go on with what can be shown; else the last good picture stays."""
    if isinstance(now, SettingError):
        raise SilentCancelOutputException
    return now


def _without_numbers(tr: Translate) -> View:
    """Show a page whose example has no layer, and says so."""
    checks = [Check(name, "not applicable", None, None, None) for name in CHECKS]
    why = {check.id: Note(tr("check.why.no_rows")) for check in checks}
    return View({}, checks_live(checks, tr, prefix=PREFIX, notes=why))


def _view(now: LayerView, preset: str, tr: Translate) -> View:
    """Gather all that the page shows."""
    return View(
        figures={**layer_figures(now, tr), **depth_plots(now, tr)},
        live={
            **checks_live(check_layers(now.trace), tr, prefix=PREFIX),
            **line_live(now, tr),
            **layer_live(now, preset, tr),
        },
        head=now.settings.layer,
        start=_first_cell(now),
    )


def _first_cell(now: LayerView) -> Cell:
    """Choose what is explained at first: the token's row in what the station makes."""
    name = first_name(now)
    return Cell(name, now.settings.token, 0, now.settings.layer)


def _explain(now: LayerView, cell: Cell | None) -> Derivation | None:
    names = now.screen().names
    return explain(cell or _first_cell(now), partial(derive, now), names)


@module.server
def layer_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    opening: Opening,
    controls: Controls,
    restored: Callable[[], LayerExample | None],
) -> Callable[[], PageState]:
    """Feed the line, the figures, checks and tables from one trace."""
    tr = opening.tr
    bring_later(input, readings(opening.language, ["layer"]))

    @reactive.calc
    def outcome() -> LayerView | SettingError:
        return _outcome(controls.chosen().example, settings())

    def shown() -> LayerView:
        return _good(outcome())

    settings = layer_controls_server(
        "controls",
        page=session,
        preset=lambda: controls.chosen().preset,
        tokens=lambda: controls.chosen().example.tokens,
        misfit=lambda: _misfit(outcome()),
        restored=restored,
        start=opening.settings("layer"),
        steering=controls.steering,
        tr=tr,
    )
    on_screen: reactive.Value[LayerView | None] = reactive.value(None, name="on_screen")

    @render_view
    def view() -> View:
        error = _misfit(outcome())
        with reactive.isolate():
            is_bare = on_screen() is None
        if error is not None and (is_bare or error.reason in WITHOUT_LAYER):
            on_screen.set(None)
            return _without_numbers(tr)
        now = shown()
        on_screen.set(now)
        return _view(now, controls.chosen().preset, tr)

    follow_inspector(
        input,
        session,
        lambda cell: _explain(shown(), cell),
        lambda: shown().screen().names,
        head=lambda: shown().settings.layer,
    )

    @render.ui
    def tables() -> ui.TagChild:
        req(input.settled())
        # Only an open table needs pandas: see components/page/tables.py.
        from attnviz.pages.layer.tables import layer_tables

        with reactive.isolate():
            frames = layer_tables(shown())
        return tables_content(frames, input.decimals(), tr)

    _offer_exports(on_screen, lambda: controls.chosen().name, tr)
    return lambda: PageState(settings())


def _offer_exports(
    on_screen: Callable[[], LayerView | None], name: Callable[[], str], tr: Translate
) -> None:
    """Let a reader take along what stands on the page."""

    def drawn() -> LayerView:
        now = on_screen()
        if now is None:
            raise SilentException
        return now

    export_server(
        "export",
        page="layer",
        exports=Exports(
            name=name,
            script=lambda: partial(layer_script, drawn().trace),
            data=lambda: layer_data(drawn()),
            worksheet=lambda writer: layer_worksheet(drawn(), writer),
        ),
        tr=tr,
    )


LAYER = Page("layer", layer_ui, layer_server, Codec(LAYER_SETTINGS, layer_start))
