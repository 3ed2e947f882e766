"""The smallest page there can be: the inputs of the example, times a factor."""

from dataclasses import dataclass

from shiny import module, reactive

from attnviz.components.inputs.controls import control, move_control, read_control
from attnviz.components.page.view import View, figure, figures_page, render_view
from attnviz.example.compute import compute
from attnviz.example.document import Codec
from attnviz.example.screen import Screen
from attnviz.example.setting import WHOLE, Setting, check_settings
from attnviz.figures.matrix import matrix_figure
from attnviz.figures.panels import panel
from attnviz.pages.page import Page, PageState

FACTOR = Setting("tf", WHOLE, "sizes", "f", limits=(1, 7))


@dataclass(frozen=True)
class Toy:
    factor: int = 2

    def __post_init__(self):
        check_settings(self, {"factor": FACTOR})


def picture(example, settings):
    trace = compute(example)
    screen = Screen({"x": settings.factor * trace.x}, {"query": trace.tokens})
    return View(figures={"toy": matrix_figure([panel(screen, "x")])}, live={})


@module.ui
def toy_ui(opening):
    settings = opening.settings("toy")
    return figures_page(
        "view",
        control("factor", FACTOR, settings.factor, opening.tr),
        figure("toy", None),
        first=picture(opening.document.example, settings),
    )


@module.server
def toy_server(input, output, session, opening, controls, restored):
    settings = reactive.value(opening.settings("toy"))

    @reactive.effect
    def follow_control():
        settings.set(Toy(read_control(input, "factor", FACTOR)))

    @reactive.effect
    @reactive.event(restored)
    def restore():
        if restored() is not None:
            settings.set(restored())
            move_control(session, "factor", FACTOR, restored().factor)

    @render_view
    def view():
        return picture(controls.chosen().example, settings())

    return lambda: PageState(settings())


TOY = Page(
    "toy",
    toy_ui,
    toy_server,
    Codec({"factor": FACTOR}, lambda _: Toy()),
    group="labs",
    own_controls=True,
)
