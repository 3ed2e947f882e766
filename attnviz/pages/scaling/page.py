"""Page: why scores are divided by √d_k."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

from htmltools import Tag
from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui
from shiny.types import SilentException

from attnviz.components.page.export_menu import Exports, export_menu, export_server
from attnviz.components.page.inspector import explain, follow_inspector, inspector
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
    live,
    render_view,
    sentences,
    written,
)
from attnviz.components.sidebar.controls import Controls
from attnviz.core.derivation import derive
from attnviz.example.document import Codec
from attnviz.example.scaling.compute import ScalingTrace, compute_scaling
from attnviz.example.scaling.settings import SCALING_SETTINGS, Scaling, scaling_start
from attnviz.export.data import page_data
from attnviz.pages.page import Opening, Page, PageState
from attnviz.pages.scaling.captions import scaling_sentences
from attnviz.pages.scaling.controls import (
    DIVIDING,
    DRAWING,
    GRADIENT,
    HEATING,
    scaling_controls_server,
    scaling_controls_ui,
    scaling_problem_ui,
)
from attnviz.pages.scaling.figures import GRADIENTS, N_DIVISORS, scaling_figures
from attnviz.pages.scaling.script.whole import scaling_script
from attnviz.pages.scaling.worksheet import scaling_worksheet
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell

# The cell that is explained when the page opens: of the divisor √d_k, key 2.
START = Cell("shares", 1, 1)
TRIES = (
    "zd=1024",
    "zd=1",
    "zd=64&zr=0.5",
    "zd=64&zl=unit",
    "zt=0.25",
    "zg=16&zc=cell",
)


@module.ui
def scaling_ui(opening: Opening) -> ui.TagChild:
    """Lay out one row a divisor, the curves, and what follows from them."""
    tr, start = opening.tr, opening.settings("scaling")

    def controls(names: tuple[str, ...]) -> Tag:
        return scaling_controls_ui("controls", tr, start, names)

    return figures_page(
        "view",
        page_head(
            tr("scaling.heading"),
            written("scores"),
            (tr("scaling.question"), tr("warning.random")),
            ui.span(live("scaling.measured"), class_="scaling-measured"),
            ui.div(
                ui.output_text("working", inline=True),
                tries("scaling", TRIES, tr, opening.language),
                export_menu("export", tr),
                class_="page-aside",
            ),
        ),
        controls(DRAWING),
        scaling_problem_ui("controls"),
        ui.div(
            _lab(tr),
            figure_row(figure("shares")),
            controls(DIVIDING),
            ui.p(live("scaling.variance"), class_="finding", role="status"),
            ui.h2(tr("scaling.jacobian_title"), class_="section"),
            ui.p(tr("scaling.jacobian_note"), class_="hint"),
            figure_row(figure("jacobians")),
            ui.h2(tr("scaling.exact_title"), class_="section"),
            ui.p(live("scaling.exact"), class_="finding"),
            figure_row(figure("exact")),
            ui.h2(tr("scaling.heat_title"), class_="section"),
            controls(HEATING),
            ui.p(live("scaling.heat_found"), class_="finding"),
            ui.div(figure("heat"), class_="scaling-heat"),
            ui.h2(tr("scaling.gradient_title"), class_="section"),
            controls(GRADIENT),
            ui.p(live("scaling.gradient_found"), class_="finding", role="status"),
            _gradients("", tr),
            _gradients("a_", tr),
            class_="scaling-page",
        ),
        tables_fold(tr),
        folded(tr("scaling.reading"), "scaling"),
        inspector(tr),
    )


def _lab(tr: Translate) -> Tag:
    """Stand the divisors one below the other, and the curves beside them."""
    rows = [_divisor(at, tr) for at in range(1, N_DIVISORS + 1)]
    return ui.div(
        ui.div(
            ui.div(
                ui.span(tr("scaling.column.divisor")),
                ui.span(tr("scaling.column.spread")),
                live("scaling.row_shown"),
                class_="scaling-row scaling-columns",
            ),
            *rows,
            class_="scaling-rows",
        ),
        ui.div(
            figure(
                "largest_curve",
                ui.strong(tr("scaling.largest_title")),
                live("scaling.curve_here.largest"),
            ),
            figure(
                "norm_curve",
                ui.strong(tr("scaling.norm_title")),
                live("scaling.curve_here.norm"),
            ),
            class_="scaling-curves",
        ),
        class_="scaling-lab",
    )


def _divisor(at: int, tr: Translate) -> Tag:
    return ui.div(
        ui.div(
            live(f"scaling.divisor.{at}", class_="scaling-divisor"),
            live(f"scaling.statistics.{at}", class_="scaling-statistics"),
        ),
        figure(f"spread_{at}", live(f"scaling.spread.{at}")),
        figure(f"bars_{at}"),
        class_="scaling-row is-chapter" if at == 2 else "scaling-row",
    )


def _gradients(side: str, tr: Translate) -> Tag:
    word = "unscaled" if side else "scaled"
    return ui.div(
        ui.h3(tr(f"scaling.gradient.{word}"), class_="section"),
        figure_row(*[figure(f"{side}{name}") for name in GRADIENTS]),
    )


@module.server
def scaling_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    opening: Opening,
    controls: Controls,
    restored: Callable[[], Scaling | None],
) -> Callable[[], PageState]:
    """Draw in a thread of its own, and feed everything from one trace."""
    tr = opening.tr
    bring_later(input, readings(opening.language, ["scaling"]))
    settings = scaling_controls_server(
        "controls",
        restored=restored,
        start=opening.settings("scaling"),
        steering=controls.steering,
        tr=tr,
    )
    shown, is_working = _compute_beside(settings, tr)

    def trace() -> ScalingTrace:
        return shown().trace

    @render.text
    def working() -> str:
        return tr("scaling.working") if is_working() else ""

    @render_view
    def view() -> View:
        return shown().view

    follow_inspector(
        input,
        session,
        lambda cell: explain(cell or START, partial(derive, trace())),
        lambda: trace().screen().names,
    )

    @render.ui
    def tables() -> ui.TagChild:
        req(input.settled())
        # Only an open table needs pandas: see components/page/tables.py.
        from attnviz.pages.scaling.tables import scaling_tables

        with reactive.isolate():
            frames = scaling_tables(trace())
        return tables_content(frames, input.decimals(), tr)

    export_server(
        "export",
        page="scaling",
        exports=Exports(
            name=lambda: f"dk{trace().settings.d_k}",
            script=lambda: partial(scaling_script, trace()),
            data=lambda: page_data(
                "scaling", trace().screen(), asdict(trace().settings)
            ),
            worksheet=lambda writer: scaling_worksheet(trace(), writer),
        ),
        tr=tr,
    )
    return lambda: PageState(settings())


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is on screen: a trace, and the view that has been made of it."""

    trace: ScalingTrace
    view: View


def _show(settings: Scaling, tr: Translate) -> _Shown:
    trace = compute_scaling(settings)
    words = sentences(scaling_sentences(trace, tr))
    return _Shown(trace, View(scaling_figures(trace, tr), words, start=START))


def _compute_beside(
    settings: Callable[[], Scaling], tr: Translate
) -> tuple[Callable[[], _Shown], Callable[[], bool]]:
    """Compute in a thread, one change at a time; what is newest comes next.

    Returns
    -------
    shown : callable
        Reads what was made last; silent until there is something.
    is_working : callable
        Reads whether something newer is on its way.
    """
    found: reactive.Value[_Shown | None] = reactive.value(None, name="found")
    asked: Scaling | None = None

    @reactive.extended_task
    async def task(wanted: Scaling) -> _Shown:
        return await asyncio.to_thread(_show, wanted, tr)

    @reactive.effect
    def follow() -> None:
        nonlocal asked
        wanted, status = settings(), task.status()
        if status == "running":
            return
        if status == "success":
            found.set(task.result())
        # What could not be computed is not tried again.
        if wanted != asked:
            asked = wanted
            task.invoke(wanted)

    def shown() -> _Shown:
        now = found()
        if now is None:
            raise SilentException
        return now

    return shown, lambda: task.status() == "running"


SCALING = Page(
    "scaling",
    scaling_ui,
    scaling_server,
    Codec(SCALING_SETTINGS, scaling_start),
    group="labs",
    own_controls=True,
)
