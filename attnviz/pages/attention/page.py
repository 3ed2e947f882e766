"""Page: self-attention, stage by stage."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui

from attnviz.components.page.checks import checks_live, checks_strip
from attnviz.components.page.compare import (
    compare_buttons,
    compare_live,
    compare_section,
    follow_comparison,
)
from attnviz.components.page.edit_bar import edit_bar, history_bar
from attnviz.components.page.editing import editable_names, edited_cells, follow_edits
from attnviz.components.page.export_menu import Exports, export_menu, export_server
from attnviz.components.page.head_picker import follow_head, head_picker, heads_live
from attnviz.components.page.inspector import (
    explain,
    follow_inspector,
    inspector,
    inspector_words,
)
from attnviz.components.page.later import bring_later
from attnviz.components.page.legend import weights_legend
from attnviz.components.page.page_head import page_head
from attnviz.components.page.prose import folded, readings
from attnviz.components.page.stepper import stepper
from attnviz.components.page.tables import tables_content, tables_fold
from attnviz.components.page.view import (
    Live,
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
from attnviz.example.checks import check_example
from attnviz.example.comparison import Comparison
from attnviz.example.document import Codec
from attnviz.example.matrices import Matrix
from attnviz.example.weights_alone import Shown, compute_shown
from attnviz.export.data import page_data, plain_settings
from attnviz.pages.attention.captions import (
    attention_heading,
    attention_shapes,
    tied_scores,
)
from attnviz.pages.attention.check_notes import check_notes
from attnviz.pages.attention.figures.comparison import comparison_figures
from attnviz.pages.attention.figures.stages import attention_figures
from attnviz.pages.attention.formulas import PROJECTIONS, example_formulas
from attnviz.pages.attention.script import attention_script
from attnviz.pages.attention.settings import ATTENTION_SETTINGS, AttentionSettings
from attnviz.pages.attention.steps import ATTENTION_STEPS
from attnviz.pages.attention.worksheet import attention_worksheet
from attnviz.pages.page import Opening, Page, PageState
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell, first_cell
from attnviz.text.notes import attention_note
from attnviz.text.presets import origin_line

READINGS = ("attention", "masks", "symbols")
CHECKS = (
    "row_sums",
    "hidden_weights",
    "constant_values",
    "visible_keys",
    "divisor",
    "max_subtracted",
    "score_table",
    "loop",
)


@module.ui
def attention_ui(opening: Opening) -> ui.TagChild:
    """Lay out the stages from X to the output."""
    tr, language = opening.tr, opening.language
    now = compute_shown(opening.document.example)
    head = opening.settings("attention").head

    return figures_page(
        "view",
        page_head(
            live("heading", attention_heading(now, tr)),
            live("formula.page"),
            (tr("warning.random"), tr("warning.causes")),
            stepper(tr),
            compare_buttons(tr),
            head_picker(tr, head, now.example.first_head),
            checks_strip(CHECKS, tr, language),
            ui.div(history_bar(tr), export_menu("export", tr), class_="page-aside"),
        ),
        figure_row(
            figure(
                "chain",
                live("shape.chain", class_="figure-shape"),
                live("tied"),
                ui.div(tr("axes.rows")),
                ui.div(tr("axes.columns")),
                weights_legend(tr),
                formulas=[
                    live(f"formula.{stage}")
                    for stage in ("scores", "weights", "context")
                ],
            ),
            *[
                figure(
                    name, formulas=[live(f"formula.{name}.{one}") for one in letters]
                )
                for name, letters in PROJECTIONS.items()
            ],
            class_="is-heart",
        ),
        figure_row(
            figure(
                "positions",
                live("shape.positions", class_="figure-shape"),
                formulas=[written("positions_added")],
            ),
            figure(
                "bilinear",
                live("shape.bilinear", class_="figure-shape"),
                formulas=[written("bilinear")],
            ),
            figure(
                "additive",
                live("shape.additive", class_="figure-shape"),
                formulas=[written("additive")],
            ),
            figure("heads", tr("heads.all")),
            figure(
                "output",
                live("shape.output", class_="figure-shape"),
                formulas=[written("output")],
            ),
        ),
        compare_section(tr),
        tables_fold(tr),
        *[folded(tr(f"{name}.reading"), name) for name in READINGS],
        inspector(tr, edit_bar(tr)),
        steps=ATTENTION_STEPS,
        edits=True,
        first=_view(
            now,
            min(head, now.n_heads - 1),
            tr,
            preset=opening.document.preset,
        ),
        derivation=inspector_words(
            _explain(now, min(head, now.n_heads - 1), None),
            now.screen().names,
            lambda derivation: attention_note(now, derivation, tr),
            min(head, now.n_heads - 1),
            first_head=now.example.first_head,
        ),
    )


def _view(
    now: Shown,
    head: int,
    tr: Translate,
    *,
    preset: str,
    comparison: Comparison | None = None,
    problem: str = "",
) -> View:
    """Gather all that the page shows."""
    checks = check_example(now)
    return View(
        figures={
            **attention_figures(now, head),
            **comparison_figures(comparison, now, _sides(tr)),
        },
        live={
            **checks_live(
                checks,
                tr,
                notes=check_notes(now, preset, checks, tr),
                first_head=now.example.first_head,
            ),
            **sentences(
                {
                    "heading": attention_heading(now, tr),
                    "tied": tied_scores(now, head, tr),
                    "export.of": origin_line(preset, now.example, tr, head=head),
                }
            ),
            **sentences(attention_shapes(now)),
            **{
                f"formula.{place}": Live(formula=name)
                for place, name in example_formulas(now.example).items()
            },
            **sentences({"edit.problem": problem}),
            **heads_live(now.n_heads),
            **compare_live(comparison, tr),
        },
        start=first_cell(now),
        head=head,
        editable=editable_names(now.screen(), now.example),
        edited=edited_cells(now.example, head),
    )


def _sides(tr: Translate) -> tuple[str, str]:
    """Name the two examples of a comparison."""
    return tr("compare.first"), tr("compare.second")


def _explain(
    now: Shown, head: int, cell: Cell | None, comparison: Comparison | None = None
) -> Derivation | None:
    """Explain a cell: that of the example until a reader chooses another."""
    asked = cell or replace(first_cell(now), head=head)
    return explain(asked, partial(derive, comparison or now))


@module.server
def attention_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    opening: Opening,
    controls: Controls,
    restored: Callable[[], AttentionSettings | None],
) -> Callable[[], PageState]:
    """Feed figures, checks and tables from one trace."""
    tr = opening.tr
    bring_later(input, readings(opening.language, READINGS))
    editing = follow_edits(input, controls, restored, tr)

    # Asked for anew each time: who only reads holds no matrices.
    def trace() -> Shown:
        return compute_shown(controls.chosen().example)

    def head_back() -> int | None:
        back = restored()
        return None if back is None else back.head

    head = follow_head(
        input,
        lambda: trace().n_heads,
        head_back,
        lambda: trace().example.first_head,
        controls.steering,
    )
    comparison = follow_comparison(input, session, controls, head)

    @render_view
    def view() -> View:
        return _view(
            trace(),
            head(),
            tr,
            preset=controls.chosen().preset,
            comparison=comparison(),
            problem=editing.problem(),
        )

    def names() -> Mapping[str, Matrix]:
        both = comparison()
        return trace().screen().names if both is None else both.names(*_sides(tr))

    follow_inspector(
        input,
        session,
        lambda cell: _explain(trace(), head(), cell, comparison()),
        names,
        lambda derivation: attention_note(trace(), derivation, tr),
        head,
        lambda: trace().example.first_head,
    )

    @render.ui
    def tables() -> ui.TagChild:
        req(input.settled())
        # Only an open table needs pandas: see components/page/tables.py.
        from attnviz.pages.attention.tables import attention_tables

        with reactive.isolate():
            frames = attention_tables(trace(), head())
        return tables_content(frames, input.decimals(), tr)

    export_server(
        "export",
        page="attention",
        exports=Exports(
            name=lambda: controls.chosen().name,
            script=lambda: partial(attention_script, trace()),
            data=lambda: page_data(
                "attention", trace().screen(), plain_settings(trace().example)
            ),
            worksheet=lambda writer: attention_worksheet(trace(), head(), writer),
        ),
        tr=tr,
    )
    return lambda: PageState(AttentionSettings(head()), editing.is_swinging())


ATTENTION = Page(
    "attention",
    attention_ui,
    attention_server,
    Codec(ATTENTION_SETTINGS, lambda preset: AttentionSettings()),
)
