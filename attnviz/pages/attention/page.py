"""Page: self-attention, stage by stage."""

from collections.abc import Callable
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
from attnviz.components.page.editing import editable_names, follow_edits
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
)
from attnviz.components.sidebar.controls import Controls
from attnviz.core.derivation import Derivation, derive
from attnviz.example.checks import check_example
from attnviz.example.comparison import Comparison
from attnviz.example.document import Codec
from attnviz.example.weights_alone import Shown, compute_shown
from attnviz.export.data import page_data, plain_settings
from attnviz.pages.attention.captions import attention_shapes
from attnviz.pages.attention.figures.comparison import comparison_figures
from attnviz.pages.attention.figures.stages import attention_figures
from attnviz.pages.attention.formulas import example_formulas
from attnviz.pages.attention.script import attention_script
from attnviz.pages.attention.settings import ATTENTION_SETTINGS, AttentionSettings
from attnviz.pages.attention.worksheet import attention_worksheet
from attnviz.pages.page import Opening, Page, PageState
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell, first_cell

# The cell that is explained when the page opens.
READINGS = ("attention", "masks", "symbols")
PROJECTIONS = ("query", "key", "value")
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

    def shapes(name: str) -> ui.TagChild:
        return live(f"shape.{name}", class_="figure-shape")

    return figures_page(
        "view",
        page_head(
            tr("attention.heading"),
            None,
            (tr("warning.random"), tr("warning.causes")),
            ui.div(
                compare_buttons(tr),
                history_bar(tr),
                stepper(tr),
                export_menu("export", tr),
                class_="page-tools",
            ),
        ),
        checks_strip(CHECKS, tr, language),
        figure_row(
            figure(
                "positions",
                "positions_added",
                shapes("positions"),
                results=["inputs", "key_inputs"],
            ),
            *[
                figure(
                    name,
                    None,
                    shapes(name),
                    results=[name[0]],
                    lights=name,
                )
                for name in PROJECTIONS
            ],
            figure("heads", None, head_picker(tr, head, now.screen().first_head)),
        ),
        figure_row(
            figure("bilinear", "bilinear", shapes("bilinear"), results=["q_w"]),
            figure("additive", "additive", shapes("additive")),
            figure(
                "scores",
                None,
                shapes("scores"),
                ui.div(tr("axes.rows")),
                ui.div(tr("axes.columns")),
                results=["scores"],
                lights="scores",
            ),
            figure(
                "softmax",
                None,
                shapes("softmax"),
                results=["weights", "row_max", "row_sum"],
                lights="weights",
            ),
            figure(
                "context",
                "context",
                shapes("context"),
                results=["context"],
                lights="context",
            ),
            figure("output", "output", shapes("output"), results=["output"]),
        ),
        compare_section(tr),
        tables_fold(tr),
        *[folded(tr(f"{name}.reading"), name) for name in READINGS],
        inspector(tr, edit_bar(tr)),
        edits=True,
        first=_view(now, min(head, now.n_heads - 1), tr),
        derivation=inspector_words(
            _explain(now, min(head, now.n_heads - 1), None), now.screen().names
        ),
    )


def _view(
    now: Shown,
    head: int,
    tr: Translate,
    *,
    comparison: Comparison | None = None,
    problem: str = "",
) -> View:
    """Gather all that the page shows."""
    return View(
        figures={
            **attention_figures(now, head),
            **comparison_figures(comparison, now),
        },
        live={
            **checks_live(check_example(now), tr),
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
        editable=editable_names(now.screen()),
    )


def _explain(now: Shown, head: int, cell: Cell | None) -> Derivation | None:
    """Explain a cell: that of the example until a reader chooses another."""
    return explain(cell or replace(first_cell(now), head=head), partial(derive, now))


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

    @reactive.calc
    def trace() -> Shown:
        return compute_shown(controls.chosen().example)

    def head_back() -> int | None:
        back = restored()
        return None if back is None else back.head

    head = follow_head(
        input,
        lambda: trace().n_heads,
        head_back,
        lambda: trace().screen().first_head,
    )
    comparison = follow_comparison(input, session, controls, head)

    @render_view
    def view() -> View:
        return _view(
            trace(),
            head(),
            tr,
            comparison=comparison(),
            problem=editing.problem(),
        )

    follow_inspector(
        input,
        session,
        lambda cell: _explain(trace(), head(), cell),
        lambda: trace().screen().names,
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
