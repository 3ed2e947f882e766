"""The controls of the Cost lab: a preset, and the sizes of a layer."""

from collections.abc import Callable

from htmltools import Tag
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from attnviz.components.inputs.controls import control
from attnviz.components.inputs.own_settings import OwnSettings
from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.inputs.steering import Steering
from attnviz.example.cost.settings import (
    COST_PRESETS,
    COST_SETTINGS,
    Cost,
    preset_of,
)
from attnviz.text.catalog import Translate

# Stands in the list of presets while the sizes are one's own.
OWN = "own"


@module.ui
def cost_controls_ui(tr: Translate, start: Cost) -> Tag:
    """Lay the controls out in a row, with a place for a sentence below."""
    presets = {name: tr(f"cost.preset.{name}") for name in (*COST_PRESETS, OWN)}
    choice = ui.input_select(
        "preset", tr("cost.preset"), presets, selected=preset_of(start) or OWN
    )
    return ui.div(
        ui.div(
            choice,
            *[
                control(name, setting, getattr(start, name), tr)
                for name, setting in COST_SETTINGS.items()
            ],
            {"data-part": "cost"},
            class_="toolbar cost-controls",
        ),
        ui.div(ui.output_text("problem", inline=True), class_="problem", role="status"),
    )


@module.server
def cost_controls_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    *,
    restored: Callable[[], Cost | None],
    start: Cost,
    steering: Steering,
    tr: Translate,
) -> Callable[[], Cost]:
    """Follow the controls, and let the list of presets say which one they are."""
    settings = OwnSettings(
        input,
        session,
        COST_SETTINGS,
        Cost,
        start=start,
        restored=restored,
        steering=steering,
    )
    named = preset_of(start) or OWN

    @reactive.effect
    def name_preset() -> None:
        nonlocal named
        now = preset_of(settings()) or OWN
        if now != named:
            named = now
            ui.update_select("preset", selected=now)

    @reactive.effect
    @reactive.event(input.preset, ignore_init=True)
    def take_preset() -> None:
        nonlocal named
        chosen = str(input.preset())
        if chosen != named and chosen in COST_PRESETS:
            named = chosen
            settings.show(COST_PRESETS[chosen])

    @render.text
    def problem() -> str:
        return problem_sentence(settings.wrong(), tr)

    return settings
