"""Page: what attention sees of order, and how positions become numbers."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui

from attnviz.components.page.checks import checks_live, checks_strip
from attnviz.components.page.edit_bar import edit_bar
from attnviz.components.page.editing import edited_cells, follow_edits
from attnviz.components.page.export_menu import Exports, export_menu, export_server
from attnviz.components.page.head_picker import follow_head, head_picker, heads_live
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
from attnviz.core.derivation import Derivation, derive
from attnviz.example.document import Codec
from attnviz.example.positions.checks import check_positions
from attnviz.example.positions.compute import PositionsTrace, compute_positions
from attnviz.example.positions.settings import (
    POSITION_SETTINGS,
    PositionsSettings,
    positions_start,
)
from attnviz.export.data import page_data, plain_settings
from attnviz.pages.page import Opening, Page, PageState
from attnviz.pages.positions.captions import positions_live, positions_note
from attnviz.pages.positions.controls import (
    BIAS,
    ROTARY,
    TABLE,
    facts_table,
    follow_settings,
    kinds_table,
    order_controls,
    part_controls,
)
from attnviz.pages.positions.figures import positions_figures
from attnviz.pages.positions.script import positions_script
from attnviz.pages.positions.worksheet import positions_worksheet
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell
from attnviz.text.presets import origin_line

# The cells that are explained when the page opens: the first that is there.
STARTS = (Cell("order_change", 2, 3), Cell("position_table", 1, 2))
CHECKS = (
    "order_kept",
    "pair_norm",
    "gram_diagonals",
    "gram_order",
    "rotary_norm",
    "rotary_diagonals",
    "bias_diagonals",
)
POSITIONS_STEPS = (
    Step(("weights", "order_original"), ("x", "inputs")),
    Step(("moved_x", "moved_inputs"), ("x", "inputs")),
    Step(("moved_weights", "moved_context"), ("moved_x", "moved_inputs")),
    Step(("order_permuted",), ("moved_context",)),
    Step(("order_change",), ("order_permuted", "order_original")),
)
# What the sentences of "try this" set.
TRIES = (
    "po=3-1-5-2-4",
    "po=3-1-5-2-4&pos=sinusoidal",
    "po=3-1-5-2-4&m=causal",
    "p=exercise_7",
    "pf=concatenated&cell=position_table.2.3",
    "pr=1&cell=x_norm.1.1",
    "pp=mixed&cell=rotary_scores.2.3",
)


@module.ui
def positions_ui(opening: Opening) -> ui.TagChild:
    """Lay out the experiment with order, the table, rotations and biases."""
    tr, language, start = opening.tr, opening.language, opening.settings("positions")
    document = opening.document
    now = compute_positions(document.example, start)
    return figures_page(
        "view",
        page_head(
            tr("positions.heading"),
            written("order"),
            (tr("positions.question"),),
            stepper(tr),
            head_picker(tr, now.head, document.example.first_head),
            checks_strip(CHECKS, tr, language),
            ui.div(
                tries("positions", TRIES, tr, language),
                export_menu("export", tr),
                class_="page-aside",
            ),
        ),
        ui.p(live("positions.answer"), class_="finding answer", role="status"),
        ui.p(live("positions.problem"), class_="problem", role="status"),
        ui.div(
            ui.div(order_controls(tr), kinds_table(tr), class_="beside"),
            figure_row(figure("order"), class_="is-heart"),
            class_="with-controls",
        ),
        ui.h2(tr("positions.table.title"), class_="section"),
        part_controls(TABLE, start, tr),
        ui.p(live("positions.table.said"), class_="finding", role="status"),
        figure_row(
            figure("table", formulas=[written("sinusoid")]),
            figure("gram", formulas=[written("gram")]),
            figure("curve"),
        ),
        figure_row(figure("sum", formulas=[written("positions_added")])),
        ui.h2(tr("positions.rotary.title"), class_="section"),
        part_controls(ROTARY, start, tr),
        ui.p(live("positions.rotary.said"), class_="finding", role="status"),
        figure_row(
            figure("rotary", formulas=[written("rotary")]),
            figure("arrows"),
        ),
        ui.h2(tr("positions.bias.title"), class_="section"),
        part_controls(BIAS, start, tr),
        ui.p(live("positions.bias.said"), class_="finding", role="status"),
        figure_row(
            figure("bias", formulas=[written("biased")]),
            figure("bias_heads", tr("positions.bias.heads")),
            figure("buckets", tr("positions.bias.buckets")),
        ),
        ui.h2(tr("positions.facts"), class_="section"),
        facts_table(tr),
        tables_fold(tr),
        folded(tr("positions.reading"), "positions"),
        inspector(tr, edit_bar(tr)),
        steps=POSITIONS_STEPS,
        edits=True,
        first=_view(now, tr, preset=document.preset),
        derivation=inspector_words(
            _explain(now, None),
            now.screen().names,
            lambda derivation: positions_note(now, derivation, tr),
            now.head,
            first_head=document.example.first_head,
        ),
    )


def _start(now: PositionsTrace) -> Cell:
    """Choose the cell that is explained at first, as far as the matrix reaches."""
    screen = now.screen()
    cell = next((each for each in STARTS if each.name in screen), STARTS[-1])
    if cell.name not in screen:
        return cell
    rows, columns = screen.table(cell.name, now.head).shape
    head = now.head if screen.matrix(cell.name).is_per_head else None
    return Cell(cell.name, min(cell.row, rows - 1), min(cell.column, columns - 1), head)


def _view(
    now: PositionsTrace,
    tr: Translate,
    *,
    preset: str,
    problem: str = "",
    edit_problem: str = "",
) -> View:
    """Gather all that the page shows."""
    example = now.example
    return View(
        figures=positions_figures(now, tr),
        live={
            **checks_live(check_positions(now), tr),
            **positions_live(now, tr),
            **sentences(
                {
                    "positions.problem": problem,
                    "edit.problem": edit_problem,
                    "export.of": origin_line(preset, example, tr, head=now.head),
                }
            ),
            **heads_live(example.n_heads),
        },
        start=_start(now),
        head=now.head,
        editable=("x",) if now.x is not None else (),
        edited=edited_cells(example, now.head),
    )


def _explain(now: PositionsTrace, cell: Cell | None) -> Derivation | None:
    return explain(cell or _start(now), partial(derive, now))


@module.server
def positions_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    opening: Opening,
    controls: Controls,
    restored: Callable[[], PositionsSettings | None],
) -> Callable[[], PageState]:
    """Feed figures, checks and tables from one trace."""
    tr = opening.tr
    bring_later(input, readings(opening.language, ["positions"]))
    editing = follow_edits(input, controls, restored, tr)

    def head_back() -> int | None:
        back = restored()
        return None if back is None else back.head

    head = follow_head(
        input,
        lambda: controls.chosen().example.n_heads,
        head_back,
        lambda: controls.chosen().example.first_head,
        controls.steering,
    )
    settings, problem = follow_settings(
        input,
        session,
        controls,
        head,
        restored,
        opening.settings("positions"),
        tr,
    )

    def trace() -> PositionsTrace:
        return compute_positions(controls.chosen().example, settings())

    @render_view
    def view() -> View:
        return _view(
            trace(),
            tr,
            preset=controls.chosen().preset,
            problem=problem(),
            edit_problem=editing.problem(),
        )

    follow_inspector(
        input,
        session,
        lambda cell: _explain(trace(), cell),
        lambda: trace().screen().names,
        lambda derivation: positions_note(trace(), derivation, tr),
        head,
        first_head=lambda: controls.chosen().example.first_head,
    )

    @render.ui
    def tables() -> ui.TagChild:
        req(input.settled())
        # Only an open table needs pandas: see components/page/tables.py.
        from attnviz.pages.positions.tables import positions_tables

        with reactive.isolate():
            frames = positions_tables(trace())
        return tables_content(frames, input.decimals(), tr)

    export_server(
        "export",
        page="positions",
        exports=Exports(
            name=lambda: controls.chosen().name,
            script=lambda: partial(positions_script, trace()),
            data=lambda: page_data("positions", trace().screen(), _depends(trace())),
            worksheet=lambda writer: positions_worksheet(trace(), writer),
        ),
        tr=tr,
    )
    return lambda: PageState(settings(), editing.is_swinging())


def _depends(now: PositionsTrace) -> dict[str, object]:
    """Collect all settings that the numbers depend on."""
    return {**asdict(now.settings), "example": plain_settings(now.example)}


POSITIONS = Page(
    "positions",
    positions_ui,
    positions_server,
    Codec(POSITION_SETTINGS, positions_start),
)
