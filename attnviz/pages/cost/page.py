"""Page: what a layer costs, line by line and over the length."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui

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
from attnviz.components.page.view import (
    View,
    figure,
    figures_page,
    live,
    render_view,
    sentences,
)
from attnviz.components.sidebar.controls import Controls
from attnviz.core.derivation import Derivation, derive
from attnviz.example.cost.calculator import CostTrace, compute_cost
from attnviz.example.cost.settings import COST_SETTINGS, Cost, preset_of
from attnviz.example.document import Codec
from attnviz.export.data import page_data
from attnviz.pages.cost.captions import cost_sentences
from attnviz.pages.cost.controls import OWN, cost_controls_server, cost_controls_ui
from attnviz.pages.cost.figures import cost_figures
from attnviz.pages.cost.lines import lines_table
from attnviz.pages.cost.script import cost_script
from attnviz.pages.cost.worksheet import cost_worksheet
from attnviz.pages.page import Opening, Page, PageState
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell

# The cell that is explained when the page opens: the number of scores.
START = Cell("cost_elements", 4, 0)
TRIES = ("ct=512", "ct=10000000", "ch=1&ckv=1", "ckv=1", "ct=65536&cw=256")


@module.ui
def cost_ui(opening: Opening) -> ui.TagChild:
    """Lay out the table, and the curves beside it."""
    tr, start = opening.tr, opening.settings("cost")
    now = compute_cost(start)
    return figures_page(
        "view",
        page_head(
            tr("cost.heading"),
            ui.span(),
            (tr("cost.question"),),
            ui.span(live("cost.counted"), class_="cost-counted"),
            ui.div(
                tries("cost", TRIES, tr, opening.language),
                export_menu("export", tr),
                class_="page-aside",
            ),
        ),
        cost_controls_ui("controls", tr, start),
        ui.div(
            ui.div(
                lines_table(tr),
                ui.p(live("cost.parameters"), " ", live("cost.cache"), class_="hint"),
            ),
            ui.div(
                figure("work_curve", ui.strong(tr("cost.work_title"))),
                figure("bytes_curve", ui.strong(live("cost.bytes_title"))),
                class_="cost-curves",
            ),
            class_="cost-lab",
        ),
        tables_fold(tr),
        folded(tr("cost.reading"), "cost"),
        inspector(tr),
        first=_view(now, tr),
        derivation=inspector_words(_explain(now, None), now.screen().names),
    )


def _view(now: CostTrace, tr: Translate) -> View:
    return View(
        figures=cost_figures(now, tr),
        live=sentences(cost_sentences(now, tr)),
        start=START,
    )


def _explain(now: CostTrace, cell: Cell | None) -> Derivation | None:
    return explain(cell or START, partial(derive, now))


@module.server
def cost_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    opening: Opening,
    controls: Controls,
    restored: Callable[[], Cost | None],
) -> Callable[[], PageState]:
    """Feed the table and the curves from one count."""
    tr = opening.tr
    bring_later(input, readings(opening.language, ["cost"]))
    settings = cost_controls_server(
        "controls",
        restored=restored,
        start=opening.settings("cost"),
        steering=controls.steering,
        tr=tr,
    )

    def trace() -> CostTrace:
        return compute_cost(settings())

    @render_view
    def view() -> View:
        return _view(trace(), tr)

    follow_inspector(
        input,
        session,
        lambda cell: _explain(trace(), cell),
        lambda: trace().screen().names,
    )

    @render.ui
    def tables() -> ui.TagChild:
        req(input.settled())
        # Only an open table needs pandas: see components/page/tables.py.
        from attnviz.pages.cost.tables import cost_tables

        with reactive.isolate():
            frames = cost_tables(trace(), tr)
        return tables_content(frames, input.decimals(), tr)

    export_server(
        "export",
        page="cost",
        exports=Exports(
            name=lambda: preset_of(settings()) or OWN,
            script=lambda: partial(cost_script, trace()),
            data=lambda: page_data("cost", trace().screen(), asdict(settings())),
            worksheet=lambda writer: cost_worksheet(trace(), writer),
        ),
        tr=tr,
    )
    return lambda: PageState(settings())


COST = Page(
    "cost",
    cost_ui,
    cost_server,
    Codec(COST_SETTINGS, lambda preset: Cost()),
    group="labs",
    own_controls=True,
)
