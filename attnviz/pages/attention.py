"""Page: self-attention, stage by stage."""

from collections.abc import Callable

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui

from attnviz.components.checks import checks_live, checks_strip
from attnviz.components.example_controls import Chosen
from attnviz.components.figures import (
    View,
    figure,
    figure_row,
    figures_page,
    live,
    render_view,
    sentences,
)
from attnviz.components.head_picker import head_picker, heads_live, picked_head
from attnviz.components.page_head import page_head
from attnviz.components.prose import folded, markdown
from attnviz.components.readout import readout
from attnviz.components.tables import tables_content, tables_fold
from attnviz.core.checks import check_attention
from attnviz.core.example import ExampleTrace, compute
from attnviz.figures.attention import attention_figures
from attnviz.text.catalog import Translate
from attnviz.text.shapes import attention_shapes

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
def attention_ui(tr: Translate, language: str) -> ui.TagChild:
    """Lay out the stages from X to the output."""

    def shapes(name: str) -> ui.TagChild:
        return live(f"shape.{name}", class_="figure-shape")

    return figures_page(
        "view",
        page_head(
            tr("attention.heading"),
            "attention",
            (tr("warning.random"), tr("warning.causes")),
        ),
        checks_strip(CHECKS, tr, language),
        figure_row(
            figure("query", "query", shapes("query")),
            figure("key", "key", shapes("key")),
            figure("value", "value", shapes("value")),
            figure("heads", None, head_picker(tr)),
        ),
        figure_row(
            figure(
                "scores",
                "scores",
                shapes("scores"),
                ui.div(tr("axes.rows")),
                ui.div(tr("axes.columns")),
            ),
            figure("softmax", "softmax", shapes("softmax")),
            figure("context", "context", shapes("context")),
            figure("output", "output", shapes("output")),
        ),
        tables_fold(tr),
        folded(tr("attention.reading"), markdown(language, "attention")),
        folded(tr("masks.reading"), markdown(language, "masks")),
        folded(tr("symbols.reading"), markdown(language, "symbols")),
        readout(tr),
    )


@module.server
def attention_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    *,
    chosen: Callable[[], Chosen],
    tr: Translate,
) -> None:
    """Feed figures, checks and tables from one trace."""

    @reactive.calc
    def trace() -> ExampleTrace:
        return compute(chosen().example)

    @reactive.calc
    def head() -> int:
        return picked_head(input, trace().parameters.n_heads)

    @render_view
    def view() -> View:
        now = trace()
        attention = now.heads.attention
        checks = check_attention(
            attention.q,
            attention.k,
            attention.v,
            weights=attention.weights,
            context=attention.context,
            visible=attention.visible,
            scale=now.example.claimed_scale,
        )
        return View(
            figures=attention_figures(now, head()),
            live={
                **checks_live(checks, tr),
                **sentences(attention_shapes(now)),
                **heads_live(now.parameters.n_heads),
            },
        )

    @render.ui
    def tables() -> ui.TagChild:
        req(input.settled())
        # Only an open table needs pandas: see components/tables.py.
        from attnviz.tables.attention import attention_tables

        with reactive.isolate():
            frames = attention_tables(trace(), head())
        return tables_content(frames, int(input.decimals()), tr)
