"""The same figures the usual way: one Plotly figure, one ``render.ui``, as HTML."""

from dataclasses import replace

import plotly
import plotly.graph_objects as go
from htmltools import HTMLDependency
from shiny import App, Inputs, Outputs, Session, reactive, render, ui

from attnviz.example.compute import EXAMPLES, ExampleTrace, compute
from attnviz.example.settings import Example
from attnviz.pages.attention.figures.stages import attention_figures

PLOTLY_JS = HTMLDependency(
    "plotly",
    plotly.__version__,
    source={"package": "plotly", "subdir": "package_data"},
    script={"src": "plotly.min.js"},
)
START = EXAMPLES["five"]
NAMES = tuple(attention_figures(compute(START), 0))

app_ui = ui.page_sidebar(
    ui.sidebar(
        ui.input_slider("temperature", "temperature", 0.1, 10, 1, step=0.1),
        ui.input_slider("length", "length", 1, 32, 5),
    ),
    PLOTLY_JS,
    ui.layout_columns(*[ui.output_ui(name) for name in NAMES], col_widths=3),
)


def serve(input: Inputs, output: Outputs, digits: str | None) -> None:
    """Build every figure anew whenever a control moves.

    Parameters
    ----------
    input, output
        Shiny's own.
    digits : str or None
        Plotly's template for the text of a cell, if the cells carry any.
    """

    @reactive.calc
    def trace() -> ExampleTrace:
        return compute(_example(input))

    @reactive.calc
    def figures() -> dict[str, go.Figure]:
        specs = attention_figures(trace(), 0)
        made = {name: go.Figure(spec) for name, spec in specs.items()}
        if digits is not None:
            for figure in made.values():
                figure.update_traces(texttemplate=digits)
        return made

    def show(name: str) -> None:
        @output(id=name)
        @render.ui
        def html() -> ui.HTML:
            return ui.HTML(
                figures()[name].to_html(include_plotlyjs=False, full_html=False)
            )

    for name in NAMES:
        show(name)


def _example(input: Inputs) -> Example:
    return replace(START, temperature=input.temperature(), length=input.length())


def _plain(input: Inputs, output: Outputs, session: Session) -> None:
    serve(input, output, None)


def _with_digits(input: Inputs, output: Outputs, session: Session) -> None:
    serve(input, output, "%{z:.2f}")


app = App(app_ui, _plain)
with_digits = App(app_ui, _with_digits)
