"""The controls of the Scaling lab."""

from collections.abc import Callable

from htmltools import Tag
from shiny import Inputs, Outputs, Session, module, render, ui

from attnviz.components.inputs.controls import control
from attnviz.components.inputs.own_settings import OwnSettings
from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.inputs.steering import Steering
from attnviz.example.scaling.settings import SCALING_SETTINGS, Scaling
from attnviz.text.catalog import Translate

DRAWING = ("d_k", "keys", "n_drawn", "law", "correlation", "mean", "width", "seed")
DIVIDING = ("other", "power", "row")
HEATING = ("temperature",)
GRADIENT = ("gradient_size", "loss", "loss_row", "loss_feature")


@module.ui
def scaling_controls_ui(tr: Translate, start: Scaling, names: tuple[str, ...]) -> Tag:
    """Lay some controls out in a row."""
    return ui.div(
        *[
            control(name, SCALING_SETTINGS[name], getattr(start, name), tr)
            for name in names
        ],
        {"data-part": "scaling"},
        class_="toolbar scaling-controls",
    )


@module.ui
def scaling_problem_ui() -> Tag:
    """Reserve the place of a sentence about what cannot be."""
    return ui.div(
        ui.output_text("problem", inline=True), class_="problem", role="status"
    )


@module.server
def scaling_controls_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    *,
    restored: Callable[[], Scaling | None],
    start: Scaling,
    steering: Steering,
    tr: Translate,
) -> Callable[[], Scaling]:
    """Keep the last settings that could be used, and say why others cannot."""
    settings = OwnSettings(
        input,
        session,
        SCALING_SETTINGS,
        Scaling,
        start=start,
        restored=restored,
        steering=steering,
    )

    @render.text
    def problem() -> str:
        return problem_sentence(settings.wrong(), tr)

    return settings
